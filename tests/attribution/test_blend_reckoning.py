"""What the blend backend notes as reckoned wrong: days, dates, totals, products, comparisons."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, sources
from tests.attribution.test_blend_findings import notes

WRONG = "wrong-value transformation: "


def harbour() -> Script:
    """0 system, 1 user, 2–3 berth with three dates."""
    dates = {"began": "2031-03-02", "ends": "2031-05-21", "survey": "2031-05-12"}
    return (
        Script()
        .system("Today is 2031-05-01. A berth is kept on by 30 days against a charge of $12.")
        .user("How many days are left on berth BT-204?")
        .calls("get_berth", {"berth": "BT-204"} | dates, berth="BT-204")
    )


@pytest.mark.parametrize(
    ("reply", "noted"),
    [
        ("You have 20 days.", []),
        ("You have 11 days.", []),  # until the survey
        ("You have 25 days.", ["there are 20 days between the dates"]),
        ("You have 11 days to go, until 21 May.", ["there are 20 days between the dates"]),
        ("You have about 25 days.", []),
        ("You have 14 working days.", []),
    ],
)
def test_days_lie_between_today_and_a_date_of_the_record(reply: str, noted: list[str]) -> None:
    script = harbour().says(reply)
    assert notes(script, reply) == [WRONG + note for note in noted]


def test_the_dates_that_show_a_miscount_are_its_sources() -> None:
    reply = "You have 25 days to go, until 21 May."
    assert {0, 3} <= sources(harbour().says(reply), "25 days")


def test_days_until_a_deadline_that_is_itself_counted_are_right() -> None:
    script = (
        Script()
        .system("Today is 2031-05-01. Nets can be returned within 14 days of delivery.")
        .user("How many days are left to return net NT-7?")
        .calls("get_net", {"net": "NT-7", "delivered": "2031-04-26"}, net="NT-7")
    )
    assert notes(script.says("You have 9 days."), "You have 9 days") == []
    script.turns.pop()
    assert notes(script.says("You have 12 days."), "You have 12 days") == [
        WRONG + "there are 5 days between the dates"
    ]


@pytest.mark.parametrize(("days", "wrong"), [(71, False), (9, False), (75, True)])
def test_days_between_two_dates_of_a_record(days: int, wrong: bool) -> None:
    script = harbour().says("You have 20 days.")
    script.user("How many days are there between the start and the survey of BT-204?")
    script.says(f"It is {days} days.")
    assert bool(notes(script, f"It is {days} days")) is wrong


def kept_on(reply: str) -> Script:
    return harbour().says("You have 20 days.").user("Can berth BT-204 be kept on?").says(reply)


@pytest.mark.parametrize(
    ("day", "noted"),
    [
        ("20 June", []),
        ("21 June", ["30 days from 21 May is 20 Jun"]),  # a month is no 30 days
        ("5 July", []),  # may be counted in another way
    ],
)
def test_a_new_date_is_as_far_off_as_the_rule_says(day: str, noted: list[str]) -> None:
    script = kept_on(f"Yes. The berth would be kept until {day} against the charge of $12.")
    assert notes(script, f"until {day}") == [WRONG + note for note in noted]


def test_a_call_with_a_miscounted_date_repeats_the_mistake() -> None:
    script = kept_on("The berth would be kept until 21 June against the charge of $12. Shall I?")
    script.user("Yes.").calls("keep_berth", {"ok": True}, berth="BT-204", until="2031-06-21")
    assert notes(script, "2031-06-21", turn=8) == [WRONG + "turn 6 got it wrong"]


def test_a_date_moved_off_a_weekend_is_right() -> None:
    script = Script().system("Today is 2031-05-01. A berth is kept on by 31 days.")
    script.user("Can berth BT-204 be kept on?")
    script.calls("get_berth", {"berth": "BT-204", "ends": "2031-05-21"}, berth="BT-204")
    script.says("The berth is kept on until Monday, 23 June 2031.")  # the 21st is a Saturday
    assert notes(script, "until Monday, 23 June 2031") == []


def test_a_date_at_the_end_of_all_calendars_is_counted_from_by_nobody() -> None:
    script = Script().system("Today is 2031-05-01. A berth is kept on by 90000000 days.")
    script.user("Can berth BT-204 be kept on?")
    script.calls("get_berth", {"berth": "BT-204", "ends": "9999-12-31"}, berth="BT-204")
    script.says("The berth is kept on as of 23 June 2031.")
    assert notes(script, "as of 23 June 2031") == []


def bills(question: str) -> Script:
    """0 user, 1–2 and 3–4 a bill each."""
    first = {
        "boat": "BT-204",
        "lines": [{"for": "crane", "sum": 30.25}, {"for": "paint", "sum": 8}],
    }
    other = {"boat": "BT-207", "lines": [{"for": "rope", "sum": 4.5}, {"for": "oil", "sum": 11.0}]}
    return (
        Script()
        .user(question)
        .calls("get_bill", first, boat="BT-204")
        .calls("get_bill", other, boat="BT-207")
    )


@pytest.mark.parametrize(
    ("total", "noted"),
    [
        ("$53.75", []),
        ("$38.25", []),  # of one of them
        ("$49.25", ["4.5 is left out"]),
    ],
)
def test_a_total_over_two_results(total: str, noted: list[str]) -> None:
    script = bills("What do I owe for BT-204 and BT-207 altogether?").says(f"Together {total}.")
    assert notes(script, f"Together {total}") == [WRONG + note for note in noted]


def test_one_of_two_amounts_is_no_total() -> None:
    lines = [{"for": "crane", "sum": 30.25}, {"for": "paint", "sum": 8.5}]
    script = Script().user("What do I owe for BT-204 altogether?")
    script.calls("get_bill", {"boat": "BT-204", "lines": lines}, boat="BT-204")
    assert notes(script.says("It comes to $30.25."), "It comes to $30.25") == [
        WRONG + "8.5 is left out"
    ]


def test_one_of_two_offers_may_be_what_it_comes_to() -> None:
    offers = [{"sail": "SL-11", "price": 310.5}, {"sail": "SL-12", "price": 290.5}]
    script = Script().user("What does a sail come to?").calls("list_sails", offers)
    assert notes(script.says("It comes to $290.50."), "It comes to $290.50") == []


def test_a_difference_of_what_two_results_say() -> None:
    script = bills("How do the crane hours of BT-204 and BT-207 differ?")
    script.calls("get_crane", {"boat": "BT-204", "hours": 4}, boat="BT-204")
    script.calls("get_crane", {"boat": "BT-207", "hours": 1}, boat="BT-207")
    assert notes(script.says("They differ by three."), "They differ by three") == []
    script.turns.pop()
    assert notes(script.says("They differ by five."), "They differ by five") == [
        WRONG + "added up, not subtracted"
    ]


@pytest.mark.parametrize(
    ("reply", "noted"),
    [
        ("Then it is 2 × $15 + $38 = $68.", []),
        ("Then it is 2 × $15 + $38 = $78.", ["that makes 68"]),
        ("Then it is ($15 + $4) × 2 = $38.", []),
        ("Then it is 31 ÷ 8 = 3.9 hours.", []),
    ],
)
def test_a_sum_that_is_written_out_must_come_out(reply: str, noted: list[str]) -> None:
    prices = {"seat": 15, "table": 38, "hours": 31, "cover": 4}
    script = Script().user("And with two more seats?").calls("get_prices", prices).says(reply)
    assert notes(script, reply) == [WRONG + note for note in noted]


@pytest.mark.parametrize(
    ("reply", "noted"),
    [
        ("At $70 each, that is $210.", []),
        ("At $70 each, that is $220.", ["3 × 70 makes 210"]),
        ("At $70 each, that is $189 with the discount.", []),
        ("At $70 per week, that is $30.", []),  # the hours are no weeks
    ],
)
def test_a_rate_times_what_the_user_counted(reply: str, noted: list[str]) -> None:
    script = Script().user("What would 3 hours of crane time cost?")
    script.calls("get_rates", {"crane_hour": 70})
    assert notes(script.says(reply), reply) == [WRONG + note for note in noted]


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("The Heron is the earlier one.", False),
        ("The Petrel is the earlier one.", True),
        ("The Petrel comes first.", True),
        ("The Petrel is the later one.", False),
    ],
)
def test_which_of_two_comes_first(reply: str, wrong: bool) -> None:
    boats = [{"boat": "BT-204", "name": "Heron"}, {"boat": "BT-207", "name": "Petrel"}]
    script = Script().user("I am Ada.").calls("list_boats", {"boats": boats})
    script.says("You have two boats.").user("Which survey is earlier, Heron's or Petrel's?")
    for boat, day in (("BT-204", "2031-05-12"), ("BT-207", "2031-06-03")):
        script.calls("get_boat", {"boat": boat, "survey": day, "built": "2009-01-01"}, boat=boat)
    expected = [WRONG + "it is the other way round"] if wrong else []
    assert notes(script.says(reply), reply) == expected
