"""What an account of a value by others is made of, and how one is chosen among several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tokengeist.attribution.blend.figures import Number, Place

TOLERANCE = 0.006
MOST_COSTLY = 4.0


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


Account = tuple[float, tuple[Number, ...], str]
"""What it costs to believe, the numbers, and the sum in writing."""


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
