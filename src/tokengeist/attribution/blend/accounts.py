"""What an account of a value by others is made of, and how one is chosen among several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.pieces import Kind, Piece

TOLERANCE = 0.006
MOST_COSTLY = 4.0


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
    is_certain: bool = True
    """Whether every step has its reason; else it is the likeliest guess."""
    is_loose: bool = False
    """Whether it joins two numbers from anywhere, which may be an accident."""

    @property
    def is_guess(self) -> bool:
        return self.is_loose or not self.is_certain


@dataclass(frozen=True, slots=True)
class Number:
    """A number of some turn, and the key of the field that it stands in."""

    turn: int
    value: float
    key: str
    piece: Piece

    @property
    def place(self) -> Place:
        return Place(self.turn, self.piece.start, self.piece.end)


Account = tuple[float, tuple[Number, ...], str]
"""What it costs to believe, the numbers, and the sum in writing."""


_COUNTS_TOPICS = re.compile(
    r" (?:(?:other|more|quick|small) )?(?:things?|questions?|points?|issues?|favou?rs?)\b"
)
"""What follows a number in `two other things`: it is about the conversation."""


def numbers_of(book: Book, turn: int) -> Iterator[Number]:
    """The numbers of a turn, but for zero; what may be an id counts in a tool's fields."""
    page = book.pages[turn]
    for piece in page.pieces:
        if piece.number and (piece.kind is Kind.NUMBER or page.is_structured):
            if _COUNTS_TOPICS.match(page.text, piece.end):
                continue
            found = page.field_at(piece.start) if page.fields else None
            if found or piece.kind is Kind.NUMBER:
                yield Number(turn, piece.number, found.key if found else "", piece)


def cheapest(turn: int, accounts: Iterable[Account]) -> Account | None:
    """The account that is easiest to believe: the simplest, from the nearest turns."""
    best: Account | None = None
    for cost, parts, note in accounts:
        cost += 0.02 * sum(turn - part.turn for part in parts) / len(parts)
        if cost < (best[0] if best else MOST_COSTLY):
            best = (cost, parts, note)
    return best


def same(one: float, other: float) -> bool:
    """Whether two numbers are equal to the cent."""
    return abs(one - other) < TOLERANCE
