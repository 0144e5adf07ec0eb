"""What a number counts: per cent, money, hours. `12%`, `12 CHF` and `12 cm` are not one value.

Only units that are written out count. A number without one may be of any, as in `"charged": 60.0`.
"""

from __future__ import annotations

import re

PERCENT = "%"
MONEY = "money"

_SPELLINGS = {
    PERCENT: "% percent pct",
    MONEY: """chf usd eur gbp jpy cny inr cad aud nzd sek nok dkk pln czk brl mxn sgd hkd krw
        $ € £ ¥ dollar euro franc cent buck""",
    "minute": "minute min",
    "hour": "hour hr h",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year yr",
    "mm": "mm millimetre millimeter",
    "cm": "cm centimetre centimeter",
    "metre": "metre meter",
    "km": "km kilometre kilometer",
    "mile": "mile",
    "kg": "kg kilo kilogram",
    "gram": "gram",
    "litre": "litre liter",
    "ml": "ml",
}
UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
"""Every spelling of a unit, and which it is."""
_CURRENCIES = frozenset(word for word in _SPELLINGS[MONEY].split() if len(word) == 3)
_MONEY_BEFORE = re.compile(r"(?:[$€£¥]|\b([A-Z]{3}))\s?$")
_AFTER = re.compile(r"\s?(%|[$€£¥])|[\s-](per\s?cent|[^\W\d_]+)\b")
_RATE = re.compile(r"\W*(?:[^\W\d_]+\s+)?(?:per|an?|each|every|/)\s*([^\W\d_]+)", re.IGNORECASE)


def unit_of(text: str, start: int, end: int) -> str:
    """The unit that is written beside the number between two positions; empty if there is none.

    >>> [unit_of(text, 0, 2) for text in ("12%", "12 CHF", "60 cm", "12 seats")]
    ['%', 'money', 'cm', '']
    """
    if text[start:end].endswith("%"):
        return PERCENT
    before = _MONEY_BEFORE.search(text, max(0, start - 5), start)
    if before and (before[1] is None or before[1].lower() in _CURRENCIES):
        return MONEY
    match = _AFTER.match(text, end)
    return _unit((match[1] or match[2]).replace(" ", "")) if match else ""


def rate_of(text: str, end: int) -> str | None:
    """What a number that ends at a position is per: `hour` of `64 CHF per hour`.

    A word that is no unit is what it counts: `bag` of `$50 for each bag`.
    """
    match = _RATE.match(text, end)
    if match is None:
        return None
    return _unit(match[1]) or match[1].lower()


def _unit(word: str) -> str:
    word = word.lower()
    return UNITS.get(word) or UNITS.get(word.removesuffix("s"), "")


def compatible(one: str, other: str) -> bool:
    """Whether numbers of two units can be the same value."""
    return not one or not other or one == other
