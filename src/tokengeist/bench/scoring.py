"""A whole run against its data set: the figures of the paper's tables, in one pass.

Conversations are read one at a time and leave nothing behind but sums, so the size of the data set
does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tokengeist.bench.bootstrap import Estimate, Tally
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.gold import TAGS, GoldTarget
from tokengeist.bench.hallucination import corrected_scores, hallucinated_scores
from tokengeist.bench.metrics import METRICS, score_prediction
from tokengeist.bench.mistakes import Mistakes
from tokengeist.bench.predictions import Prediction
from tokengeist.bench.store import RunFolder
from tokengeist.errors import DatasetError, RunError
from tokengeist.graph import EdgeKind

Group = dict[str, Estimate]
"""Estimates by metric; a metric that no target defines is absent."""


@dataclass(frozen=True)
class RunScores:
    """What a run is worth."""

    targets: int
    """Targets that were scored."""
    errors: int
    """Of them, those that failed, scored 0."""
    missing: int
    """Targets of the data set that the run has not reached; they are not scored."""
    overall: Group
    by_tag: dict[str, Group]
    by_depth: dict[int, Group]
    coverage_by_depth: dict[int, Estimate]
    """Share of gold turns with any attribution, by fewest hops from the target."""
    coverage_by_distance: dict[int, Estimate]
    """The same by how many turns earlier they stand."""
    hallucinated: Group
    corrected: Group
    mistakes: Mistakes = field(default_factory=Mistakes)
    seconds: Estimate | None = field(default=None)
    """Time per target."""

    def json(self) -> dict[str, Any]:
        """As a plain object."""

        def group(estimates: Group) -> dict[str, Any]:
            return {name: estimate.json() for name, estimate in estimates.items()}

        return {
            "targets": self.targets,
            "errors": self.errors,
            "missing": self.missing,
            "overall": group(self.overall),
            "by_tag": {tag: group(found) for tag, found in self.by_tag.items()},
            "by_depth": {str(depth): group(found) for depth, found in self.by_depth.items()},
            "coverage_by_depth": _numbered(self.coverage_by_depth),
            "coverage_by_distance": _numbered(self.coverage_by_distance),
            "hallucinated": group(self.hallucinated),
            "corrected": group(self.corrected),
            "mistakes": self.mistakes.json(),
            "seconds": self.seconds.json() if self.seconds else None,
        }


def _numbered(estimates: dict[int, Estimate]) -> dict[str, Any]:
    return {str(number): estimate.json() for number, estimate in estimates.items()}


@dataclass(frozen=True, slots=True)
class Pair:
    """A prediction and the gold target that it is about."""

    number: int
    """Of its conversation, counted over the conversations that the run has reached."""
    prediction: Prediction
    gold: GoldTarget
    conversation: Conversation


def pairs(
    dataset: Dataset, folder: RunFolder, ids: Sequence[str] | None = None, *, start: int = 0
) -> Iterator[Pair]:
    """The predictions of a run with their gold targets, in the order of the data set.

    Corrected targets are variants of targets that are there already, so they are not among them
    unless `ids` asks for them. Conversations are numbered from `start`.
    """
    index = folder.index()
    if not index:
        raise RunError(f"{folder.path} holds no predictions yet")
    number = start
    for id in dataset.ids if ids is None else ids:
        if id not in index:
            continue
        predictions = {p.target: p for p in folder.read(index[id])}
        if None in predictions:
            continue  # a conversation whose gold could not be read has nothing to score against
        conversation = dataset.conversation(id)
        for gold in conversation.targets:
            if gold.name not in predictions:
                raise DatasetError(
                    f"{folder.predictions.path} has no prediction for '{gold.name}' of {id}; "
                    "the run was made over other gold files, or stopped while it wrote: its own "
                    "`bench run` command goes on from there"
                )
            yield Pair(number, predictions[gold.name], gold, conversation)
        number += 1


class _Tallies:
    """Tallies by any key, made as they are needed."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, Any, str], Tally] = {}

    def add(self, group: str, key: object, metric: str, number: int, value: float | None) -> None:
        if value is not None:
            self._tallies.setdefault((group, key, metric), Tally()).add(number, value)

    def groups(self, group: str, conversations: int) -> dict[Any, Group]:
        found: dict[Any, Group] = {}
        for (name, key, metric), tally in self._tallies.items():
            estimate = tally.estimate(conversations) if name == group else None
            if estimate is not None:
                found.setdefault(key, {})[metric] = estimate
        return found


def score(dataset: Dataset, folder: RunFolder, ids: Sequence[str] | None = None) -> RunScores:
    """Score a run, or some of its conversations.

    Raises `RunError` or `DatasetError` where run and data do not belong together.
    """
    tallies = _Tallies()
    mistakes = Mistakes()
    targets = errors = conversations = 0
    for pair in pairs(dataset, folder, ids):
        _count(pair, tallies)
        edges = {(edge.dependent, edge.source) for edge in pair.prediction.edges}
        mistakes.count(edges, pair.gold, pair.conversation.transcript)
        targets += 1
        errors += pair.prediction.error is not None
        conversations = pair.number + 1
    with_corrected = conversations
    corrected = dataset.corrected_ids if ids is None else ()
    for pair in pairs(dataset, folder, corrected, start=conversations):
        _count_corrected(pair, tallies)
        with_corrected = pair.number + 1
    if not targets:
        raise RunError(f"{folder.path} holds no prediction that could be scored")

    def only(group: str) -> Group:
        return tallies.groups(group, conversations).get(None, {})

    def by(group: str) -> dict[Any, Group]:
        found = tallies.groups(group, conversations)
        return {key: found[key] for key in sorted(found)}

    by_tag = tallies.groups("tag", conversations)
    return RunScores(
        targets=targets,
        errors=errors,
        missing=_targets_without(dataset, folder, dataset.all_ids if ids is None else ids),
        overall=only("overall"),
        by_tag={tag: by_tag[tag] for tag in TAGS if tag in by_tag},
        by_depth=by("depth"),
        coverage_by_depth={depth: found["coverage"] for depth, found in by("hops").items()},
        coverage_by_distance={far: found["coverage"] for far, found in by("distance").items()},
        hallucinated=only("hallucinated"),
        corrected=tallies.groups("corrected", with_corrected).get(None, {}),
        mistakes=mistakes,
        seconds=only("seconds").get("seconds"),
    )


def _count(pair: Pair, tallies: _Tallies) -> None:
    prediction, gold, number = pair.prediction, pair.gold, pair.number
    transcript = pair.conversation.transcript
    for metric, value in score_prediction(prediction, gold, transcript).items():
        tallies.add("overall", None, metric, number, value)
        if metric in METRICS:
            tallies.add("depth", gold.depth, metric, number, value)
            for tag in gold.tags:
                tallies.add("tag", tag, metric, number, value)
    if "hallucination" in gold.tags:
        for metric, value in hallucinated_scores(prediction, gold).items():
            tallies.add("hallucinated", None, metric, number, value)
    if gold.corrected_from is not None:
        _count_corrected(pair, tallies)
    tallies.add("seconds", None, "seconds", number, prediction.seconds)
    signalled = signalled_turns(prediction)
    for turn, hops in gold.distances.items():
        if turn != gold.turn:
            found = float(turn in signalled)
            tallies.add("hops", hops, "coverage", number, found)
            tallies.add("distance", gold.turn - turn, "coverage", number, found)


def _count_corrected(pair: Pair, tallies: _Tallies) -> None:
    transcript = pair.conversation.transcript
    for metric, value in corrected_scores(pair.prediction, pair.gold, transcript).items():
        tallies.add("corrected", None, metric, pair.number, value)


def signalled_turns(prediction: Prediction) -> set[int]:
    """The turns that received any attribution before pruning (paper, appendix B.4).

    A structural edge carries no signal: a turn that only such an edge leads to has none.
    """
    return {
        edge.source
        for edge in prediction.unpruned_edges
        if edge.kind == EdgeKind.ATTRIBUTION and edge.score > 0
    }


def _targets_without(dataset: Dataset, folder: RunFolder, ids: Sequence[str]) -> int:
    index = folder.index()
    return sum(len(dataset.conversation(id).targets) for id in ids if id not in index)


@dataclass(frozen=True, slots=True)
class Spread:
    """A metric over repeated runs."""

    mean: float
    deviation: float
    """The standard deviation from run to run (of a sample)."""
    runs: int


def spread(scores: list[RunScores]) -> dict[str, Spread]:
    """Mean and standard deviation of every overall metric over repeats."""
    found = {}
    for metric in METRICS:
        means = [s.overall[metric].mean for s in scores if metric in s.overall]
        if means:
            mean = sum(means) / len(means)
            square = sum((value - mean) ** 2 for value in means)
            deviation = (square / (len(means) - 1)) ** 0.5 if len(means) > 1 else 0.0
            found[metric] = Spread(mean, deviation, len(means))
    return found
