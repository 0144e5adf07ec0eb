"""Numbers multiplied: so many of something, a share of it, some per cent on or off, a rate.

A user may ask for the factor; a percentage or a rate may stand in the rules or in a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tokengeist.attribution.blend.accounts import Account, same
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.figures import Number
from tokengeist.attribution.blend.pieces import Piece, name_keys
from tokengeist.attribution.blend.quantities import MONEY, PERCENT, compatible, rate_of
from tokengeist.transcript import Role

LATEST = 400
"""Only so many of the latest numbers are paired: a long transcript must not cost a square."""


def asked(book: Book, turn: int, piece: Piece) -> Iterator[Account]:
    """A number scaled by one that a user named."""
    value = piece.number or 0.0
    numbers = [n for t in range(turn) for n in book.pages[t].numbers if _may_be_scaled(n, piece)]
    for back, user in enumerate(reversed(book.roles(Role.USER, turn)[-4:])):
        for factor in book.pages[user].numbers:
            for number in numbers[-LATEST:]:
                if number.turn == user or factor.value < 2:
                    continue
                told = book.pages[number.turn].role in (Role.TOOL, Role.USER)
                cost = 0.9 + 0.3 * back + (0.0 if told else 0.1)
                figure, said = number.piece.text, factor.piece.text
                if factor.piece.unit == PERCENT:
                    for note in _on_or_off(number.value, factor.value, value):
                        yield cost, (number, factor), f"{figure} {note}"
                elif same(number.value * factor.value, value):
                    yield cost + 0.1, (number, factor), f"{figure} × {said}"
                elif same(number.value / factor.value, value):
                    yield cost + 0.2, (number, factor), f"{figure} ÷ {said}"


_AMOUNTS = name_keys("price rate fee cost amount total charge fare rent salary balance deposit")
_CENTS = re.compile(r"[.,]\d\d$")


def _may_be_scaled(number: Number, piece: Piece) -> bool:
    """Whether so many times a number can be what a piece gives.

    An amount of money is so many times another, and a count so many times a count; a figure of one
    digit meets others by accident.
    """
    unit = number.piece.unit
    if unit == PERCENT or not compatible(unit, piece.unit):
        return False
    if piece.unit == MONEY and not unit:
        has_cents = not number.value.is_integer() or _CENTS.search(number.piece.text) is not None
        return has_cents or bool(_AMOUNTS & name_keys(number.key))
    if not piece.unit and (piece.number or 0.0).is_integer() and not number.value.is_integer():
        return False
    return bool(unit) or number.value >= 10


_MONTHLY = re.compile(r"month", re.IGNORECASE)
_YEARLY = re.compile(r"(?<![a-z])(?:year|annual|twelve months|12 months)|p\.a\.", re.IGNORECASE)
_NEAR = 60


def by_period(book: Book, turn: int, piece: Piece) -> Iterator[Account]:
    """What twelve months come to, or one of them, where both ends speak of their period."""
    value, page = piece.number or 0.0, book.pages[turn]
    said = slice(*page.home(piece.start))
    told = [t for t in range(turn) if book.pages[t].role in (Role.TOOL, Role.USER)]
    for period, other, factor, note in (
        (_YEARLY, _MONTHLY, 12.0, "12 × {}"),
        (_MONTHLY, _YEARLY, 1 / 12, "{} ÷ 12"),
    ):
        for number in _numbers(book, told) if period.search(page.text[said]) else ():
            around = book.pages[number.turn].text[
                max(0, number.piece.start - _NEAR) : number.piece.end + _NEAR
            ]
            if same(number.value * factor, value) and other.search(f"{number.key} {around}"):
                yield 0.8, (number,), note.format(number.piece.text)


def _numbers(book: Book, turns: Iterable[int]) -> list[Number]:
    """The latest numbers of some turns."""
    return [number for turn in turns for number in book.pages[turn].numbers][-LATEST:]


def as_factor(book: Book, turn: int, value: float) -> Iterator[Account]:
    """A percentage as it is multiplied with: 0.6 for 60 %, 0.92 for 8 % off, 1.19 for 19 % on."""
    for percentage in percentages(book, turn) if 0 < value < 2 and value != 1 else ():
        share = percentage.value / 100
        if any(same(100 * factor, 100 * value) for factor in (share, 1 - share, 1 + share)):
            yield 0.5, (percentage,), percentage.piece.text


def percentages(book: Book, turn: int) -> list[Number]:
    """Every percentage that rules or results give."""
    turns = sorted(book.roles(Role.SYSTEM, turn) + book.roles(Role.TOOL, turn))
    return [n for t in turns for n in book.pages[t].numbers if n.piece.unit == PERCENT]


def scaled(base: float, percentage: Number, value: float) -> Iterator[str]:
    """How a value follows from a base and a percentage, if it does."""
    yield from _on_or_off(base, percentage.value, value)
    if same(base * percentage.value / 100, value):
        yield f"× {percentage.value:g} %"


def ruled(book: Book, turn: int, value: float, unit: str) -> Iterator[Account]:
    """A number with a percentage of the rules applied to it, or a rate times a count."""
    told = [t for role in (Role.TOOL, Role.USER) for t in book.roles(role, turn)]
    numbers = _numbers(book, sorted(told))
    bases = [n for n in numbers if compatible(n.piece.unit, unit) and n.piece.unit != PERCENT]
    for percentage in percentages(book, turn):
        for number in bases:
            for note in scaled(number.value, percentage, value) if number.value >= 5 else ():
                yield 1.2, (number, percentage), f"{number.piece.text} {note}"
    for rules in book.roles(Role.SYSTEM, turn):
        for rate in book.pages[rules].numbers:
            divides = rate.piece.unit not in ("", PERCENT) and not value.is_integer()
            for number in numbers if divides else ():
                if rate.value > 1 and same(number.value / rate.value, value):
                    yield 1.6, (number, rate), f"{number.piece.text} ÷ {rate.piece.text}"
            per = rate_of(book.pages[rules].text, rate.piece.end)
            if per is None or not compatible(rate.piece.unit, unit):
                continue
            for number in numbers:
                if same(rate.value * number.value, value) and counts(book, number, per):
                    yield 0.6, (rate, number), f"{rate.piece.text} × {number.piece.text}"


def _on_or_off(base: float, percentage: float, value: float) -> Iterator[str]:
    for sign, scale in (("-", 1 - percentage / 100), ("+", 1 + percentage / 100)):
        if same(base * scale, value):
            yield f"{sign} {percentage:g} %"


def counts(book: Book, number: Number, per: str) -> bool:
    """Whether a number says how many of something there are, by its unit, field or next word."""
    wanted = name_keys(per)
    if number.piece.unit == per or wanted & name_keys(number.key):
        return True
    after = re.match(r"\W*([^\W\d_]+)", book.pages[number.turn].text[number.piece.end :][:40])
    return after is not None and not number.key and bool(wanted & name_keys(after[1]))
