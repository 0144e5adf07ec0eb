"""Runs against each other, target by target.

Two methods stumble over the same hard targets, so the difference of their means is far better known
than either mean. What is averaged here is the difference on each target that both runs have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokengeist.bench.bootstrap import Estimate, Tally
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.metrics import METRICS, TargetScores, score_prediction
from tokengeist.bench.predictions import Prediction
from tokengeist.bench.store import RunFolder
from tokengeist.errors import RunError


@dataclass(frozen=True)
class Comparison:
    """What `run` scores more than `baseline` on the targets that both have."""

    baseline: str
    run: str
    differences: dict[str, Estimate]
    wins: int
    """Targets on which the run has the better edge F1."""
    losses: int
    ties: int

    def json(self) -> dict[str, Any]:
        """As a plain object."""
        return {
            "baseline": self.baseline,
            "run": self.run,
            "differences": {name: found.json() for name, found in self.differences.items()},
            "edge_f1_wins": self.wins,
            "edge_f1_losses": self.losses,
            "edge_f1_ties": self.ties,
        }


def compare(dataset: Dataset, baseline: RunFolder, other: RunFolder) -> Comparison:
    """How much better `other` is than `baseline`, with paired bootstrap intervals."""
    tallies = {metric: Tally() for metric in METRICS}
    wins = losses = ties = conversations = 0
    for number, ours, theirs in _scored_pairs(dataset, other, baseline):
        conversations = number + 1
        for metric in METRICS:
            mine, yours = getattr(ours, metric), getattr(theirs, metric)
            if mine is not None and yours is not None:
                tallies[metric].add(number, mine - yours)
        wins += ours.edge_f1 > theirs.edge_f1
        losses += ours.edge_f1 < theirs.edge_f1
        ties += ours.edge_f1 == theirs.edge_f1
    if not conversations:
        raise RunError(f"{baseline.path} and {other.path} have no target in common")
    estimates = {metric: tally.estimate(conversations) for metric, tally in tallies.items()}
    return Comparison(
        str(baseline.path),
        str(other.path),
        {metric: found for metric, found in estimates.items() if found is not None},
        wins,
        losses,
        ties,
    )


def _scored_pairs(
    dataset: Dataset, one: RunFolder, two: RunFolder
) -> Iterator[tuple[int, TargetScores, TargetScores]]:
    first, second = one.index(), two.index()
    number = 0
    for id in dataset.ids:
        if id not in first or id not in second:
            continue
        mine, yours = _by_name(one.read(first[id])), _by_name(two.read(second[id]))
        if None in mine or None in yours:
            continue
        conversation = dataset.conversation(id)
        for gold in conversation.targets:
            if gold.name in mine and gold.name in yours:
                yield (
                    number,
                    score_prediction(mine[gold.name], gold, conversation.transcript),
                    score_prediction(yours[gold.name], gold, conversation.transcript),
                )
        number += 1


def _by_name(predictions: list[Prediction]) -> dict[str | None, Prediction]:
    return {prediction.target: prediction for prediction in predictions}
