"""Which edges a run misses and which it makes up, by what the edge joins and by dependency type.

A mean hides what to do about it. An edge's kind says who rests on whom: a tool call on the user
turn that its arguments came from is another problem than a statement on the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tokengeist.bench.gold import TAGS, GoldTarget
from tokengeist.bench.metrics import Pair, gold_pairs
from tokengeist.transcript import Role, Transcript, Turn

PARTIES = ("call", "statement", "result", "user", "system")


@dataclass(slots=True)
class EdgeCounts:
    """Edges over all targets of some sort."""

    found: int = 0
    missed: int = 0
    spurious: int = 0

    @property
    def gold(self) -> int:
        """How many there should be."""
        return self.found + self.missed

    def json(self) -> dict[str, int]:
        """As a plain object."""
        return {"found": self.found, "missed": self.missed, "spurious": self.spurious}


@dataclass
class Mistakes:
    """The edges of a run, counted."""

    by_kind: dict[str, EdgeCounts] = field(default_factory=dict)
    """By what the edge joins, such as `call → user`."""
    by_tag: dict[str, EdgeCounts] = field(default_factory=dict)
    """By dependency type of the target; a target counts under each of its tags."""

    def count(self, predicted: set[Pair], gold: GoldTarget, transcript: Transcript) -> None:
        """Add the edges of one target."""
        true = gold_pairs(gold)
        for pair in predicted | true:
            for counts in self._counts_for(pair, gold, transcript):
                if pair not in true:
                    counts.spurious += 1
                elif pair in predicted:
                    counts.found += 1
                else:
                    counts.missed += 1

    def _counts_for(
        self, pair: Pair, gold: GoldTarget, transcript: Transcript
    ) -> Iterator[EdgeCounts]:
        dependent, source = (party(transcript.turns[turn]) for turn in pair)
        yield self.by_kind.setdefault(f"{dependent} → {source}", EdgeCounts())
        for tag in gold.tags:
            yield self.by_tag.setdefault(tag, EdgeCounts())

    def kinds(self) -> list[str]:
        """The kinds of edges that occur, in a fixed order."""
        pairs = [f"{one} → {other}" for one in PARTIES for other in PARTIES]
        return [kind for kind in pairs if kind in self.by_kind]

    def json(self) -> dict[str, Any]:
        """As a plain object."""
        return {
            "by_kind": {kind: self.by_kind[kind].json() for kind in self.kinds()},
            "by_tag": {tag: self.by_tag[tag].json() for tag in TAGS if tag in self.by_tag},
        }


def party(turn: Turn) -> str:
    """What a turn is to an edge: its role, and of the assistant whether it calls a tool."""
    if turn.role is Role.ASSISTANT:
        return "call" if turn.calls else "statement"
    return "result" if turn.role is Role.TOOL else str(turn.role)
