"""Figures worked out over months, columns and spans of time, and what is counted from today."""

from __future__ import annotations

from tests.attribution.conversations import Script, explain, quoted, sources, unit
from tokengeist.attribution.protocol import Verdict


def heating() -> Script:
    """0 the rules, 1 user, 2–3 rates, 4–5 forecast, 6 the answer."""
    months = "\n".join(f"2031-{month:02},{200 + month}" for month in range(1, 13))
    return (
        Script()
        .system("Today is Friday, 3 January 2031. Answers come within 5 working days.")
        .user("What will the boiler cost me?")
        .calls(
            "get_plan",
            "plan: Basic\nfee: EUR 18.00 per month\nsigned: 2029-02-11\nvalid_months: 30",
        )
        .calls("forecast", f"month,kwh\n{months}")
        .says(
            "You will use 2,478 kWh. The fee is EUR 216 a year, and EUR 1,455.12 in all, or EUR "
            "121.26 a month. The plan ends on 11 August 2031; you hear from us by 10 January. "
            "The man comes next Tuesday. Some 3.1 MWh: 12 months at 258 kWh and EUR 18.00 each."
        )
    )


def test_a_whole_column_is_added_up() -> None:
    found = unit(heating(), "You will use 2,478 kWh", "2,478")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "201 + 202 + … + 212")


def test_a_year_is_twelve_months_and_a_month_a_twelfth() -> None:
    assert unit(heating(), "The fee is EUR 216 a year", "216").note == "12 × 18.00"
    script = (
        Script()
        .user("How much is the rent?")
        .calls("get_rent", {"rent_per_year": 9600})
        .says("It is 800 a month.")
    )
    assert unit(script, "It is 800 a month", "800").note == "9600 ÷ 12"


def test_a_date_lies_some_months_from_one_that_was_named() -> None:
    found = unit(heating(), "ends on 11 August 2031", "11 August 2031")
    assert (found.note, [turn for turn, _ in found.sources]) == ("+30 months", [3, 3])


def test_working_days_are_counted_from_today() -> None:
    found = unit(heating(), "by 10 January", "10 January")
    assert (found.note, [turn for turn, _ in found.sources]) == ("+5 working days", [0, 0])


def test_what_is_counted_from_today_rests_on_the_turn_that_says_what_day_it_is() -> None:
    counted, named = (
        next(link.score for link in explain(heating(), text).links if link.turn == 0)
        for text in ("next Tuesday", "Tuesday")
    )
    assert counted > 0.8
    assert named < 0.3


def test_a_figure_that_nothing_accounts_for_rests_on_those_beside_it() -> None:
    assert 3 in sources(heating(), "Some 3.1 MWh")


def test_what_is_quoted_is_the_day_it_is_and_the_figures_beside() -> None:
    assert quoted(heating(), "The man comes next Tuesday", 0) == ["Today is Friday, 3 January 2031"]
    assert quoted(heating(), "Some 3.1 MWh", 3) == ["fee: EUR 18.00 per month"]


def test_a_new_figure_goes_on_from_figures_that_were_worked_out_before() -> None:
    script = Script().user("What would the roof be?").says("I'd put the roof at EUR 1,730.")
    script.user("And the gutters?").says("Those I'd put at EUR 415, as they are short.")
    script.user("All right.").says("Roof EUR 1,730 and gutters EUR 415: about EUR 2,200 with tax.")
    found = {link.turn: link.score for link in explain(script, "about EUR 2,200 with tax").links}
    told = {link.turn: link.score for link in explain(script, "with tax").links}
    assert all(found[turn] > 5 * told.get(turn, 0.0) for turn in (1, 3))


def test_a_term_that_was_worked_out_before_comes_from_the_turn_that_did_so() -> None:
    script = (
        Script()
        .user("What would 8 days of the trailer cost?")
        .calls("get_trailer", {"trailer": "TR-4410", "per_day": 19.5}, trailer="TR-4410")
        .says("8 days at $19.50 are $156.00.")
        .user("And with the $31.20 net?")
        .says("$156.00 and $31.20 for the net make $187.20.")
    )
    found = unit(script, "make $187.20", "187.20")
    assert {turn for turn, _ in found.sources} == {3, 4}
