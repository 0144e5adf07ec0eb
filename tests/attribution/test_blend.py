"""The blend backend on conversations whose provenance is plain to see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from tests.attribution.conversations import (
    LOAN,
    Script,
    explain,
    library,
    quoted,
    sources,
    tracing,
    unit,
)
from tests.growth import growth
from tests.strategies import traceable_transcripts
from tokengeist.api import settings_for, trace
from tokengeist.attribution.blend.attributor import BlendAttributor
from tokengeist.attribution.blend.model import shipped_weights
from tokengeist.attribution.protocol import Verdict
from tokengeist.attribution.registry import BackendOptions
from tokengeist.segmentation import segment
from tokengeist.transcript import Target, Transcript, locate_target


def test_a_value_comes_from_the_result_that_brought_it() -> None:
    assert sources(library(), "due on March 9") - {1} == {5}  # it was asked for in turn 1


def test_a_date_is_found_in_another_form_and_quoted_with_its_key() -> None:
    assert quoted(library(), "due on March 9", 5) == ['"due": "2031-03-09"']


def test_an_argument_comes_from_the_user_who_stated_it() -> None:
    assert sources(library(), "M-20931", turn=2) == {1}


def test_an_id_comes_from_where_it_was_listed_not_from_its_echo() -> None:
    assert sources(library(), "LN-4471", turn=4) == {3}


def test_a_change_also_rests_on_the_users_yes() -> None:
    assert sources(library(), "LN-4471", turn=8) == {3, 7}


def test_a_report_rests_on_the_result_of_the_change() -> None:
    assert 9 in sources(library(), "now due on March 30")
    assert 5 not in sources(library(), "now due on March 30")


def test_a_look_up_among_several_rests_on_the_user_who_chose() -> None:
    script = (
        Script()
        .user("I am M-20931")
        .calls("get_member", {"loans": ["LN-4471", "LN-4472", "LN-5080"]}, member="M-20931")
        .says("You have the loans LN-4471, LN-4472 and LN-5080. Which loan do you mean?")
        .user("The second loan, please.")
        .calls("get_loan", LOAN, loan="LN-4472")
    )
    assert sources(script, "LN-4472", turn=5) == {2, 4}


def test_a_look_up_of_the_only_value_needs_nobody_to_choose() -> None:
    script = (
        Script()
        .user("Ada Lind, 20931 Oslo. I would like to know about my book.")
        .calls("find_member", "ada_lind_77", name="Ada Lind", zip="20931")
        .calls("get_member", {"loans": []}, member="ada_lind_77")
    )
    assert sources(script, "ada_lind_77", turn=3) == {2}


def test_a_sum_is_derived_from_its_terms() -> None:
    script = (
        Script()
        .user("Are there fees on account AC-778?")
        .calls(
            "get_fees",
            {"fees": [{"id": "F-1", "amount": 12.5}, {"id": "F-2", "amount": 30.25}]},
            account="AC-778",
        )
        .says("In total you owe $42.75.")
    )
    found = unit(script, "owe $42.75", "42.75")
    assert found.verdict is Verdict.DERIVED
    assert found.note == "12.5 + 30.25"
    assert {turn for turn, _ in found.sources} == {2}
    assert sources(script, "owe $42.75") == {2}


def test_a_date_a_day_later_is_derived_from_the_date_and_the_request() -> None:
    script = (
        Script()
        .user("My booking is BK-1180.")
        .calls("get_booking", {"booking": "BK-1180", "arrival": "2031-06-03"}, booking="BK-1180")
        .says("You arrive on June 3.")
        .user("Please look for a room on the next day instead.")
        .calls("search_rooms", [], date="2031-06-04")
    )
    found = unit(script, "2031-06-04", "2031-06-04")
    assert found.verdict is Verdict.DERIVED
    assert {turn for turn, _ in found.sources} == {2, 4}


@pytest.mark.parametrize(
    ("wish", "clock"), [("an hour later", "14:20"), ("half an hour later", "13:50")]
)
def test_a_time_an_hour_later_is_derived_from_the_time_and_the_request(
    wish: str, clock: str
) -> None:
    script = (
        Script()
        .user("When does ferry FR-31 leave?")
        .calls("get_ferry", {"ferry": "FR-31", "leaves": "13:20"}, ferry="FR-31")
        .says("It leaves at 13:20.")
        .user(f"Please wake me {wish}.")
        .calls("set_alarm", {"ok": True}, time=clock)
    )
    found = unit(script, clock, clock)
    assert found.verdict is Verdict.DERIVED
    assert {turn for turn, _ in found.sources} == {2, 4}


def test_a_rule_rests_on_the_system_turn_that_states_it() -> None:
    script = library().user("Can I renew it again?").says("A loan can only be renewed once.")
    text = "A loan can only be renewed once"
    links = {link.turn: link.score for link in explain(script, text).links}
    assert links.pop(0) > 0.9 > 0.5 > max(links.values())
    assert quoted(script, text, 0) == ["A loan can be renewed only once"]


def test_an_empty_result_speaks_for_a_negative_answer() -> None:
    script = (
        Script()
        .user("Are there rooms on 4 June?")
        .calls("search_rooms", "[]", date="2031-06-04")
        .says("Unfortunately there are no rooms available on June 4.")
    )
    assert 2 in sources(script, "no rooms available")


def test_a_thought_is_no_source_of_the_turns_after_it_by_its_empty_result() -> None:
    script = library()
    script.calls("think", "", thought="Now I should say goodbye.").says("Goodbye, Ada!")
    assert 12 not in {link.turn for link in explain(script, "Goodbye").links}


def test_an_invented_number_is_unsupported() -> None:
    script = library().user("Is there a fine?").says("There is a fine of $7,431 on your account.")
    found = unit(script, "a fine of $7,431", "7,431")
    assert found.verdict is Verdict.UNSUPPORTED
    assert found.note == "unsupported invention"
    assert found.sources == ()


def test_another_value_under_the_same_name_is_a_wrong_value() -> None:
    loan = LOAN | {"branch_fee": 6150}
    script = (
        Script()
        .user("What is the fee for loan LN-4471?")
        .calls("get_loan", loan, loan="LN-4471")
        .says("The branch fee is 8823.")
    )
    found = unit(script, "The branch fee is 8823", "8823")
    assert (found.verdict, found.note) == (Verdict.UNSUPPORTED, "wrong-value transformation")
    assert [span.of(script.turns[turn].text) for turn, span in found.sources] == [
        '"branch_fee": 6150'
    ]


def test_an_outdated_value_is_stale() -> None:
    script = library().user("When is it due?").says("It is due on March 9.")
    found = unit(script, "It is due on March 9", "March 9")
    assert found.verdict is Verdict.VERBATIM
    assert found.note == "stale context: turn 9 gives another value"


def test_a_value_that_the_user_took_back_is_stale() -> None:
    script = (
        Script()
        .user("Please move booking BK-1180 to June 3.")
        .says("Shall I move it to June 3?")
        .user("Sorry, make that June 5.")
        .calls("move_booking", {"ok": True}, booking="BK-1180", date="2031-06-03")
    )
    found = unit(script, '"2031-06-03"', "2031-06-03")
    assert found.note == "stale context: turn 2 gives another value"


def test_another_figure_than_the_rules_give_is_a_wrong_value() -> None:
    script = library().user("How many?").says("Members can borrow at most 27 books.")
    found = unit(script, "can borrow at most 27 books", "27")
    assert (found.verdict, found.note) == (Verdict.UNSUPPORTED, "wrong-value transformation")
    assert [turn for turn, _ in found.sources] == [0]


def test_a_total_that_is_not_right_is_a_wrong_value() -> None:
    script = (
        Script()
        .user("Are there fees on account AC-778?")
        .calls("get_fees", {"fees": [{"amount": 12.5}, {"amount": 30.25}]}, account="AC-778")
        .says("In total that is $49.90.")
    )
    found = unit(script, "In total that is $49.90", "49.90")
    assert found.verdict is Verdict.UNSUPPORTED
    assert found.note == "wrong-value transformation: the amounts make 42.75"


def test_so_many_of_something_is_derived_from_price_and_question() -> None:
    script = (
        Script()
        .user("What would 7 hours cost at rate LR62?")
        .calls("get_rate", {"rate": "LR62", "per_hour": 61.5}, rate="LR62")
        .says("You would pay $430.50.")
    )
    found = unit(script, "pay $430.50", "430.50")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "61.5 × 7")
    assert {turn for turn, _ in found.sources} == {0, 2}
    assert sources(script, "pay $430.50") == {0, 2}


def test_a_question_is_a_fainter_source_of_its_answer_than_what_gives_it() -> None:
    script = (
        Script()
        .user("My account is AC-778.")
        .calls("get_account", {"account": "AC-778", "voucher": 58.5}, account="AC-778")
        .says("How can I help?")
        .user("What is the voucher amount?")
        .says("The voucher amount is $58.50.")
    )
    account = explain(script, "The voucher amount is $58.50")
    links = {link.turn: link.score for link in account.links}
    assert links[2] > 0.95
    assert 0.9 > links[4] >= shipped_weights().cut
    assert links.get(0, 0.0) < 0.1


def test_two_results_of_one_question_are_compared() -> None:
    script = (
        Script()
        .user("What is the difference in gears between B-101 and B-202?")
        .calls("get_bike", {"bike": "B-101", "gears": 15, "tyres": 9}, bike="B-101")
        .calls("get_bike", {"bike": "B-202", "gears": 18, "tyres": 3}, bike="B-202")
        .says("There is a difference of three.")
    )
    assert {2, 4} <= sources(script, "a difference of three")


def test_a_statement_without_values_is_attributed() -> None:
    (found,) = explain(library(), "Your loan has been renewed").units
    assert found.verdict is Verdict.ATTRIBUTED
    assert [turn for turn, _ in found.sources] == [9]


def test_a_decision_retold_rests_on_the_turn_that_decided() -> None:
    script = (
        Script()
        .user("Can I have my deposit for the boat BT-204 back?")
        .calls("get_hire", {"boat": "BT-204", "damage": "none", "late": "no"}, boat="BT-204")
        .says("There was no damage and you were not late, so you deserve a complete payback.")
        .says("Done. Your complete payback is on its way.")
    )
    assert sources(script, "complete payback", turn=4) == {3}


def test_an_argument_may_come_from_the_system_turn() -> None:
    script = (
        Script()
        .system("Today is 2031-05-01. A lift costs 42.50 EUR. Bookings go to desk DK-17.")
        .user("Please reserve the lift for today.")
        .calls("reserve_lift", {"ok": True}, day="2031-05-01", fee=42.5, desk="DK-17")
    )
    for argument in ("2031-05-01", "42.5", "DK-17"):
        assert 0 in sources(script, argument, turn=2)


def test_a_value_kept_rests_on_the_user_who_asked_to_keep_it() -> None:
    script = (
        Script()
        .user("Could you move my hire BT-204 to the lake without changing the dates?")
        .calls("get_hire", {"boat": "BT-204", "date": "2031-06-07"}, boat="BT-204")
        .says("Which lake?")
        .user("The upper one.")
        .calls("search_boats", {"boats": []}, lake="upper", date="2031-06-07")
    )
    assert sources(script, '"date": "2031-06-07"', turn=5) >= {0, 2}


def test_an_attribute_rests_on_the_result_that_gives_it() -> None:
    script = (
        Script()
        .user("I am SK-20931. I would like a discount.")
        .calls("get_skipper", {"name": "Ada Lind", "licence": "coastal"}, skipper="SK-20931")
        .says("Which boat is it for?")
        .user("For the boat BT-204.")
        .calls("get_boat", {"boat": "BT-204", "berths": 4}, boat="BT-204")
        .says("As your licence is coastal, there is none.")
    )
    assert 2 in sources(script, "As your licence is coastal, there is none")


def test_a_whole_trace_ends_at_the_users_words() -> None:
    transcript = library().transcript()
    found = trace(transcript, "now due on March 30", options=BackendOptions(model="none"))
    graph = settings_for("blend").view.of(found)
    pairs = {(edge.dependent, edge.source) for edge in graph.edges}
    assert {(9, 8), (8, 7), (8, 3), (3, 2), (2, 1)} <= pairs
    assert {leaf.turn for leaf in graph.leaves} <= {0, 1, 7}


def test_the_spec_names_the_weights() -> None:
    spec = BlendAttributor().spec
    assert spec.name == "blend"
    assert spec.options["weights"] == shipped_weights().name
    assert "mtca-dev" in shipped_weights().name


@pytest.mark.parametrize("text", ["due on March 9", "now due on March 30"])
def test_scores_by_source_agree_with_the_explanation(text: str) -> None:
    transcript = library().transcript()
    everything = segment(transcript)
    reading = BlendAttributor().read(transcript, everything)
    target = locate_target(transcript, text)
    scores = reading.score(target)
    earlier = [source for source in everything if source.turn < target.turn]
    best: dict[int, float] = {}
    for source, score in zip(earlier, scores, strict=True):
        best[source.turn] = max(best.get(source.turn, 0.0), score)
    for link in reading.explain(target).links:
        assert best[link.turn] == link.score


@given(traceable_transcripts())
def test_any_transcript_is_explained_within_its_own_text(transcript: Transcript) -> None:
    reading = BlendAttributor().read(transcript, ())
    target = Target.whole(transcript.turns[-1])
    explanation = reading.explain(target)
    for link in explanation.links:
        assert link.turn < target.turn
        assert 0 <= link.score <= 1
        assert link.evidence
        for span in link.evidence:
            assert span.end <= len(transcript.turns[link.turn].text)
            assert span.of(transcript.turns[link.turn].text).strip()
    for found in explanation.units:
        assert found.span.end <= len(transcript.turns[-1].text)
        for turn, span in found.sources:
            assert turn < target.turn
            assert span.end <= len(transcript.turns[turn].text)
    assert reading.explain(target) == explanation


def _many_loans(count: int) -> Transcript:
    script = Script().system("Members can borrow at most six books. " * 40)
    for number in range(count):
        loan = LOAN | {"loan_id": f"LN-{number}", "notes": ["kept dry", "worn spine"] * 20}
        script.user(f"When is loan LN-{number} due?").calls("get_loan", loan, loan=f"LN-{number}")
        script.says("Tide Tables is due on March 9.")
    return script.transcript()


def test_work_grows_with_the_transcript_and_not_with_its_square() -> None:
    small, large = (tracing("blend", _many_loans(n), "due on March 9") for n in (10, 40))
    assert growth(small, large) < 10


def _many_amounts(count: int) -> Transcript:
    berths = [{"id": f"R-{n}", "name": f"Quay {n}", "price": 10 + 1.37 * n} for n in range(count)]
    said = ", ".join(f"${100 + 7.31 * n:.2f}" for n in range(10))
    script = Script().user("What do they cost?").calls("list_berths", {"berths": berths})
    return script.says(f"They cost {said}.").transcript()


def test_so_it_does_with_one_long_list() -> None:
    said = "They cost $100.00, $107.31, $114.62"
    small, large = (tracing("blend", _many_amounts(n), said) for n in (200, 1000))
    assert growth(small, large) < 15


@pytest.mark.parametrize(
    "run", ["0a", "a.", "a-", "1-", "a/", "\n", "|", "a|b\n", "--|", "a?", "1. ", "{", "\\n"]
)
def test_so_it_does_with_megabytes_on_one_line(run: str) -> None:
    """No pattern looks at a run from each of its characters."""

    def explaining(length: int) -> Callable[[], object]:
        text = run * (length // len(run))
        script = Script().user("What is it?").calls("get_it", text).says(f"It is 12. {text}")
        return lambda: explain(script, "It is 12")

    assert growth(explaining(4000), explaining(20_000)) < 12


def test_a_number_of_hundreds_of_digits_is_an_id() -> None:
    digits = "9" * 400
    script = Script().user("What is it?").calls("get_it", digits).says(f"It is {digits}.")
    assert unit(script, digits, digits).verdict is Verdict.VERBATIM
