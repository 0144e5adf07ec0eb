"""Units, percentages, rates and days: what is the same value, what follows, and what is wrong."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, quoted, sources, unit
from tokengeist.attribution.blend.quantities import rate_of, unit_of
from tokengeist.attribution.protocol import Verdict

WELL = {"well": "W-31", "pipe": "40 cm", "level": "15%", "surveyed": "2031-04-02", "paid": 80}


def wells() -> Script:
    """0 the rules, 1 user, 2–3 look-up, 4 the price."""
    return (
        Script()
        .system(
            "Drilling costs 50 EUR per hour. Members pay 20% less. A late change costs a fee of "
            "15 EUR. Every survey is repeated after 30 days."
        )
        .user("What do four hours at W-31 cost me as a member?")
        .calls("get_well", WELL, well="W-31")
        .says(
            "Four hours cost 200 EUR, and 160 EUR for members. You paid 80 EUR, so 80 EUR remain. "
            "With the fee of 15 EUR you owe 95 EUR. The pipe costs 40 EUR more. "
            "The next survey is on 2 May, 30 days later."
        )
    )


@pytest.mark.parametrize(
    ("text", "unit"),
    [("12%", "%"), ("12 per cent", "%"), ("12 CHF", "money"), ("12-hour", "hour"), ("12 of", "")],
)
def test_the_unit_stands_after_the_number(text: str, unit: str) -> None:
    assert unit_of(text, 0, 2) == unit


def test_a_currency_may_stand_before_the_number() -> None:
    assert unit_of("for $12", 5, 7) == "money"
    assert unit_of("for CHF 12", 8, 10) == "money"
    assert unit_of("for BUS 12", 8, 10) == ""


def test_a_rate_says_what_it_is_per() -> None:
    assert rate_of("64 CHF per hour", 2) == "hour"
    assert rate_of("$50 each bag", 3) == "bag"
    assert rate_of("64 CHF in all", 2) is None


def test_a_fee_is_not_found_in_a_percentage() -> None:
    found = unit(wells(), "With the fee of 15 EUR", "15")
    assert (found.verdict, [turn for turn, _ in found.sources]) == (Verdict.VERBATIM, [0])


def test_a_price_is_not_a_length() -> None:
    assert unit(wells(), "The pipe costs 40 EUR more", "40").verdict is not Verdict.VERBATIM


def test_an_argument_without_a_unit_is_not_a_length_where_an_amount_is_known() -> None:
    script = (
        Script()
        .user("Look at W-31.")
        .calls("get_well", WELL, well="W-31")
        .says("That is 40 EUR. Shall I charge it?")
        .user("Yes.")
        .calls("charge", "ok", amount=40)
    )
    assert 2 not in sources(script, '"amount": 40')


def test_a_rate_of_the_rules_is_multiplied() -> None:
    found = unit(wells(), "Four hours cost 200 EUR", "200")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "50 × four")
    assert [turn for turn, _ in found.sources] == [0, 1]


def test_a_percentage_of_the_rules_is_taken_off_a_figure_just_worked_out() -> None:
    found = unit(wells(), "160 EUR for members", "160")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "200 - 20 %")


def test_figures_of_one_unit_just_worked_out_are_added() -> None:
    found = unit(wells(), "you owe 95 EUR", "95")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "80 + 15")


def test_a_date_follows_from_one_that_was_named_and_a_number_of_days() -> None:
    found = unit(wells(), "The next survey is on 2 May", "2 May")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "+30 days")
    assert [turn for turn, _ in found.sources] == [3, 0]


def test_days_are_counted_between_two_dates() -> None:
    script = (
        Script()
        .user("How long is the stay ST-4?")
        .calls("get_stay", {"from": "2031-02-20", "until": "2031-03-06"}, stay="ST-4")
        .says("It is 14 days.")
    )
    found = unit(script, "It is 14 days", "14")
    assert (found.verdict, found.note) == (Verdict.DERIVED, "20 Feb to 06 Mar")


def test_days_are_counted_from_today_as_the_rules_give_it_and_over_new_year() -> None:
    script = (
        Script()
        .system("Today is 26 December.")
        .user("When does the stay ST-4 begin?")
        .calls("get_stay", {"from": "2032-01-07"}, stay="ST-4")
        .says("It begins in 12 days.")
    )
    assert unit(script, "It begins in 12 days", "12").note == "26 Dec to 07 Jan"


def test_large_bare_numbers_take_part_in_sums() -> None:
    script = (
        Script()
        .user("How do the crates C-1 and C-2 differ?")
        .calls("get_crate", {"grams": 23295}, crate="C-1")
        .calls("get_crate", {"grams": 20873}, crate="C-2")
        .says("The difference is 2422.")
    )
    assert unit(script, "The difference is 2422", "2422").note == "23295 - 20873"


def test_a_shifted_date_is_a_wrong_value() -> None:
    script = (
        Script()
        .user("When is the survey of W-31?")
        .calls("get_well", {"survey_date": "2031-04-02"}, well="W-31")
        .says("The survey date is 3 April.")
    )
    found = unit(script, "The survey date is 3 April", "3 April")
    assert (found.verdict, found.note) == (Verdict.UNSUPPORTED, "wrong-value transformation")


def test_a_field_whose_value_is_said_as_well_accuses_nobody() -> None:
    script = wells().says("You paid 80 EUR and 311.07 EUR.")
    found = unit(script, "You paid 80 EUR and 311.07 EUR", "311.07")
    assert (found.verdict, found.note) == (Verdict.UNSUPPORTED, "")


def test_an_argument_in_other_words_is_no_invention() -> None:
    script = Script().user("I live in Oslo.").calls("move", "ok", country="Norway")
    assert unit(script, '"Norway"', '"Norway"').note == ""


def test_evidence_is_the_field_that_holds_the_value_not_its_neighbours() -> None:
    script = (
        Script()
        .user("Open W-31 on 4 May.")
        .calls("open_well", {"well": "W-31", "day": "2031-05-04", "key_code": "5582"}, well="W-31")
        .says("Done: W-31 is open on 4 May. The key code for that day is 5582.")
    )
    assert quoted(script, "The key code for that day is 5582", 2) == ['"key_code": "5582"']


def test_an_argument_comes_from_the_number_in_its_unit() -> None:
    script = (
        Script()
        .user("Open W-31.")
        .calls("get_well", {"well": "W-31", "staff_needed": 3}, well="W-31")
        .says("For how long?")
        .user("Make it three hours.")
        .calls("open_well", "ok", well="W-31", hours=3)
    )
    assert sources(script, '"hours": 3') == {4}


def test_a_figure_restated_rests_on_the_turn_that_worked_it_out_and_the_rule() -> None:
    script = wells().user("Why?").says("160 EUR are for members, and 15 EUR is the late fee.")
    assert sources(script, "160 EUR are for members, and 15 EUR is the late fee") == {0, 4}


def test_a_product_stands_behind_its_factors() -> None:
    script = (
        Script()
        .user("I need a crew for 3.5 hours, and two other things.")
        .calls("get_rates", {"crew": 229, "van": 805.5, "fee": 4}, of="today")
        .says("That makes 3.5 hours at $229 = $801.50.")
    )
    found = unit(script, "3.5 hours at $229 = $801.50", "801.50")
    assert found.verdict is Verdict.DERIVED
    assert found.note == "3.5 × 229"
    assert {turn for turn, _ in found.sources} == {0, 2}


def test_a_number_of_topics_is_no_factor() -> None:
    script = (
        Script()
        .user("Thanks. Two more things: what is the fee of W-31, and when is it due?")
        .calls("get_fee", {"fee": 47.5}, well="W-31")
        .says("It is 95 EUR.")
    )
    assert 0 not in sources(script, "95 EUR")


def test_a_percentage_is_multiplied_with_as_a_factor() -> None:
    script = (
        Script()
        .system("Repeated text is charged at 30 %. Frame contracts get 8% off.")
        .user("What does it cost?")
        .calls("count", {"new_words": 4400, "repeated": 2000})
        .calls("calculate", "792.12", expression="(4400 + 0.3 * 2000) * 0.92")
    )
    assert sources(script, 'expression": "(4400 + 0.3 * 2000) * 0.92', turn=4) >= {0, 3}
    assert 0 not in sources(script, "4400", turn=4)


def test_a_whole_number_may_be_a_rounded_one() -> None:
    script = (
        Script()
        .user("How many shares do I get for 5000?")
        .calls("calculate", "53.475935", expression="5000 / 93.50")
        .says("You can buy 53 of them.")
    )
    assert unit(script, "You can buy 53 of them", "53").note == "53.475935 rounded"


def test_only_an_amount_is_so_many_times_another() -> None:
    boat = {"length_m": 13.0, "draught_m": 1.9}
    script = (
        Script()
        .user("Two nights, please.")
        .calls("get_boat", boat)
        .says("Electricity is £26.00 for your stay.")
    )
    found = unit(script, "is £26.00 for your stay", "26.00")
    assert 0 not in {turn for turn, _ in found.sources}
    priced = Script().user("Two nights, please.").calls("get_berth", {"price": 13.0})
    found = unit(priced.says("It is £26.00 for your stay."), "£26.00 for your stay", "26.00")
    assert found.note == "13.0 × Two"


def test_what_each_result_says_is_added_up() -> None:
    script = (
        Script()
        .user("These three charges are wrong.")
        .calls("list_charges", {"charges": [{"sum": 64.5}, {"sum": 13.99}, {"sum": 13.99}]})
        .says("Shall I open disputes?")
        .user("Yes, all of them.")
        .calls("open_dispute", {"id": "D-1", "amount": 64.5, "credit": {"amount": 32.25}})
        .calls("open_dispute", {"id": "D-2", "amount": 13.99})
        .calls("open_dispute", {"id": "D-3", "amount": 13.99})
        .says("In total you are disputing 92.48.")
    )
    found = unit(script, "In total you are disputing 92.48", "92.48")
    assert [turn for turn, _ in found.sources] == [6, 8, 10]


def test_five_digits_with_a_currency_are_an_amount() -> None:
    script = Script().user("What do both cost?").calls("note", "It is $16005 in all.")
    found = unit(script.says("That is $16,005."), "That is $16,005", "16,005")
    assert found.verdict is Verdict.VERBATIM
