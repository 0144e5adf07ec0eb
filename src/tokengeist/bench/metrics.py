"""The paper's metrics for one target: a predicted graph against a gold one (section 6.2).

What is compared are plain sets of turns and of pairs of turns, so the same functions score a
stored line and a graph that was pruned anew.

Empty sets. Two empty sets agree perfectly: an F1 of 1. One empty set and one that is not share
nothing: 0. Source recall and span F1 run over gold sources only, so a target without any (an
unsupported invention) leaves them undefined: None, and the target is left out of their means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, fields
from typing import Any

from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.predictions import Prediction, text_of
from tokengeist.graph import ProvenanceGraph
from tokengeist.transcript import Transcript

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TargetScores:
    """The four metrics of one target, each between 0 and 1, and what the first is made of."""

    edge_f1: float
    node_f1: float
    source_recall: float | None
    span_f1: float | None
    edge_precision: float
    edge_recall: float

    def items(self) -> list[tuple[str, float | None]]:
        """Names and values, in order."""
        return [(field.name, getattr(self, field.name)) for field in fields(self)]


METRICS = ("edge_f1", "node_f1", "source_recall", "span_f1")
LABELS = {
    "edge_f1": "Edge F1",
    "node_f1": "Node F1",
    "source_recall": "Src. Rec.",
    "span_f1": "Span F1",
    "edge_precision": "Edge P",
    "edge_recall": "Edge R",
}


def f1(predicted: Set[Any], gold: Set[Any]) -> float:
    """The harmonic mean of precision and recall: twice the overlap over both sizes.

    >>> f1({1, 2, 3}, {3, 4})
    0.4
    >>> f1(set(), set()), f1({1}, set())
    (1.0, 0.0)
    """
    if not predicted and not gold:
        return 1.0
    return 2 * len(predicted & gold) / (len(predicted) + len(gold))


def word_f1(predicted: Iterable[str], gold: Iterable[str]) -> float:
    """F1 over words split at white space; a word counts as often as it stands there.

    >>> word_f1(["the order #7"], ["order #7 is", "late"])
    0.5714285714285714
    """
    ours = Counter(word for text in predicted for word in text.split())
    theirs = Counter(word for text in gold for word in text.split())
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


def gold_pairs(gold: GoldTarget) -> frozenset[Pair]:
    """The gold edges as pairs of dependent and source."""
    return frozenset((edge.dependent, edge.source) for edge in gold.edges)


def gold_nodes(gold: GoldTarget) -> frozenset[int]:
    """The gold turns besides the target."""
    return frozenset(gold.nodes) - {gold.turn}


def span_f1(
    spans: Mapping[int, tuple[tuple[int, int], ...]], gold: GoldTarget, transcript: Transcript
) -> float | None:
    """Word F1 per gold turn that has an annotation, averaged over these turns.

    A turn that several others depend on has several annotations; they count together, and where
    they overlap once, as predicted ones do. A turn that was not predicted scores 0.
    """
    annotated = gold.texts(transcript)
    if not annotated:
        return None
    return sum(
        word_f1(text_of(spans.get(turn, ()), transcript.turns[turn].text), texts)
        for turn, texts in annotated.items()
    ) / len(annotated)


def structure_scores(
    pairs: Set[Pair], nodes: Set[int], gold: GoldTarget, *, span: float | None = None
) -> TargetScores:
    """Score edges and non-target nodes; `span` is passed through."""
    true_pairs = gold_pairs(gold)
    shared = len(pairs & true_pairs)
    return TargetScores(
        edge_f1=f1(pairs, true_pairs),
        node_f1=f1(nodes, gold_nodes(gold)),
        source_recall=len(nodes & gold.leaves) / len(gold.leaves) if gold.leaves else None,
        span_f1=span,
        edge_precision=shared / len(pairs) if pairs else float(not true_pairs),
        edge_recall=shared / len(true_pairs) if true_pairs else 1.0,
    )


def score_graph(graph: ProvenanceGraph, gold: GoldTarget, transcript: Transcript) -> TargetScores:
    """All metrics of a graph as it stands, pruned by whoever made it."""
    pairs = {(edge.dependent, edge.source) for edge in graph.edges}
    spans = {n.turn: tuple((s.start, s.end) for s in n.spans) for n in graph.nodes}
    del spans[gold.turn]
    return structure_scores(pairs, spans.keys(), gold, span=span_f1(spans, gold, transcript))


def score_prediction(
    prediction: Prediction, gold: GoldTarget, transcript: Transcript
) -> TargetScores:
    """All metrics of a stored prediction. One that failed is never right, whatever gold is."""
    if prediction.error is not None:
        return TargetScores(
            edge_f1=0.0,
            node_f1=0.0,
            source_recall=0.0 if gold.leaves else None,
            span_f1=0.0 if gold.edges else None,
            edge_precision=0.0,
            edge_recall=0.0,
        )
    pairs = {(edge.dependent, edge.source) for edge in prediction.edges}
    span = span_f1(prediction.spans, gold, transcript)
    return structure_scores(pairs, set(prediction.spans), gold, span=span)
