"""Times of day that lie some hours or minutes from one that was named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.attribution.blend.accounts import Derivation
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.figures import Place
from tokengeist.attribution.blend.pieces import Kind, Piece
from tokengeist.transcript import Role

_MINUTES_IN = {"minute": 1, "hour": 60}
_SPELT = {"half an hour": 30, "quarter of an hour": 15, "an hour": 60, "next hour": 60}
_IN_WORDS = re.compile("|".join(rf"\b{words}\b" for words in _SPELT), re.IGNORECASE)
_DAY = 24 * 60


def derive_time(book: Book, turn: int, piece: Piece) -> Derivation | None:
    """A time so long before or after one that was named, as a rule, a result or a user says."""
    wanted = _minutes(piece)
    lengths = {minutes: place for place, minutes in _lengths(book, turn)}
    for page in reversed(book.pages[:turn]):
        if page.role is Role.ASSISTANT:
            continue
        for other in page.pieces if lengths else ():
            if other.kind is not Kind.TIME:
                continue
            for gap in (wanted - _minutes(other)) % _DAY, (_minutes(other) - wanted) % _DAY:
                if gap in lengths:
                    later = (_minutes(other) + gap) % _DAY == wanted
                    places = {Place(page.index, other.start, other.end), lengths[gap]}
                    note = f"{other.text} {'+' if later else '-'} {gap // 60}:{gap % 60:02}"
                    return Derivation(tuple(sorted(places, key=lambda p: p.turn)), note)
    return None


def _lengths(book: Book, turn: int) -> Iterator[tuple[Place, int]]:
    """How long anything is said to take, in minutes."""
    for page in book.pages[:turn]:
        if page.role is Role.ASSISTANT:
            continue
        for number in page.numbers:
            minutes = number.value * _MINUTES_IN.get(number.piece.unit, 0)
            if minutes and minutes.is_integer():
                yield number.place, int(minutes)
        for match in _IN_WORDS.finditer(page.text):
            yield Place(page.index, *match.span()), _SPELT[match.group().lower()]


def _minutes(piece: Piece) -> int:
    return int(piece.key.removeprefix("t:"))
