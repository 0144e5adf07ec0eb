"""Dates that were counted wrong from one that is known, by a length of time that is stated."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import NamedTuple

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding, sentence
from tokengeist.attribution.blend.checks.names import UNIT_KEYS, akin
from tokengeist.attribution.blend.checks.subject import subjects
from tokengeist.attribution.blend.dates import dates_of, day_of, gap_between, lengths_meant, shifted
from tokengeist.attribution.blend.figures import Place
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Kind, name_keys
from tokengeist.transcript import Role, Span

_NEAR_MISS = 3
"""Who miscounts is off by a few days; more may be another way to count."""
_WORKING = re.compile(r"\b(?:working|business)\b", re.IGNORECASE)
_WEEKEND = 5
_LEAST_SHARED = 2


class _Step(NamedTuple):
    """A length of time, the sentence that gives it, and how well it fits the statement."""

    length: tuple[str, int]
    place: tuple[int, Span]
    shared: int


def wrong_date(book: Book, need: Need, item: Item) -> Finding | None:
    """A date that stands nowhere, a few days beside where the rule's length of time leads to."""
    wanted = day_of(item.piece) if item.piece.kind is Kind.DATE else None
    if wanted is None or _WORKING.search(sentence(book, need)):
        return None
    if any(book.pages[turn].role is not Role.ASSISTANT for turn in item.holders):
        return None
    steps = list(_steps(book, need))
    if _counts_otherwise(book, need, steps):
        return None
    if any(day == wanted for step in steps for day in _reached_otherwise(book, need, step)):
        return None
    most = max((step.shared for step in steps), default=0)
    missed: list[tuple[int, Finding]] = []
    for step in steps if most >= _LEAST_SHARED else ():
        for place, day in _starts(book, need):
            for reached in shifted(day, step.length):
                off = abs(gap_between(reached, wanted))
                if off == 0:
                    return None
                if step.shared < most or off > _NEAR_MISS:
                    continue
                if not _avoids_weekend(reached, wanted):
                    count, unit = step.length[1], step.length[0]
                    reason = f"{count} {unit}s from {day:%d %b} is {reached:%d %b}"
                    base = (place.turn, Span(place.start, place.end))
                    missed.append((off, Finding(WRONG_VALUE, reason, (step.place, base))))
    return min(missed, key=lambda entry: entry[0])[1] if missed else None


def _steps(book: Book, need: Need) -> Iterator[_Step]:
    """The lengths of time that rules give, with what their sentences share with the statement."""
    words = set(book.pages[need.turn].prose_keys)
    for user in book.roles(Role.USER, need.turn)[-1:]:
        words |= book.pages[user].keys
    for rules in book.roles(Role.SYSTEM, need.turn):
        page = book.pages[rules]
        for number in book.pages[rules].numbers:
            for length in lengths_meant(book, number):
                start, end = page.home(number.piece.start)
                shared = (words & page.keys_between(start, end)) - UNIT_KEYS
                yield _Step(length, (rules, Span(start, end)), len(shared))


def _counts_otherwise(book: Book, need: Need, steps: list[_Step]) -> bool:
    """Whether the statement gives lengths of time of its own."""
    page = book.pages[need.turn]
    homes = [page.home(span.start) for span in need.spans]
    own = {
        length
        for number in book.pages[need.turn].numbers
        if any(start <= number.piece.start < end for start, end in homes)
        for length in lengths_meant(book, number)
    }
    return bool(own - {step.length for step in steps})


def _starts(book: Book, need: Need) -> list[tuple[Place, datetime.date]]:
    """The dates to count from: those whose name the statement gives, else all of the record."""
    said = {p.key for p in book.pages[need.turn].pieces if p.kind in (Kind.WORD, Kind.NAME)}
    dated, named = list[tuple[Place, datetime.date]](), list[tuple[Place, datetime.date]]()
    for turn in subjects(book, need):
        page = book.pages[turn]
        for place, day in dates_of(page):
            dated.append((place, day))
            held = page.field_at(place.start)
            if held and any(akin(one, other) for one in name_keys(held.key) for other in said):
                named.append((place, day))
    return named or dated


def _reached_otherwise(book: Book, need: Need, step: _Step) -> Iterator[datetime.date]:
    """Where a length of time leads to from the dates that user and assistant speak of."""
    for turn in (*book.roles(Role.USER, need.turn), need.turn):
        for _, day in dates_of(book.pages[turn]):
            yield from shifted(day, step.length)


def _avoids_weekend(reached: datetime.date, wanted: datetime.date) -> bool:
    """Whether a date is the next one on which anybody works."""
    return reached.weekday() >= _WEEKEND and wanted > reached and wanted.weekday() == 0
