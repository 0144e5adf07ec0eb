"""Means over targets with bootstrap intervals.

Targets of one conversation share its turns and often its mistakes, so what is drawn again is the
conversation, not the target: intervals over targets would be too narrow. Conversations beyond
`BLOCKS` share a block with earlier ones, which keeps memory and time fixed for any number of them
and widens nothing that matters at that size.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

BLOCKS = 400
RESAMPLES = 1000
SEED = 20240


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` values with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int

    def json(self) -> dict[str, float | int]:
        """As a plain object."""
        return asdict(self)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


class Tally:
    """Sums of one quantity, by block of conversations."""

    def __init__(self) -> None:
        self._sums = array("d", bytes(8 * BLOCKS))
        self._counts = array("d", bytes(8 * BLOCKS))

    def add(self, conversation: int, value: float) -> None:
        """Count one target of the conversation with this number."""
        self._sums[conversation % BLOCKS] += value
        self._counts[conversation % BLOCKS] += 1

    @property
    def n(self) -> int:
        """How many values were counted."""
        return round(sum(self._counts))

    @property
    def mean(self) -> float:
        """The mean of all values."""
        return sum(self._sums) / sum(self._counts)

    def estimate(self, conversations: int) -> Estimate | None:
        """The mean and its interval, given how many conversations were scored; None for none."""
        if not self.n:
            return None
        means = []
        for drawn in _resamples(min(conversations, BLOCKS)):
            count = sum([self._counts[block] for block in drawn])
            if count:
                means.append(sum([self._sums[block] for block in drawn]) / count)
        means.sort()
        return Estimate(self.mean, _quantile(means, 0.025), _quantile(means, 0.975), self.n)


@lru_cache(maxsize=4)
def _resamples(blocks: int) -> tuple[array[int], ...]:
    """The same draws for every quantity, so that differences between runs are paired."""
    draw = random.Random(SEED)
    return tuple(array("H", draw.choices(range(blocks), k=blocks)) for _ in range(RESAMPLES))


def _quantile(ordered: Sequence[float], level: float) -> float:
    position = level * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
