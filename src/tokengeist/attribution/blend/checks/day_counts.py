"""Days that were counted wrong: until a date, or between two."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding, question, sentence
from tokengeist.attribution.blend.checks.names import UNIT_KEYS
from tokengeist.attribution.blend.checks.subject import subjects
from tokengeist.attribution.blend.dates import dates_of, gap_between, today
from tokengeist.attribution.blend.figures import Place
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Kind, pieces
from tokengeist.transcript import Role, Span

_ASKED = re.compile(r"\bhow (?:many (?:more )?(?:days|weeks)|long|much (?:time|longer))\b", re.I)
_UNTIL = re.compile(
    r"\b(?:until|till|left|to go|remain(?:s|ing)?|away|from (?:today|now)|before)\b", re.IGNORECASE
)
_BETWEEN = re.compile(r"\b(?:between|apart|distance)\b", re.IGNORECASE)
_COUNTED_OTHERWISE = re.compile(
    r"\b(?:working|business|inclu\w+|counting|about|around|roughly|some|approximately|nearly"
    r"|almost|over|more|less|under)\b",
    re.IGNORECASE,
)
_DAYS = {"day": 1, "week": 7}
_FEW = 3
"""Among the dates of more results than this, any two may be as far apart by accident."""

_Dated = tuple[Place, datetime.date]


def miscounted(book: Book, need: Need, item: Item) -> Finding | None:
    """A number of days that lies between none of the dates it can be about."""
    if item.piece.unit not in _DAYS or item.piece.number is None:
        return None
    said, asked = sentence(book, need), question(book, need)
    if any(_is_stated(book, turn, item, said + asked) for turn in item.holders):
        return None
    if _COUNTED_OTHERWISE.search(said):
        return None
    days = item.piece.number * _DAYS[item.piece.unit]
    pairs = list(_meant(book, need, item, said, asked))
    gaps = [abs(gap_between(one[1], other[1])) for one, other in pairs]
    if not pairs or days in gaps:
        return None
    is_open = not _BETWEEN.search(asked) and not _told_beside(book, need, item)
    if is_open and _is_shifted(book, need, days, gaps):
        return None
    nearest = min(range(len(pairs)), key=lambda n: (abs(gaps[n] - days), -pairs[n][1][0].turn))
    places = tuple((place.turn, Span(place.start, place.end)) for place, _ in pairs[nearest])
    return Finding(WRONG_VALUE, f"there are {gaps[nearest]} days between the dates", places)


def _is_stated(book: Book, turn: int, item: Item, told: str) -> bool:
    """Whether somebody else stated this length of time in a sentence on the same thing."""
    page = book.pages[turn]
    if page.role is Role.ASSISTANT:
        return False
    words = {p.key for p in pieces(told) if p.kind in (Kind.WORD, Kind.NAME)} - UNIT_KEYS
    found = page.occurrences(item.keys, item.piece.unit)
    return any(words & page.keys_between(*page.home(p.start)) for p in found if p.unit)


def _meant(
    book: Book, need: Need, item: Item, said: str, asked: str
) -> Iterator[tuple[_Dated, _Dated]]:
    """The pairs of dates between which the days of a statement can lie."""
    about = subjects(book, need)
    scope = [dated for turn in about for dated in dates_of(book.pages[turn])]
    if _BETWEEN.search(asked) or (_BETWEEN.search(said) and not asked):
        spoken = [d for u in book.roles(Role.USER, need.turn)[-1:] for d in dates_of(book.pages[u])]
        dated = scope + spoken
        for number, one in enumerate(dated):
            for other in dated[:number]:
                if one[0].turn == other[0].turn or len(about) <= _FEW or one in spoken:
                    yield one, other
        return
    rules = (today(book.pages[t]) for t in book.roles(Role.SYSTEM, need.turn))
    now = next((found for found in rules if found), None)
    if now is None or not _UNTIL.search(asked if _ASKED.search(asked) else said):
        return
    own = _told_beside(book, need, item)
    if own and _UNTIL.search(said):
        scope = [d for d in scope if any(gap_between(d[1], day) == 0 for day in own)]
    yield from ((now, other) for other in scope)


def _told_beside(book: Book, need: Need, item: Item) -> list[datetime.date]:
    """The dates of the sentence that tells a number of days."""
    page = book.pages[need.turn]
    start, end = page.home(item.piece.start)
    return [day for place, day in dates_of(page) if start <= place.start < end]


def _is_shifted(book: Book, need: Need, days: float, gaps: list[int]) -> bool:
    """Whether a deadline of so many days, stated somewhere, lies between the count and a date."""
    lengths = {
        number.value * _DAYS[number.piece.unit]
        for page in book.pages[: need.turn]
        if page.role is not Role.ASSISTANT
        for number in page.numbers
        if number.piece.unit in _DAYS
    }
    return any(abs(gap - days) in lengths or gap + days in lengths for gap in gaps)
