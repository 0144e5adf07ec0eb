"""How far people agree: on judgements of one graph, and on whole graphs of one target.

Agreement on graphs is the ceiling of a benchmark: no method can be expected to agree with the gold
better than a second annotator does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tokengeist.bench.bootstrap import Estimate, Tally
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.metrics import METRICS, gold_nodes, gold_pairs, span_f1, structure_scores
from tokengeist.bench.review.judgements import Action, Judgement, judged
from tokengeist.errors import RunError
from tokengeist.transcript import Transcript

LEVELS = tuple(Judgement)


@dataclass(frozen=True, slots=True)
class Kappa:
    """Two reviewers' agreement on the items that both have judged."""

    reviewers: tuple[str, str]
    n: int
    observed: float | None
    """The share of items on which they say the same."""
    kappa: float | None
    """Cohen's kappa; None where chance alone would explain full agreement."""
    weighted: float | None
    """The same with linear weights: *wrong* against *correct* counts double."""
    counts: tuple[tuple[int, ...], ...]
    """Rows: the first reviewer's judgement; columns: the second's."""

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {
            "reviewers": list(self.reviewers),
            "n": self.n,
            "observed": self.observed,
            "kappa": self.kappa,
            "weighted": self.weighted,
            "levels": [level.value for level in LEVELS],
            "counts": [list(row) for row in self.counts],
        }


def cohens_kappa(
    pairs: Sequence[tuple[Judgement, Judgement]], *, weighted: bool = False
) -> float | None:
    """Agreement beyond chance, between -1 and 1.

    >>> both = [(Judgement.CORRECT, Judgement.CORRECT)] * 3 + [(Judgement.WRONG, Judgement.WRONG)]
    >>> cohens_kappa(both), cohens_kappa(both[:3])
    (1.0, None)
    """
    first = Counter(LEVELS.index(a) for a, _ in pairs)
    second = Counter(LEVELS.index(b) for _, b in pairs)

    def distance(a: int, b: int) -> float:
        return abs(a - b) if weighted else float(a != b)

    observed = sum(distance(LEVELS.index(a), LEVELS.index(b)) for a, b in pairs)
    expected = sum(
        distance(a, b) * first[a] * second[b]
        for a in range(len(LEVELS))
        for b in range(len(LEVELS))
    )
    return 1 - observed * len(pairs) / expected if expected else None


def kappas(reviews: Sequence[tuple[str, Sequence[Action]]]) -> list[Kappa]:
    """Every two reviewers' agreement.

    Each item counts with their first judgements of the same graph: a later one may have been made
    after they had talked.
    """
    found = []
    for (one, ones), (other, others) in combinations(reviews, 2):
        pairs = list(_pairs(ones, others))
        same = sum(a is b for a, b in pairs)
        counts = Counter(pairs)
        found.append(
            Kappa(
                (one, other),
                len(pairs),
                same / len(pairs) if pairs else None,
                cohens_kappa(pairs),
                cohens_kappa(pairs, weighted=True),
                tuple(tuple(counts[a, b] for b in LEVELS) for a in LEVELS),
            )
        )
    return found


def _pairs(
    ones: Sequence[Action], others: Sequence[Action]
) -> Iterable[tuple[Judgement, Judgement]]:
    theirs = judged(list(others))
    for item, said in judged(list(ones)).items():
        for mine in said:
            match = [a for a in theirs.get(item, ()) if a.digest == mine.digest]
            if match and mine.judgement is not None and match[0].judgement is not None:
                yield mine.judgement, match[0].judgement
                break


@dataclass(frozen=True, slots=True)
class GraphAgreement:
    """Two annotations of the same targets against each other."""

    targets: int
    unmatched: int
    """Targets that only one of the two has."""
    metrics: dict[str, Estimate]
    same_tags: float | None
    """The share of targets with the same tags."""

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {
            "targets": self.targets,
            "unmatched": self.unmatched,
            "same_tags": self.same_tags,
            "metrics": {name: estimate.json() for name, estimate in self.metrics.items()},
        }


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """Two reviewers' graphs of the same targets against each other."""

    reviewers: tuple[str, str]
    graphs: GraphAgreement

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {"reviewers": list(self.reviewers)} | self.graphs.to_json()


class _Comparison:
    """Pairs of graphs, counted as they come."""

    def __init__(self) -> None:
        self.targets = 0
        self._same_tags = 0
        self._tallies = {metric: Tally() for metric in METRICS}
        self._conversations: dict[str, int] = {}

    def add(self, one: GoldTarget, other: GoldTarget, transcript: Transcript) -> None:
        number = self._conversations.setdefault(transcript.id, len(self._conversations))
        self.targets += 1
        self._same_tags += set(one.tags) == set(other.tags)
        for metric, value in _scores(one, other, transcript).items():
            if value is not None:
                self._tallies[metric].add(number, value)

    def result(self, *, unmatched: int) -> GraphAgreement:
        found = {m: tally.estimate(len(self._conversations)) for m, tally in self._tallies.items()}
        known = {metric: estimate for metric, estimate in found.items() if estimate is not None}
        share = self._same_tags / self.targets if self.targets else None
        return GraphAgreement(self.targets, unmatched, known, share)


def graph_agreement(one: Dataset, other: Dataset) -> GraphAgreement:
    """Edge F1, node F1, source recall and span F1 between two gold folders of one benchmark.

    Source recall and span F1 look at one side's annotation, so both directions are averaged.
    Targets are the same if they are the same span of the same turn.
    """
    comparison = _Comparison()
    unmatched = 0
    for id in sorted(one.gold_ids & other.gold_ids & set(one.ids) & set(other.ids)):
        ours, theirs = one.conversation(id), other.conversation(id)
        if ours.transcript.fingerprint != theirs.transcript.fingerprint:
            raise RunError(f"the two folders hold different conversations under the name {id}")
        pairs, alone = _matched(ours, theirs)
        unmatched += alone
        for a, b in pairs:
            comparison.add(a, b, ours.transcript)
    if not comparison.targets:
        raise RunError(f"{one.folder} and {other.folder} have no target in common")
    return comparison.result(unmatched=unmatched)


def reviewer_agreement(
    reviewers: tuple[str, str],
    ones: Mapping[tuple[str, str], GoldTarget],
    others: Mapping[tuple[str, str], GoldTarget],
    transcripts: Mapping[str, Transcript],
) -> ReviewerAgreement:
    """The same between the graphs of two reviewers, by conversation and target."""
    comparison = _Comparison()
    for key in sorted(ones.keys() & others.keys()):
        comparison.add(ones[key], others[key], transcripts[key[0]])
    graphs = comparison.result(unmatched=len(ones.keys() ^ others.keys()))
    return ReviewerAgreement(reviewers, graphs)


def _matched(
    ours: Conversation, theirs: Conversation
) -> tuple[list[tuple[GoldTarget, GoldTarget]], int]:
    places = {(target.turn, target.span): target for target in theirs.targets}
    pairs = [
        (target, places[target.turn, target.span])
        for target in ours.targets
        if (target.turn, target.span) in places
    ]
    return pairs, len(ours.targets) + len(theirs.targets) - 2 * len(pairs)


def _scores(one: GoldTarget, other: GoldTarget, transcript: Transcript) -> dict[str, float | None]:
    forth, back = _directed(one, other, transcript), _directed(other, one, transcript)
    return {
        metric: _mean([s[metric] for s in (forth, back) if s[metric] is not None])
        for metric in METRICS
    }


def _directed(
    predicted: GoldTarget, gold: GoldTarget, transcript: Transcript
) -> dict[str, float | None]:
    spans: dict[int, tuple[tuple[int, int], ...]] = {}
    for edge in predicted.edges:
        place = (edge.span.start, edge.span.end)
        if place not in spans.get(edge.source, ()):
            spans[edge.source] = (*spans.get(edge.source, ()), place)
    scores = structure_scores(
        gold_pairs(predicted),
        gold_nodes(predicted),
        gold,
        span=span_f1(spans, gold, transcript),
    )
    return dict(scores.items())


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
