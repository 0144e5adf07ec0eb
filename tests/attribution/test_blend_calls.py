"""Where the arguments of calls come from: commands, queries, composed text, given accounts."""

from __future__ import annotations

from tests.attribution.conversations import Script, explain, quoted, sources
from tokengeist.attribution.protocol import Verdict


def test_a_literal_of_a_command_is_not_looked_for() -> None:
    script = (
        Script()
        .user("Which commit is the latest, and what does the table of zones say?")
        .calls("bash", '{"DK": 1, "SE": 2}', command="cat zones.json")
        .user("And the commit?")
        .calls("bash", "4f1c2aa Zones", command="git log -1 --oneline")
    )
    assert 2 not in sources(script, "git log -1 --oneline")


def test_a_small_figure_comes_from_a_result_that_gives_it_under_its_name() -> None:
    script = (
        Script()
        .user("A room in Bergen for my wife and me, please, and then look for a boat.")
        .calls("find_rooms", {"rooms": [{"room": "R-118", "beds": 2}]}, city="Bergen")
        .calls("find_boats", "2 boats: Skarv, Terne", guests=2)
        .calls("find_beds", "none", beds=2)
    )
    assert 2 not in sources(script, '"guests": 2')
    assert 2 in sources(script, '"beds": 2', turn=5)


def test_an_account_comes_from_the_system_turn_that_gives_it() -> None:
    script = (
        Script()
        .system("Help desk. Signed-in user: b.lindqvist.")
        .user("The printer on my floor is dead.")
        .calls("device_events", "08:14 offline, last job by user=b.lindqvist", floor="mine")
        .calls("list_tickets", [], user="b.lindqvist")
    )
    found = sources(script, "b.lindqvist", turn=4)
    assert 0 in found
    assert 3 not in found


def test_a_query_rests_on_whoever_brought_its_words_in() -> None:
    script = (
        Script()
        .user("I write about the Halden sluice. When was it rebuilt?")
        .says("In 1962.")
        .user("And is it open in winter?")
        .calls("web_search", [], q="Halden sluice opening months winter")
    )
    assert sources(script, "Halden sluice opening months winter") == {0, 2}


def test_code_rests_on_the_rules_that_name_what_it_reads() -> None:
    query = "SELECT berth, count(*) FROM moorings WHERE left_on IS NULL AND skipper > '' GROUP BY 1"
    script = (
        Script()
        .system("Tables: moorings(berth, skipper, arrived_on, left_on, tariff).")
        .user("How many boats have we got at the moment?")
        .calls("run_sql", "", query=query)
    )
    assert 0 in sources(script, f'run_sql({{"query": "{query}"}})')


def test_words_of_an_argument_may_stand_apart_in_a_record() -> None:
    script = (
        Script()
        .user("What did my dog get last time?")
        .calls("visits", [{"day": "2031-04-02", "drug": "milbemax", "form": "tablet"}], pet="mine")
        .says("On 2 April a milbemax tablet.")
        .user("Have you got more of it?")
        .calls("stock", [], item="milbemax tablet")
    )
    found = sources(script, '"item": "milbemax tablet"')
    assert 2 in found
    assert 3 not in found


def test_a_number_may_be_given_in_groups() -> None:
    script = (
        Script()
        .user("Where is my crate, number KR 5520 1184?")
        .calls("track", "KR55201184 in Narvik since Monday", ref="KR55201184")
        .says("In Narvik.")
        .user("Send it back, please.")
        .calls("send_back", "ok", ref="KR55201184")
    )
    assert 0 in sources(script, '"ref": "KR55201184"', turn=1)
    assert 0 in sources(script, '"ref": "KR55201184"', turn=5)


def test_a_path_comes_from_the_result_that_gave_it_in_full() -> None:
    script = (
        Script()
        .user("rates.py fails with an error, please look.")
        .calls("find_file", "1 match: billing/lib/rates.py", name="rates.py")
        .calls("open_file", "1: RATE = 1,07", path="billing/lib/rates.py")
    )
    assert sources(script, "billing/lib/rates.py", turn=3) == {2}


def test_an_argument_grows_by_what_the_user_adds() -> None:
    script = (
        Script()
        .user("A table for 6 people on Friday, please.")
        .calls("find_tables", [{"name": "The Ferry"}, {"name": "Kelp House"}], party=6)
        .says("The Ferry and Kelp House have room.")
        .user("The Ferry. And my brother is coming with his wife, so add two.")
        .calls("check_table", "free", name="The Ferry", party=8)
    )
    assert sources(script, '"party": 8') == {0, 4}


def test_a_page_that_a_click_left_as_it_was_brings_nothing() -> None:
    page = "\n".join(
        f'[{n}] link "Chapter {n}" to the reports of that year' for n in range(801, 809)
    )
    script = (
        Script()
        .user("Open the harbour's site and find the report on dredging.")
        .calls("browser_go", page, url="https://harbour.example")
        .calls("browser_click", page, element=801)
        .calls("browser_click", "The dredging of 1998.", element=807)
    )
    found = sources(script, '"element": 807')
    assert 2 in found
    assert 4 not in found


def test_an_id_is_quoted_with_the_name_that_the_user_called_it_by() -> None:
    boats = '[{"boat":"B-118","name":"Terne","beds":4},{"boat":"B-204","name":"Skarv","beds":6}]'
    script = (
        Script()
        .user("Which boats are there?")
        .calls("list_boats", boats, harbour="Bergen")
        .says("Terne and Skarv.")
        .user("Take Skarv.")
        .calls("boat_details", "{}", boat="B-204")
    )
    assert quoted(script, '"boat": "B-204"', 2) == ['"boat":"B-204","name":"Skarv"']


def test_an_id_in_running_text_is_quoted_alone() -> None:
    script = (
        Script()
        .user("Please open a ticket for the broken crane, and make it urgent.")
        .calls("create_ticket", "INC-5520 was created at 08:14 by the night shift", title="crane")
        .calls("raise_ticket", "ok", ticket="INC-5520")
    )
    assert quoted(script, '"ticket": "INC-5520"', 2) == ["INC-5520"]


def test_a_tag_is_quoted_to_its_end() -> None:
    script = (
        Script()
        .user("Who is my manager, and to whom does she report?")
        .calls("staff_record", "<staff><manager>a.dahl</manager></staff>", of="me")
        .calls("staff_chart", "<none/>", user="a.dahl")
    )
    assert quoted(script, '"user": "a.dahl"', 2) == ["<manager>a.dahl</manager>"]


def test_a_value_comes_from_the_user_who_stated_it_last() -> None:
    script = (
        Script()
        .user("Which sheet lists the refunds? I mean the one called Refunds.")
        .says("It is the second one.")
        .user("Then read me Refunds, please.")
        .calls("read_sheet", "3 rows", sheet="Refunds")
    )
    assert sources(script, '"sheet": "Refunds"') == {2}


def test_a_month_in_figures_comes_from_whoever_named_it() -> None:
    script = (
        Script()
        .system("Cost desk. Today is 2031-11-12.")
        .user("What did we spend in october?")
        .calls("costs_of", "1,204.50", month="2031-10")
    )
    assert sources(script, '"month": "2031-10"') == {1}


def test_a_title_with_a_number_comes_as_a_whole_from_one_turn() -> None:
    script = (
        Script()
        .user("I write about boats on the river.")
        .calls("find_notes", "2 notes on boats and river locks", topic="boats")
        .user("Save it as Boats, part 2.")
        .calls("save_note", "saved", title="Boats, part 2")
    )
    assert sources(script, '"title": "Boats, part 2"') == {3}


def test_how_much_is_looked_at_is_the_agents_own_choice() -> None:
    script = (
        Script()
        .user("Why is my bill so high?")
        .calls("find_account", {"account": "AC-5512"}, of="caller")
        .calls("list_bills", [], account="AC-5512", limit=3)
    )
    assert sources(script, 'list_bills({"account": "AC-5512", "limit": 3})') == {2}


def test_a_small_figure_of_another_thing_is_not_passed_for_this_one() -> None:
    script = (
        Script()
        .user("How are my bookings?")
        .calls("get_booking", {"ref": "AB1204", "paid_bags": 1}, ref="AB1204")
        .calls("get_booking", {"ref": "CD3390", "paid_bags": 0}, ref="CD3390")
        .says("Fine, both of them.")
        .user("Add a bag to CD3390.")
        .calls("update_bags", "ok", ref="CD3390", paid_bags=1)
    )
    assert 2 not in sources(script, "update_bags", turn=7)
    assert 6 in sources(script, "update_bags", turn=7)


def test_the_name_of_a_call_is_explained_by_its_arguments() -> None:
    script = (
        Script()
        .user("Cancel the order with the lamp.")
        .calls("list_orders", {"orders": [{"id": "Q-4410", "item": "lamp"}]})
        .says("Order Q-4410, shall I?")
        .user("Yes.")
        .calls("cancel_order", "done", order_id="Q-4410")
    )
    name = explain(script, "cancel_order", turn=5)
    whole = explain(script, 'cancel_order({"order_id": "Q-4410"})', turn=5)
    assert name.links == whole.links
    assert [(u.verdict, u.span.start) for u in name.units] == [(Verdict.ATTRIBUTED, 0)]


def test_a_bare_yes_is_no_source_of_what_the_agent_chose_itself() -> None:
    def log(reply: str) -> Script:
        return (
            Script()
            .user("The pipeline od-20311104 failed.")
            .says("Shall I have a look at the log?")
            .user(reply)
            .calls("get_log", "ERROR no rate", run="od-20311104", level="verbose")
        )

    assert sources(log("Yes please."), "get_log", turn=3) == {0}
    assert sources(log("Show me all that it wrote to the end."), "get_log", turn=3) == {0, 2}


def _renewal(found: dict[str, object]) -> Script:
    return (
        Script()
        .user("Hello, I'm Ida Moe. My pass runs out soon.")
        .calls("find_members", [{"member": "MB-4410"}, {"member": "MB-4418"}], name="Ida Moe")
        .calls("get_pass", found, member="MB-4410")
        .says("Your pass runs out on Friday. Shall I renew it?")
        .user("Yes, please.")
        .calls("renew_pass", {"ok": True}, member="MB-4410", pass_no="PS-90217")
    )


def test_an_id_comes_from_its_result_unless_what_was_looked_up_by_it_gives_it_back() -> None:
    renewed = 'renew_pass({"member": "MB-4410", "pass_no": "PS-90217"})'
    assert {2, 4} <= sources(_renewal({"pass_no": "PS-90217"}), renewed, turn=7)
    given_back = _renewal({"member": "MB-4410", "pass_no": "PS-90217"})
    assert sources(given_back, renewed, turn=7) & {2, 4} == {4}


def test_a_question_asks_for_the_look_up_that_follows_it() -> None:
    def asked(words: str) -> set[int]:
        script = (
            Script()
            .user("I'm calling about the boat KV-20817.")
            .says("What can I do for you?")
            .user(words)
            .calls("get_boat", {"berth": 12}, boat="KV-20817")
        )
        return sources(script, "KV-20817", turn=3)

    assert asked("Where does she lie now, and until when may she stay?") == {0, 2}
    assert asked("She has lain here since spring, by the way.") == {0}


def test_who_says_the_last_figures_of_an_id_has_not_stated_it() -> None:
    script = (
        Script()
        .user("Kari Lund, and the card ends in 7305.")
        .calls("find_customer", {"name": "Kari Lund", "card": "CARD-91-7305"}, name="Kari Lund")
        .calls("get_card", {"status": "active"}, card="CARD-91-7305")
    )
    assert sources(script, "CARD-91-7305", turn=3) == {2}


def test_an_id_that_shares_only_its_year_with_another_is_not_that_one() -> None:
    script = (
        Script()
        .user("Check the new letters against what we ordered.")
        .calls("read_letter", "Invoice 7741, ref. PO-2031-081", id="L1")
        .calls("read_letter", "Invoice 0932, ref. PO-2031-074", id="L2")
        .calls("get_order", {"total": 1845}, order="PO-2031-081")
    )
    assert sources(script, "PO-2031-081", turn=5) == {2}


def test_the_only_account_found_is_a_source_beside_what_it_was_opened_for() -> None:
    script = (
        Script()
        .user("This is kari@lund.example. I need the heart tablets again.")
        .calls("find_patient", {"patient_id": "LP-11846"}, email="kari@lund.example")
        .calls(
            "list_prescriptions",
            {
                "patient_id": "LP-11846",
                "items": [
                    {"rx": "RX-40390", "for": "heart"},
                    {"rx": "RX-40021", "for": "sleep"},
                ],
            },
            patient_id="LP-11846",
        )
        .says("Shall I ask your doctor to renew them?")
        .user("Yes.")
        .calls("request_renewal", "ok", patient_id="LP-11846", rx="RX-40390")
    )
    assert {2, 4} <= sources(script, "request_renewal", turn=7)
