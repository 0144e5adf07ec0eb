"""Who chose what is passed to a call: by a name, by its place, in an answer, or not at all."""

from __future__ import annotations

from tests.attribution.conversations import Script, explain, sources


def likelihood(script: Script, text: str, source: int, *, turn: int | None = None) -> float:
    links = explain(script, text, turn=turn).links
    return next((link.score for link in links if link.turn == source), 0.0)


KINDS = {"Desk Lamp": "6817146515", "Bicycle": "9783735446", "Wall Clock": "2344688344"}


def test_a_user_chooses_an_id_by_the_name_that_it_stands_under() -> None:
    script = (
        Script()
        .user("Which bicycles have you got?")
        .says("May I have your name first?")
        .user("Ada Brunvoll.")
        .calls("find_customer", "ada_brunvoll_7718", name="Ada Brunvoll")
        .calls("list_kinds", KINDS)
        .calls("get_kind", {"variants": []}, kind_id="9783735446")
    )
    found = sources(script, '"kind_id": "9783735446"')
    assert {0, 6} <= found
    assert 2 not in found


def test_names_of_values_of_other_shapes_choose_nothing() -> None:
    record = {"loan": "LN-4471", "branch": "bx_902_tarn"}
    script = (
        Script()
        .user("Something is wrong with my loan.")
        .says("Your card, please?")
        .user("77120043")
        .calls("get_card", record, card="77120043")
        .calls("get_terms", "28 days", loan_id="LN-4471")
    )
    assert 0 not in sources(script, '"loan_id": "LN-4471"')


def _of_two_loans(request: str) -> Script:
    return (
        Script()
        .user(f"My card is 77120043. {request}")
        .calls("get_card", {"loans": ["LN-4471", "LN-4502"]}, card="77120043")
        .calls("get_loan", {"title": "Der Schimmelreiter"}, loan_id="LN-4502")
    )


def test_a_user_chooses_by_its_place_among_what_is_listed() -> None:
    assert 0 in sources(_of_two_loans("It's about my last loan."), '"loan_id": "LN-4502"')
    assert 0 not in sources(_of_two_loans("It's about a loan."), '"loan_id": "LN-4502"')


def _asked_which(reply: str) -> Script:
    return (
        Script()
        .user("My card is 77120043.")
        .calls("get_card", {"loans": ["LN-4471", "LN-4502"]}, card="77120043")
        .says("Which loan is it about?")
        .user(reply)
        .calls("get_loan", {"title": "Der Schimmelreiter"}, loan_id="LN-4471")
    )


def test_who_cannot_say_which_one_has_chosen_none() -> None:
    assert 4 in sources(_asked_which("All of them, please."), '"loan_id": "LN-4471"')
    assert 4 not in sources(_asked_which("I don't have the loan number."), '"loan_id": "LN-4471"')


def test_what_was_said_in_the_same_talk_is_a_part_of_what_was_agreed_on() -> None:
    def answer(*, looked_up: bool) -> float:
        script = Script().user("My card is 77120043.")
        script.calls("get_card", {"loans": ["LN-4471"], "branch": "Tarn"}, card="77120043")
        script.says("Shall I extend LN-4471?").user("Yes, but not over the holidays.")
        if looked_up:
            script.calls("opening_days", "Monday to Friday", branch="Tarn")
        script.says("Then by two weeks?").user("Yes.")
        script.calls("extend_loan", "done", loan_id="LN-4471")
        return likelihood(script, '"loan_id": "LN-4471"', 4)

    assert answer(looked_up=False) > answer(looked_up=True)


MEANS = {"card_8190": {"kind": "card", "last_four": "2478"}, "voucher_3316": {"kind": "voucher"}}
ORDER = {"order": "K-7713", "items": ["IT-903", "IT-911"], "paid_with": "voucher_3316"}


def _paid_by(wish: str) -> Script:
    return (
        Script()
        .user("I'm T-5521.")
        .calls("get_customer", {"means": MEANS, "orders": ["K-7713"]}, customer="T-5521")
        .calls("get_order", ORDER, order="K-7713")
        .says("How shall I refund it?")
        .user(wish)
        .calls("refund_order", "done", item="IT-903", means_id="voucher_3316")
    )


def test_an_id_that_a_user_calls_by_its_words_comes_from_where_it_is_listed() -> None:
    called = sources(_paid_by("To the voucher, please."), "voucher_3316", turn=7)
    assert 2 in called
    assert 4 not in called
    kept = sources(_paid_by("The same voucher as before."), "voucher_3316", turn=7)
    assert 4 in kept
    assert 2 not in kept


def test_an_address_does_not_give_the_account_that_it_begins_with() -> None:
    script = (
        Script()
        .user("It's mei_brandt_7272@example.com.")
        .calls("find_account", "mei_brandt_7272", mail="mei_brandt_7272@example.com")
        .calls("get_account", {"orders": []}, account_id="mei_brandt_7272")
    )
    assert sources(script, '"account_id": "mei_brandt_7272"') == {2}


def test_the_number_of_a_point_gives_no_figure() -> None:
    script = (
        Script()
        .user("I'd like a table by the water.")
        .says("Tell me:\n1. the day\n2. the time\n3. your name")
        .user("Sunday at noon, Lindqvist, with the children.")
        .calls("book_table", "done", seats=3)
    )
    assert 1 not in sources(script, '"seats": 3')


def test_a_proposal_that_was_agreed_to_is_likelier_a_source() -> None:
    def proposal(reply: str) -> float:
        script = (
            Script()
            .user("Move me somewhere quiet.")
            .calls("find_rooms", {"rooms": [{"room": "R-118"}, {"room": "R-204"}]})
            .says("R-118 lies at the back. Shall I move you there?")
            .user(reply)
            .calls("move_guest", "done", room="R-118")
        )
        return likelihood(script, '"room": "R-118"', 3)

    assert proposal("Yes.") > proposal("Hm.")


def test_a_sum_that_a_thought_wrote_out_does_not_rest_on_the_user() -> None:
    def asker(note: str) -> float:
        script = (
            Script()
            .user("Which berths are free?")
            .calls("berths", {"berths": [{"id": "B-4", "fee": 62.5}, {"id": "B-9", "fee": 71.25}]})
            .user("And for both of them?")
            .calls("think", "", thought=note)
            .calls("calculate", "133.75", expression="62.5 + 71.25")
        )
        return likelihood(script, "62.5 + 71.25", 3)

    assert asker("62.5 and 71.25 are to be added.") < asker("They are to be added.")


def test_a_turn_that_named_the_thing_is_not_used_up_by_another_call() -> None:
    def asker(card: str) -> float:
        script = (
            Script()
            .user(f"I'm Ada Brunvoll{card}, and I'd like a bicycle.")
            .calls("find_customer", "ada_brunvoll_7718", card="77120043")
            .calls("list_kinds", KINDS)
            .calls("get_kind", {"variants": []}, kind_id="9783735446")
        )
        return likelihood(script, '"kind_id": "9783735446"', 0)

    assert asker(", 77120043") == asker("")
