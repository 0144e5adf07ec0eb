"""A backend that says what it was told to say: for tests, tutorials and doctests.

It is public so that users can test what they build on Tokengeist without a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript


@dataclass(frozen=True)
class ScriptedAttributor:
    """Scores whole turns from a table: dependent turn → source turn → score.

    Every source of a turn gets the turn's score; what the table leaves out scores 0.
    """

    table: Mapping[int, Mapping[int, float]]

    @property
    def spec(self) -> AttributorSpec:
        return AttributorSpec("scripted")

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> ScriptedReading:
        return ScriptedReading(self.table, tuple(sources))


@dataclass(frozen=True)
class ScriptedReading:
    """The table, laid over a transcript's sources."""

    table: Mapping[int, Mapping[int, float]]
    sources: tuple[Source, ...]

    def score(self, target: Target) -> list[float]:
        row = self.table.get(target.turn, {})
        return [row.get(s.turn, 0.0) for s in self.sources if s.turn < target.turn]
