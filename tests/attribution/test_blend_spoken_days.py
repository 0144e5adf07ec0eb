"""Days that a user named in passing, and where they were passed to a tool."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, sources, unit


def berth(said: str, date: str, *, today: str = "Today is Thursday 2031-06-12.") -> Script:
    """0 the rules, 1–2 an earlier request, 3 what the user says, 4–5 the search."""
    return (
        Script()
        .system(f"{today} Cancellations are free up to 7 working days before.")
        .user("Hello, have you got room for a boat?")
        .says("Sure, when do you come?")
        .user(said)
        .calls("search_berths", {"free": ["B14", "C11"]}, arrival=date)
    )


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("On Tuesday, for a night.", "2031-06-17"),
        ("The 23rd, I think.", "2031-06-23"),
        ("Tomorrow!", "2031-06-13"),
        ("Some time next week.", "2031-06-18"),
    ],
)
def test_a_day_that_was_named_is_counted_from_today(said: str, date: str) -> None:
    assert sources(berth(said, date), date, turn=4) == {0, 3}


def test_it_is_today_where_somebody_says_so() -> None:
    script = berth("On Tuesday.", "2031-06-17", today="It is Thursday, 12 June 2031, 10:05.")
    assert 0 in sources(script, "2031-06-17", turn=4)


def test_another_day_than_the_one_that_was_named_does_not_follow() -> None:
    assert 0 not in sources(berth("On Tuesday.", "2031-06-25"), "2031-06-25", turn=4)


def test_the_days_of_a_rule_do_not_account_for_what_is_passed() -> None:
    script = (
        Script()
        .system("Today is 2031-06-12. Refunds take 7 working days.")
        .user("I want to leave the day after my booking, not on it.")
        .calls("get_booking", {"from": "2031-06-22"}, ref="HB-5520")
        .calls("search_berths", {"free": []}, arrival="2031-06-23")
    )
    assert sources(script, "2031-06-23", turn=4) == {1, 3}


def test_a_date_that_the_assistant_spelt_out_comes_from_who_named_the_day() -> None:
    script = (
        Script()
        .system("Today is Thursday 2031-06-12.")
        .user("I come on Tuesday.")
        .says("So that is 17 June 2031. For which boat?")
        .user("Merry Dancer.")
        .calls("search_berths", {"free": []}, arrival="2031-06-17")
    )
    assert {0, 1} <= sources(script, "2031-06-17", turn=4)
    assert 2 not in sources(script, "2031-06-17", turn=4)


@pytest.mark.parametrize(
    ("today", "said", "date"),
    [
        ("9999-12-31", "Tomorrow.", "January 1"),
        ("0001-01-01", "Yesterday.", "December 31"),
        ("9999-12-20", "In 10 working days.", "January 3"),
    ],
)
def test_the_ends_of_the_calendar_are_no_days(today: str, said: str, date: str) -> None:
    script = Script().system(f"Today is {today}.").user(said).says(f"That is {date}.")
    assert 0 not in sources(script.calls("search", "none", day=date), date, turn=3)
    assert 0 not in {turn for turn, _ in unit(script, f"That is {date}", date).sources}


def test_a_result_that_happens_to_hold_the_day_did_not_give_it() -> None:
    script = (
        Script()
        .system("Today is Thursday 2031-06-12.")
        .user("What does the yard say?")
        .calls("read_mail", {"text": "The mast is due on 2031-06-17."}, id="M-22")
        .says("The mast is due on 17 June.")
        .user("Good. And find me a berth for Tuesday.")
        .calls("search_berths", {"free": ["B14", "C11"]}, arrival="2031-06-17")
    )
    assert sources(script, "2031-06-17", turn=6) == {0, 5}
