"""Numbers and dates that stand nowhere but follow from ones that do: sums, differences, days later.

Many sums could give a number by chance, so the simplest account wins: neighbours under one key of
one result before two numbers from anywhere, near ones before far ones. An account only counts if
the arithmetic is right.
"""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.cues import RELATIVE_TIME
from tokengeist.attribution.blend.pieces import Kind, Piece
from tokengeist.transcript import Role

TOLERANCE = 0.006
MOST_COSTLY = 4.0
_CONVINCING = 0.9
"""An account this cheap needs no rival."""
_LATEST = 400
"""Only so many of the latest numbers are paired: a long transcript must not cost a square."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of an earlier turn that something was worked out from."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows from others, in words and by their places."""

    places: tuple[Place, ...]
    note: str


@dataclass(frozen=True, slots=True)
class _Number:
    turn: int
    value: float
    key: str
    piece: Piece

    @property
    def place(self) -> Place:
        return Place(self.turn, self.piece.start, self.piece.end)


_Account = tuple[float, tuple[_Number, ...], str]
"""What it costs to believe, the numbers, and the sum in writing."""


def derive_number(book: Book, turn: int, value: float, before: int) -> Derivation | None:
    """How a number at character `before` of a turn follows from earlier numbers.

    First from what tools and users said, then from numbers worked out a little earlier in the same
    turn, at last from the assistant's own figures.
    """
    told = [t for role in (Role.TOOL, Role.USER) for t in book.roles(role, turn)]
    account = _combine(book, turn, value, sorted(told))
    if account is None or account[0] > _CONVINCING:
        asked = _cheapest(turn, _asked(book, turn, value))
        account = min((a for a in (account, asked) if a), key=lambda a: a[0], default=None)
    if account is None:
        account_here = _from_same_turn(book, turn, value, before)
        if account_here is not None:
            return account_here
        account = _combine(book, turn, value, book.roles(Role.ASSISTANT, turn))
    if account is None:
        return None
    _, numbers, note = account
    places = {_original(book, turn, number).place for number in numbers}
    return Derivation(tuple(sorted(places, key=lambda p: (p.turn, p.start))), note)


def compare_results(book: Book, turn: int, value: float) -> Derivation | None:
    """How a number follows from comparing the results since the latest user turn.

    A small number stands in many places by chance; where the text speaks of a difference or a
    total, this account comes before any of them.
    """
    users = book.roles(Role.USER, turn)
    after = [t for t in book.roles(Role.TOOL, turn) if users and t > users[-1]]
    numbers = [number for t in after for number in _numbers(book, t) if number.key]
    account = _cheapest(turn, _compared(numbers, value))
    if account is None:
        return None
    _, parts, note = account
    return Derivation(tuple(part.place for part in parts), note)


def _from_same_turn(book: Book, turn: int, value: float, before: int) -> Derivation | None:
    page = book.pages[turn]
    nearby: dict[float, Piece] = {}
    for piece in page.pieces:
        if piece.number is not None and piece.end <= before and piece.number >= 2:
            nearby.setdefault(piece.number, piece)
    for parts, note in _equations(list(nearby.values())[-14:], value):
        places: set[Place] = set()
        for part in parts:
            places.update(_places_of(book, turn, part))
        if places:
            return Derivation(tuple(sorted(places, key=lambda p: (p.turn, p.start))), note)
    return None


def _equations(parts: list[Piece], value: float) -> Iterator[tuple[tuple[Piece, ...], str]]:
    for size in (2, 3, 4):
        for chosen in combinations(parts, size):
            if _same(sum(p.number or 0.0 for p in chosen), value):
                yield chosen, " + ".join(p.text for p in chosen)
        if size == 2:
            for first, second in permutations(parts, 2):
                if _same((first.number or 0.0) - (second.number or 0.0), value):
                    yield (first, second), f"{first.text} - {second.text}"


def _places_of(book: Book, turn: int, piece: Piece) -> Iterator[Place]:
    for holder in book.holders((piece.key,), turn):
        page = book.pages[holder]
        if page.role in (Role.TOOL, Role.USER):
            found = page.occurrences((piece.key,))[0]
            yield Place(holder, found.start, found.end)
            return
    if piece.number is not None:
        derivation = derive_number(book, turn, piece.number, piece.start)
        if derivation:
            yield from derivation.places


def _combine(book: Book, turn: int, value: float, turns: Sequence[int]) -> _Account | None:
    """The cheapest account of a number by the numbers of some turns."""
    numbers = [number for t in turns if t > 0 for number in _numbers(book, t)]
    users = book.roles(Role.USER, turn)
    recent = [n for n in numbers if n.key and users and n.turn > users[-1]]
    return _cheapest(
        turn, chain(_sums(numbers, value), _compared(recent, value), _pairs(numbers, value))
    )


def _cheapest(turn: int, accounts: Iterable[_Account]) -> _Account | None:
    best: _Account | None = None
    for cost, parts, note in accounts:
        cost += 0.02 * sum(turn - part.turn for part in parts) / len(parts)
        if cost < (best[0] if best else MOST_COSTLY):
            best = (cost, parts, note)
    return best


def _numbers(book: Book, turn: int) -> Iterator[_Number]:
    page = book.pages[turn]
    for piece in page.pieces:
        if piece.number is not None and piece.number > 0:
            found = page.field_at(piece.start) if page.fields else None
            yield _Number(turn, piece.number, found.key if found else "", piece)


def _sums(numbers: list[_Number], value: float) -> Iterator[_Account]:
    """Numbers of one turn under one key: prices of an order, legs of a trip."""
    alike: dict[tuple[int, str], list[_Number]] = defaultdict(list)
    for number in numbers:
        alike[number.turn, number.key].append(number)
    for group in alike.values():
        crowded = 0.8 if len(group) > 8 else 0.0
        for size in (2, 3, 4, 5) if len(group) <= 12 else (2,):
            for first in range(len(group) - size + 1):
                parts = tuple(group[first : first + size])
                if _same(sum(p.value for p in parts), value):
                    yield 0.5 + 0.1 * size + crowded, parts, _sum_note(parts)
        for size, cost in ((2, 1.0), (3, 1.3)) if len(group) <= 6 else ():
            for parts in combinations(group, size):
                if _same(sum(p.value for p in parts), value):
                    yield cost, parts, _sum_note(parts)


def _compared(numbers: list[_Number], value: float) -> Iterator[_Account]:
    """Two results looked up for one question: their totals together, or one field of each."""
    alike: dict[tuple[str, int], list[_Number]] = defaultdict(list)
    for number in numbers:
        alike[number.key, number.turn].append(number)
    for (key, turn), one in alike.items():
        for (other_key, other_turn), other in alike.items():
            if key != other_key or turn >= other_turn:
                continue
            first, second = sum(n.value for n in one), sum(n.value for n in other)
            parts = (*one, *other)
            if len(parts) > 2 and _same(first + second, value):
                yield 0.7, parts, _sum_note(parts)
            if _same(abs(first - second), value):
                large, small = (first, second) if first > second else (second, first)
                yield 0.8, parts, f"{large:g} - {small:g}"


_PERCENT = re.compile(r"\s*(?:%|per ?cent)", re.IGNORECASE)


def _asked(book: Book, turn: int, value: float) -> Iterator[_Account]:
    """So many of something, a share of it, or some per cent on or off, as a user asked."""
    numbers = [n for t in range(turn) for n in _numbers(book, t)][-_LATEST:]
    for back, user in enumerate(reversed(book.roles(Role.USER, turn)[-4:])):
        text = book.pages[user].text
        for factor in _numbers(book, user):
            said = factor.piece.text
            is_percent = said.endswith("%") or _PERCENT.match(text, factor.piece.end)
            for number in numbers:
                if number.turn == user or factor.value < 2:
                    continue
                told = book.pages[number.turn].role in (Role.TOOL, Role.USER)
                cost = 0.9 + 0.3 * back + (0.0 if told else 0.2)
                base, figure = number.value, number.piece.text
                if is_percent:
                    for sign, scale in (
                        ("-", 1 - factor.value / 100),
                        ("+", 1 + factor.value / 100),
                    ):
                        if _same(round(base * scale, 2), value):
                            yield cost, (number, factor), f"{figure} {sign} {factor.value:g} %"
                elif _same(base * factor.value, value):
                    yield cost + 0.1, (number, factor), f"{figure} × {said}"
                elif _same(round(base / factor.value, 2), value):
                    yield cost + 0.3, (number, factor), f"{figure} ÷ {said}"


def _pairs(numbers: list[_Number], value: float) -> Iterator[_Account]:
    """Two numbers from anywhere, or one number several times."""
    large = [number for number in numbers if number.value >= 5][-_LATEST:]
    by_value: dict[float, list[_Number]] = defaultdict(list)
    for number in large:
        by_value[round(number.value, 2)].append(number)
    for one in large:
        for other_value, sign, base in (
            (value - one.value, "+", 1.5),
            (one.value - value, "-", 1.4),
        ):
            for other in by_value.get(round(other_value, 2), ())[:4]:
                if other is one:
                    continue
                cost = base + 0.5 * (one.key != other.key) + 0.2 * (one.turn != other.turn)
                note = f"{one.piece.text} {sign} {other.piece.text}"
                yield cost + 0.3 * (value < 20), (one, other), note
    for factor in range(2, 10) if value >= 20 else ():
        for number in by_value.get(round(value / factor, 2), ())[:3]:
            if _same(number.value * factor, value):
                yield 2.2, (number,), f"{factor} × {number.piece.text}"


def _sum_note(parts: Sequence[_Number]) -> str:
    return " + ".join(part.piece.text for part in parts)


def _original(book: Book, turn: int, number: _Number) -> _Number:
    """The same number where a tool or a user first gave it; what a user said is its own."""
    if book.pages[number.turn].role is Role.USER:
        return number
    for holder in book.holders((number.piece.key,), turn):
        page = book.pages[holder]
        if holder <= number.turn and page.role in (Role.TOOL, Role.USER):
            return _Number(holder, number.value, "", page.occurrences((number.piece.key,))[0])
    return number


def _same(one: float, other: float) -> bool:
    return abs(one - other) < TOLERANCE


def derive_date(book: Book, turn: int, key: str) -> Derivation | None:
    """A date within a week of one that was named, and the user turn that moved it."""
    wanted = _day(key)
    if wanted is None:
        return None
    best: tuple[float, Place, int] | None = None
    for page in reversed(book.pages[:turn]):
        for piece in page.pieces:
            day = _day(piece.key) if piece.kind is Kind.DATE else None
            if day is None or abs((wanted - day).days) > 7:
                continue
            penalty = {Role.SYSTEM: 2.0, Role.ASSISTANT: 1.0}.get(page.role, 0.0)
            gap = (wanted - day).days
            cost = abs(gap) + 0.02 * (turn - page.index) + penalty
            if best is None or cost < best[0]:
                best = (cost, Place(page.index, piece.start, piece.end), gap)
    places = [best[1]] if best else []
    for user in reversed(book.roles(Role.USER, turn)):
        moved = RELATIVE_TIME.search(book.pages[user].text)
        if moved:
            places.append(Place(user, moved.start(), moved.end()))
            break
    return Derivation(tuple(places), f"{best[2]:+d} days" if best else "") if places else None


def _day(key: str) -> datetime.date | None:
    try:
        return datetime.date(2024, int(key[2:4]), int(key[5:7]))  # any leap year will do
    except ValueError:
        return None
