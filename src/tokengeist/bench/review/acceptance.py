"""The acceptance table: how much of a sample stood up to review, before and after re-labelling.

Acceptance means correct or with minor issues, as in the paper's table. *Before* counts a reviewer's
first judgement of the graph that was drawn; *after* counts the last one of whatever stands there
now. A graph that was changed and not yet looked at again keeps its old judgement and is counted as
waiting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tokengeist.bench.review.judgements import Action, Judgement, judged
from tokengeist.bench.review.sample import BUCKETS, Item, Sample


@dataclass(slots=True)
class Row:
    """One line of the table."""

    name: str
    sampled: int = 0
    before: int = 0
    """Judgements of graphs as they were drawn."""
    correct: int = 0
    minor: int = 0
    wrong: int = 0
    after: int = 0
    accepted_after: int = 0
    waiting: int = 0
    """Graphs that were changed after their last judgement."""

    @property
    def accepted_before(self) -> int:
        """Judgements that were not *wrong*."""
        return self.correct + self.minor

    @property
    def pre(self) -> float | None:
        """The share accepted before re-labelling."""
        return self.accepted_before / self.before if self.before else None

    @property
    def post(self) -> float | None:
        """The share accepted after it."""
        return self.accepted_after / self.after if self.after else None

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return asdict(self) | {"pre": self.pre, "post": self.post}

    def count(self, item: Item, judgements: Sequence[Action], digest: str) -> None:
        """Count what one reviewer said of an item whose graph has now this digest."""
        of_drawn = [action for action in judgements if action.digest == item.digest]
        if of_drawn and of_drawn[0].judgement is not None:
            self.before += 1
            match of_drawn[0].judgement:
                case Judgement.CORRECT:
                    self.correct += 1
                case Judgement.MINOR:
                    self.minor += 1
                case Judgement.WRONG:
                    self.wrong += 1
        if judgements and judgements[-1].judgement is not None:
            self.after += 1
            self.accepted_after += judgements[-1].judgement.is_accepted
            self.waiting += judgements[-1].digest != digest


@dataclass(frozen=True, slots=True)
class AcceptanceTable:
    """Rows by dependency type, then by split, then all together."""

    buckets: tuple[Row, ...]
    splits: tuple[Row, ...]
    overall: Row

    def rows(self) -> Iterator[Row]:
        """All rows in order."""
        yield from self.buckets
        yield from self.splits
        yield self.overall

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {
            "buckets": [row.to_json() for row in self.buckets],
            "splits": [row.to_json() for row in self.splits],
            "overall": self.overall.to_json(),
        }


def acceptance(
    sample: Sample,
    reviews: Sequence[Sequence[Action]],
    digests: Mapping[tuple[str, str], str],
) -> AcceptanceTable:
    """The table over one reviewer's actions, or over several reviewers' together.

    `digests` are the graphs as they are now.
    """
    buckets = {name: Row(name) for name in BUCKETS}
    splits = {name: Row(name) for name in sorted({item.split for item in sample.items})}
    overall = Row("overall")
    everything = [judged(list(actions)) for actions in reviews]
    for item in sample.items:
        key = (item.conversation, item.target)
        for row in (buckets[item.bucket], splits[item.split], overall):
            row.sampled += 1
            for said in everything:
                row.count(item, said.get(key, ()), digests.get(key, ""))
    present = tuple(row for row in buckets.values() if row.sampled)
    return AcceptanceTable(present, tuple(splits.values()) if len(splits) > 1 else (), overall)
