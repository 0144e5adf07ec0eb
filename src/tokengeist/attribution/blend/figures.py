"""Numbers where they stand: what sums are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tokengeist.attribution.blend.pieces import Piece

COUNTS_TOPICS = re.compile(
    r" (?:(?:other|more|quick|small) )?(?:things?|questions?|points?|issues?|favou?rs?)\b"
)
"""What follows a number in `two other things`: it is about the conversation."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of an earlier turn that something was worked out from."""

    turn: int
    start: int
    end: int


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
