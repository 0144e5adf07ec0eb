"""Numbers that stand nowhere but follow from ones that do: sums, differences, rates, percentages.

Many sums could give a number by chance, so the simplest account wins: neighbours under one key of
one result before two numbers from anywhere, near ones before far ones. An account only counts if
the arithmetic is right, and only numbers of one unit are added up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, pairwise, permutations

from tokengeist.attribution.blend.accounts import Account, Derivation, cheapest, same
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.dates import derive_days
from tokengeist.attribution.blend.factors import (
    LATEST,
    as_factor,
    asked,
    by_period,
    percentages,
    ruled,
    scaled,
)
from tokengeist.attribution.blend.figures import Number, Place
from tokengeist.attribution.blend.pieces import Piece, name_keys, stem
from tokengeist.attribution.blend.quantities import MONEY, PERCENT, compatible
from tokengeist.transcript import Role

_CONVINCING = 0.9
"""An account this cheap needs no rival."""
_SMALL_PRODUCT = 20
"""Smaller whole numbers are the product of others by accident."""
_TELLING = 10
"""Smaller figures without a unit stand in many places by accident."""
_FACTORS = 4
"""A product stands behind its factors, and few other numbers come between."""
_ONE_OF_EACH = 0.3
"""An account this cheap names the very results that it is about."""
_LOOSE = 1.4
"""From here on it may be an accident: two numbers from anywhere, or one of them several times."""


def derive_number(book: Book, turn: int, piece: Piece) -> Derivation | None:
    """How a number of a turn follows from earlier numbers.

    First from what tools and users said, then from numbers worked out a little earlier in the same
    turn, at last with the assistant's own figures.
    """
    value, unit = piece.number or 0.0, piece.unit
    between = derive_days(book, turn, piece) if unit in ("day", "week") else None
    if between:
        return between
    told = {t for role in (Role.TOOL, Role.USER) for t in book.roles(role, turn)}
    told -= book.renewed(turn)
    account = _combine(book, turn, piece, sorted(told))
    if account is None or account[0] > _CONVINCING:
        factored = chain(
            as_factor(book, turn, value),
            _rounded(book, turn, value),
            asked(book, turn, piece),
            ruled(book, turn, value, unit),
            by_period(book, turn, piece),
        )
        others = (account, cheapest(turn, factored))
        account = min((a for a in others if a), key=lambda a: a[0], default=None)
    if account is None or (unit and account[0] > _CONVINCING):
        here = _from_same_turn(book, turn, piece, strictly=account is not None)
        if here is not None:
            return here
    if account is None:
        written = book.roles(Role.ASSISTANT, turn)
        account = _combine(book, turn, piece, written)
        account = account or _combine(book, turn, piece, sorted({*told, *written}))
    if account is None:
        return None
    cost, numbers, note = account
    is_loose = cost >= _LOOSE and not _belongs_together(book, turn, numbers)
    if cost > _ONE_OF_EACH and (len({n.turn for n in numbers}) > 1 or len(numbers) == 1):
        numbers = tuple(_original(book, turn, number) for number in numbers)
    return _derivation((number.place for number in numbers), note, is_loose=is_loose)


def _rounded(book: Book, turn: int, value: float) -> Iterator[Account]:
    """A whole number for what a calculator gave with decimals."""
    for result in book.roles(Role.TOOL, turn) if value.is_integer() else ():
        figure = book.pages[result].figure
        if figure is not None and 0 < abs((figure.number or 0.0) - value) < 1:
            number = Number(result, figure.number or 0.0, "", figure)
            yield 0.7, (number,), f"{figure.text} rounded"


def _belongs_together(book: Book, turn: int, numbers: Sequence[Number]) -> bool:
    """Whether numbers are of one name in one turn, or all said again where they were used."""
    alike = len(numbers) > 1 and len({(number.turn, number.key) for number in numbers}) == 1
    return alike or all(number.piece.key in book.pages[turn].keys for number in numbers)


def _derivation(places: Iterable[Place], note: str, *, is_loose: bool = False) -> Derivation:
    ordered = tuple(sorted(set(places), key=lambda p: (p.turn, p.start)))
    return Derivation(ordered, note, is_loose=is_loose)


def compare_results(book: Book, turn: int, value: float) -> Derivation | None:
    """How a number follows from comparing the results since the latest user turn.

    A small number stands in many places by chance; where the text speaks of a difference or a
    total, this account comes before any of them.
    """
    results = book.just_looked_up(turn)
    numbers = [number for t in results for number in book.pages[t].numbers if number.key]
    account = cheapest(turn, _compared(numbers, value))
    if account is None:
        return None
    _, parts, note = account
    return Derivation(tuple(part.place for part in parts), note)


def _from_same_turn(book: Book, turn: int, piece: Piece, *, strictly: bool) -> Derivation | None:
    """From numbers that stand before it in its turn; strictly, only from ones of its own unit."""
    nearby: dict[float, Piece] = {}
    for other in book.pages[turn].pieces:
        if other.number is None or other.end > piece.start or other.number < 2:
            continue
        if compatible(other.unit, piece.unit) and (other.unit or not strictly):
            nearby.setdefault(other.number, other)
    latest, value = list(nearby.values())[:-15:-1], piece.number or 0.0  # the nearest first
    for factors, note in _products(book, turn, piece):
        places = {place for factor in factors for place in _places_of(book, turn, factor)}
        if places:
            return _derivation(places, note)
    for parts, note in _equations(latest, value):
        places = {place for part in parts for place in _places_of(book, turn, part)}
        if places:
            return _derivation(places, note)
    for percentage in percentages(book, turn):
        for base in latest:
            for note in scaled(base.number or 0.0, percentage, value):
                places = {percentage.place, *_places_of(book, turn, base)}
                return _derivation(places, f"{base.text} {note}")
    for part, earlier, note in _with_earlier(book, turn, latest, value):
        return _derivation({earlier, *_places_of(book, turn, part)}, note)
    return None


def _products(book: Book, turn: int, piece: Piece) -> Iterator[tuple[tuple[Piece, Piece], str]]:
    """Two numbers just before it in its sentence that it is the product of: `3.5 hours at $229`."""
    page = book.pages[turn]
    start, _ = page.home(piece.start)
    said = [p for p in page.between(start, piece.start) if (p.number or 0.0) > 1]
    for first, second in pairwise(said[-_FACTORS:]):
        if same((first.number or 0.0) * (second.number or 0.0), piece.number or 0.0):
            yield (first, second), f"{first.text} × {second.text}"


def _equations(parts: list[Piece], value: float) -> Iterator[tuple[tuple[Piece, ...], str]]:
    for size in (2, 3, 4):
        for chosen in combinations(parts, size):
            if same(sum(p.number or 0.0 for p in chosen), value):
                yield chosen, " + ".join(p.text for p in reversed(chosen))
        if size == 2:
            for first, second in permutations(parts, 2):
                if same((first.number or 0.0) - (second.number or 0.0), value):
                    yield (first, second), f"{first.text} - {second.text}"
    if value.is_integer() and value < _SMALL_PRODUCT:
        return
    for first, second in permutations(parts, 2):
        one, other = first.number or 0.0, second.number or 0.0
        if first.start < second.start and same(one * other, value):
            yield (first, second), f"{first.text} × {second.text}"
        elif other and same(one / other, value):
            yield (first, second), f"{first.text} ÷ {second.text}"


def _with_earlier(
    book: Book, turn: int, parts: list[Piece], value: float
) -> Iterator[tuple[Piece, Place, str]]:
    """A number of the same turn, more or less one of the latest turn that gives the rest.

    Whole numbers would meet by accident.
    """
    earlier: dict[float, Number] = {}
    for page in book.pages[:turn]:
        if page.role is not Role.SYSTEM:
            earlier |= {round(n.value, 2): n for n in page.numbers}
    for part in parts:
        own = part.number or 0.0
        for rest, note in (
            (value - own, "{own} + {other}"),
            (own - value, "{own} - {other}"),
            (own + value, "{other} - {own}"),
        ):
            other = earlier.get(round(rest, 2))
            if all(number.is_integer() for number in (value, own)) or same(rest, own):
                continue
            if other is not None and rest >= 2:
                first = _original(book, turn, other)
                yield part, first.place, note.format(own=part.text, other=other.piece.text)


def _places_of(book: Book, turn: int, piece: Piece) -> Iterator[Place]:
    """Where a term was taken from; a bare figure of one digit may stand anywhere.

    What the assistant worked out in an earlier turn was gone on with from there.
    """
    if not piece.unit and (piece.number or 0.0) < _TELLING:
        return
    holders = book.holders(piece, turn)
    for role in (Role.TOOL, Role.USER, Role.SYSTEM, Role.ASSISTANT):
        for holder in holders:
            page = book.pages[holder]
            if page.role is role and (piece.unit or role is not Role.SYSTEM):
                found = page.occurrences(piece.keys, piece.unit)[0]
                yield Place(holder, found.start, found.end)
                return
    derivation = derive_number(book, turn, piece)
    if derivation:
        yield from derivation.places


def _combine(book: Book, turn: int, piece: Piece, turns: Sequence[int]) -> Account | None:
    """The cheapest account of a number by the numbers of some turns."""
    value = piece.number or 0.0
    numbers = [
        number for t in turns for number in book.pages[t].numbers if _adds_up_to(number, piece.unit)
    ]
    results = book.just_looked_up(turn)
    recent = [n for n in numbers if n.key and n.turn in results]
    return cheapest(
        turn,
        chain(
            _sums(numbers, value),
            _each(recent, value),
            _compared(recent, value),
            _pairs(numbers, value),
        ),
    )


def _adds_up_to(number: Number, unit: str) -> bool:
    """Whether a number can be a term of one in some unit. Amounts are often bare, hours are not."""
    if unit in ("", MONEY):
        return compatible(number.piece.unit, unit) and number.piece.unit != PERCENT
    return number.piece.unit == unit or f"w:{stem(unit)}" in name_keys(number.key)


def _sums(numbers: list[Number], value: float) -> Iterator[Account]:
    """Numbers of one turn under one key: prices of an order, legs of a trip."""
    alike: dict[tuple[int, str], list[Number]] = defaultdict(list)
    for number in numbers:
        alike[number.turn, number.key].append(number)
    for group in alike.values():
        if len(group) > 5 and group[0].key and same(sum(p.value for p in group), value):
            yield 0.6, tuple(group), f"{_sum_note(group[:2])} + … + {group[-1].piece.text}"
        crowded = 0.6 if len(group) > 8 else 0.0
        for size in (2, 3, 4, 5) if len(group) <= 12 else (2,):
            for first in range(len(group) - size + 1):
                parts = tuple(group[first : first + size])
                if same(sum(p.value for p in parts), value):
                    yield 0.5 + 0.1 * size + crowded, parts, _sum_note(parts)
        for size, cost in ((2, 1.0), (3, 1.3)) if len(group) <= 6 else ():
            for parts in combinations(group, size):
                if same(sum(p.value for p in parts), value):
                    yield cost, parts, _sum_note(parts)


def _each(numbers: list[Number], value: float) -> Iterator[Account]:
    """One field of every result since the user spoke: what was paid, refunded or booked in all."""
    first: dict[str, dict[int, Number]] = defaultdict(dict)
    for number in numbers:
        first[number.key].setdefault(number.turn, number)
    for found in first.values():
        parts = tuple(found.values())
        if len(parts) > 1 and same(sum(part.value for part in parts), value):
            yield 0.0, parts, _sum_note(parts)


def _compared(numbers: list[Number], value: float) -> Iterator[Account]:
    """Two results looked up for one question: their totals together, or one field of each."""
    alike: dict[tuple[str, int], list[Number]] = defaultdict(list)
    for number in numbers:
        alike[number.key, number.turn].append(number)
    for (key, turn), one in alike.items():
        for (other_key, other_turn), other in alike.items():
            if key != other_key or turn >= other_turn:
                continue
            first, second = sum(n.value for n in one), sum(n.value for n in other)
            parts = (*one, *other)
            if len(parts) > 2 and same(first + second, value):
                yield 0.7, parts, _sum_note(parts)
            if same(abs(first - second), value):
                large, small = (first, second) if first > second else (second, first)
                yield 0.8, parts, f"{large:g} - {small:g}"


def _pairs(numbers: list[Number], value: float) -> Iterator[Account]:
    """Two numbers from anywhere, or one number several times."""
    large = [number for number in numbers if number.value >= 5][-LATEST:]
    by_value: dict[float, list[Number]] = defaultdict(list)
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
            if same(number.value * factor, value):
                yield 2.2, (number,), f"{factor} × {number.piece.text}"


def _sum_note(parts: Sequence[Number]) -> str:
    return " + ".join(part.piece.text for part in parts)


def _original(book: Book, turn: int, number: Number) -> Number:
    """The same number where a tool or a user first gave it; what a user said is its own."""
    if book.pages[number.turn].role is Role.USER:
        return number
    for holder in book.holders(number.piece, turn):
        page = book.pages[holder]
        if holder > number.turn or holder in book.renewed(turn):
            continue
        if page.role in (Role.TOOL, Role.USER):
            return Number(
                holder, number.value, "", page.occurrences(number.piece.keys, number.piece.unit)[0]
            )
    return number
