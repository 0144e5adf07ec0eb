"""What a data set is made of: the paper's tables about MTCABench, for any folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.gold import TAGS
from tokengeist.transcript import Role

CHARACTERS_PER_TOKEN = 4
"""The paper's estimate where no exact count was recorded."""


@dataclass
class Range:
    """Mean and extremes of a number, counted up one at a time."""

    total: float = 0.0
    n: int = 0
    low: float = float("inf")
    high: float = float("-inf")

    def add(self, value: float) -> None:
        """Count one more."""
        self.total += value
        self.n += 1
        self.low, self.high = min(self.low, value), max(self.high, value)

    @property
    def mean(self) -> float:
        """The mean so far."""
        return self.total / self.n if self.n else 0.0

    def json(self) -> dict[str, float]:
        """As a plain object."""
        return {"mean": self.mean, "min": self.low, "max": self.high} if self.n else {}


@dataclass
class DatasetStats:
    """The figures of one data set."""

    name: str
    conversations: int = 0
    targets: int = 0
    turns: Range = field(default_factory=Range)
    tokens: Range = field(default_factory=Range)
    """Estimated from characters."""
    depth: Range = field(default_factory=Range)
    depths: Counter[int] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    with_tools: int = 0
    """Targets with a tool result somewhere in their graph."""
    nodes: Range = field(default_factory=Range)
    """Turns in a gold graph besides the target."""
    corrections: dict[str, int] = field(default_factory=dict)
    """What the folder's corrections file puts right; corrected targets are not counted above."""

    def add(self, conversation: Conversation) -> None:
        """Count a conversation."""
        turns = conversation.transcript.turns
        self.conversations += 1
        self.turns.add(len(turns))
        self.tokens.add(sum(len(turn.text) for turn in turns) / CHARACTERS_PER_TOKEN)
        for target in conversation.targets:
            self.targets += 1
            self.depth.add(target.depth)
            self.depths[target.depth] += 1
            self.tags.update(target.tags)
            self.nodes.add(len(target.nodes) - 1)
            self.with_tools += any(turns[turn].role is Role.TOOL for turn in target.nodes)

    def share(self, count: int) -> float:
        """A number of targets as a share of all."""
        return count / self.targets if self.targets else 0.0

    def rows(self) -> list[tuple[str, str]]:
        """The overview, as labels and printed values."""
        return [
            ("Conversations", f"{self.conversations:,}"),
            ("Annotation targets", f"{self.targets:,}"),
            ("Avg. targets per conversation", f"{self.targets / self.conversations:.1f}"),
            ("Avg. turns per conversation", f"{self.turns.mean:.1f}"),
            ("Turns per conversation: range", f"{self.turns.low:.0f}–{self.turns.high:.0f}"),
            ("Input tokens (≈ characters / 4): mean", f"{self.tokens.mean:,.0f}"),
            ("Input tokens: range", f"{self.tokens.low:,.0f}–{self.tokens.high:,.0f}"),
            ("Avg. provenance depth", f"{self.depth.mean:.1f}"),
            ("Max. provenance depth", f"{self.depth.high:.0f}"),
            ("Avg. turns in a gold graph", f"{self.nodes.mean:.1f}"),
            ("Targets with tool-call path (%)", f"{100 * self.share(self.with_tools):.1f}"),
            ("Corrected turns", f"{self.corrections.get('turns', 0):,}"),
            ("Corrected targets, in addition", f"{self.corrections.get('targets', 0):,}"),
        ]

    def tag_rows(self) -> list[tuple[str, int, float]]:
        """Every tag with its count and its share of the targets."""
        return [(tag, self.tags[tag], self.share(self.tags[tag])) for tag in TAGS]

    def json(self) -> dict[str, Any]:
        """As a plain object."""
        return {
            "name": self.name,
            "conversations": self.conversations,
            "targets": self.targets,
            "turns": self.turns.json(),
            "tokens_estimated": self.tokens.json(),
            "depth": self.depth.json(),
            "depths": {str(depth): self.depths[depth] for depth in sorted(self.depths)},
            "graph_turns": self.nodes.json(),
            "tags": {
                tag: {"count": count, "share": share} for tag, count, share in self.tag_rows()
            },
            "with_tool_call_path": self.share(self.with_tools),
            "corrections": self.corrections,
        }


def describe(dataset: Dataset) -> DatasetStats:
    """Count a data set, one conversation at a time."""
    stats = DatasetStats(dataset.name, corrections=dataset.corrections.counts())
    for conversation in dataset:
        stats.add(conversation)
    return stats
