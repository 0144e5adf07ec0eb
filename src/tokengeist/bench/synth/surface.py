"""The forms that data take in speech: dates, money, small numbers.

A record holds `2031-05-02` and `12.4`; people write `2 May`, `May 2nd, 2031`, `€12.40`. These
forms are what makes a copied value hard to find by string matching alone.
"""

from __future__ import annotations

import random
from datetime import date
from typing import NewType

Money = NewType("Money", int)
"""An amount in hundredths, so that sums are exact."""

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def ordinal(number: int) -> str:
    """
    >>> [ordinal(n) for n in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def date_text(rng: random.Random, day: date) -> str:
    """One of the ways to write a date."""
    month = _MONTHS[day.month - 1]
    return rng.choice(
        (
            day.isoformat(),
            f"{day.day} {month} {day.year}",
            f"{day.day} {month}",
            f"{month} {day.day}, {day.year}",
            f"{month} {ordinal(day.day)}",
            f"{_DAYS[day.weekday()]}, {day.day} {month}",
            f"{_DAYS[day.weekday()]} the {ordinal(day.day)} of {month}",
            f"{day.day} {month[:3]} {day.year}",
        )
    )


def money_text(rng: random.Random, amount: Money, currency: str) -> str:
    """One of the ways to write an amount.

    >>> {money_text(random.Random(n), Money(123450), "€") for n in range(20)} == {
    ...     "€1234.50", "€1,234.50", "€ 1234.50"}
    True
    """
    plain, grouped = f"{amount / 100:.2f}", f"{amount / 100:,.2f}"
    forms = [f"{currency}{plain}", f"{currency}{grouped}", f"{currency} {plain}"]
    if amount % 100 == 0:
        forms += [f"{currency}{amount // 100}"] * 2
    return rng.choice(forms)


def money_json(amount: Money) -> float | int:
    """An amount as a record stores it."""
    return amount // 100 if amount % 100 == 0 else amount / 100


def money_read(raw: object) -> Money:
    """An amount as the agent reads it from a record."""
    if not isinstance(raw, (int, float)):
        raise TypeError(f"an amount in a record is a number, not {raw!r}")
    return Money(round(raw * 100))


def days_text(rng: random.Random, number: int) -> str:
    """A number of days, with its noun."""
    return "one day" if number == 1 else f"{count_text(rng, number)} days"


def count_text(rng: random.Random, number: int) -> str:
    """A count in digits or, if small, in words."""
    if 0 < number < len(_WORDS) and rng.random() < 0.5:
        return _WORDS[number]
    return str(number)
