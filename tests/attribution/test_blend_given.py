"""What the rules give for use, times of day, parts of dates, and sums over several speakers."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, explain, sources, unit
from tokengeist.attribution.blend.cues import is_thinking
from tokengeist.attribution.protocol import Verdict

TODAY = "Today is Tuesday, 4 March 2031. You serve customer KD-5582."


def clinic() -> Script:
    return (
        Script()
        .system(TODAY)
        .user("Which visits do I have? I need an hour before each.")
        .calls(
            "list_visits",
            {"visits": [{"when": "2031-03-19T08:40", "with": "Dr Lund"}]},
            customer="KD-5582",
            since="2031-03-04",
        )
        .says("One in March, on the 19th at 8:40. Be here at 7:40.")
    )


def test_a_call_rests_on_the_system_turn_that_gave_its_arguments() -> None:
    assert 0 in sources(clinic(), "2031-03-04", turn=2)
    assert 0 in sources(clinic(), "KD-5582", turn=2)


def test_an_argument_that_the_assistant_offered_comes_from_the_offer() -> None:
    script = (
        Script()
        .system("Promo LOYAL15 is for customers of three years.")
        .user("That is too much.")
        .says("I can add LOYAL15 for you. Shall I?")
        .user("Yes, please.")
        .calls("change_plan", "ok", promo="LOYAL15")
    )
    assert 2 in sources(script, "LOYAL15", turn=4)


def test_a_day_a_month_or_a_year_is_found_in_a_date() -> None:
    assert 3 in sources(clinic(), "on the 19th")
    assert 3 in sources(clinic(), "One in March")
    script = (
        Script()
        .user("What year is it in Oslo?")
        .calls("get_current_time", {"datetime": "2031-09-16T08:43:13+02:00"}, zone="Oslo")
        .calls("write_file", "null", text="2031")
    )
    assert 2 in sources(script, "2031", turn=3)
    assert explain(script, "2031", turn=3).units[0].verdict is not Verdict.UNSUPPORTED


def test_a_date_does_not_rest_on_every_date_of_its_year() -> None:
    script = (
        Script()
        .user("When was it made?")
        .calls("get_history", {"made": "2031-02-11", "sold": "2031-05-30"}, id="QX-1")
        .calls("get_owner", {"since": "2031-06-01"}, id="QX-1")
        .says("It was made on 11 February 2031.")
    )
    assert sources(script, "made on 11 February 2031") == {2}


def test_a_time_follows_from_one_that_was_named_and_a_length() -> None:
    found = unit(clinic(), "Be here at 7:40", "7:40")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "08:40 - 1:00")
    assert {1, 3} <= sources(clinic(), "Be here at 7:40")


def test_a_sum_may_need_what_the_assistant_worked_out_before() -> None:
    script = (
        Script()
        .user("I have 1,900.50 for the flat and 240 for the ferry.")
        .says("That makes 2,140.50 in all.")
        .user("Pay 2,000 of it now.")
        .says("Then 140.50 remain.")
    )
    assert {1, 2} <= {link.turn for link in explain(script, "140.50", turn=3).links}


def test_a_share_of_a_rule_is_worked_out() -> None:
    script = (
        Script()
        .system("8 hours of overtime make one day off.")
        .user("How much is my overtime worth?")
        .calls("get_balance", {"overtime_hours": 20}, employee="5582")
        .says("Your overtime is worth 2.5 days.")
    )
    assert {0, 3} <= sources(script, "worth 2.5 days")


@pytest.mark.parametrize(
    ("tool", "thinks"), [("think", True), ("plan", True), ("plan_catalogue", False), ("", False)]
)
def test_a_tool_to_think_with_is_named_by_nothing_else(tool: str, thinks: bool) -> None:
    assert is_thinking(tool) is thinks


def test_a_detail_of_a_proposal_comes_from_who_wished_it_so() -> None:
    script = (
        Script()
        .user("I want to change to the cheapest economy seat on ferry F-2210.")
        .calls("search", {"seats": [{"cabin": "economy", "price": 207}]}, ferry="F-2210")
        .says("That is 207.")
        .user("Fine.")
        .calls("calculate", "-2580.0", expression="207 - 2787")
        .says("- **Cabin:** Economy\n- **Refund:** 2580\n\nShall I proceed?")
    )
    assert 0 in sources(script, "**Cabin:** Economy")


def test_a_figure_worked_out_in_an_answer_rests_on_the_question() -> None:
    script = (
        Script()
        .user("We are a school.")
        .calls("get_prices", {"pupil": 3.5, "adult": 7.25})
        .says("How many are you?")
        .user("The whole of year four, and their teachers as well, they pay for themselves.")
        .says("Then it would be about £171.30 for all.")
    )
    assert 4 in sources(script, "about £171.30 for all")
