"""The causal check on a finished graph: does a turn really need what it is said to rest on?

For every attributed edge the evidence is taken out of the text that stood before the dependent
turn, and the dependent span's log-probability is measured with and without it. Attention alone
cannot say this. Structural edges are facts of the transcript and are not put to the test.

The verdict is on the ratio of probabilities: *confirmed* when the span becomes at most half as
likely, *weak* when it loses more than a tenth, *not confirmed* otherwise. A span that stays likely
without one piece of evidence may have another one that says the same: a graph of two redundant
sources can have neither edge confirmed, which is the truth about each of them taken alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from tokengeist.attribution.rendered import text_up_to
from tokengeist.graph import Edge, EdgeKind, ProvenanceGraph
from tokengeist.progress import report
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

CONFIRMED_DROP = math.log(2)
WEAK_DROP = -math.log(0.9)


class Confirmation(StrEnum):
    """What taking the evidence away showed."""

    CONFIRMED = "confirmed"
    WEAK = "weak"
    NOT_CONFIRMED = "not confirmed"


@dataclass(frozen=True, slots=True)
class EdgeCheck:
    """One edge, put to the test."""

    dependent: int
    source: int
    drop: float
    """Loss of the dependent span's log-probability, in nats; negative if it became more likely."""

    @property
    def verdict(self) -> Confirmation:
        if self.drop >= CONFIRMED_DROP:
            return Confirmation.CONFIRMED
        return Confirmation.WEAK if self.drop >= WEAK_DROP else Confirmation.NOT_CONFIRMED


def verify(
    graph: ProvenanceGraph,
    transcript: Transcript,
    model: LoadedModel,
    *,
    render: str | None = None,
) -> tuple[EdgeCheck, ...]:
    """Check every attributed edge of `graph`, in the graph's order.

    One pass per edge and one per dependent turn. Raises `ModelError` where a turn and what stands
    before it do not fit into the model's window.
    """
    attributed = [edge for edge in graph.edges if edge.kind is EdgeKind.ATTRIBUTION]
    checks: list[EdgeCheck] = []
    for dependent in dict.fromkeys(edge.dependent for edge in attributed):
        report("verifying", len(checks), len(attributed))
        edges = [edge for edge in attributed if edge.dependent == dependent]
        checks += _check(edges, _question(graph, transcript, dependent), transcript, model, render)
    report("verifying", len(checks), len(attributed))
    return tuple(checks)


def _question(graph: ProvenanceGraph, transcript: Transcript, turn: int) -> Target:
    """What was explained at a turn: the target, the turn's evidence, or all of it."""
    if turn == graph.target.turn:
        return graph.target
    node = graph.node(turn)
    if graph.options.get("recurse") == "evidence" and node.spans:
        return Target(turn, node.spans)
    return Target.whole(transcript.turns[turn])


def _check(
    edges: Sequence[Edge],
    target: Target,
    transcript: Transcript,
    model: LoadedModel,
    render: str | None,
) -> list[EdgeCheck]:
    from tokengeist.models.ablations import Ablations
    from tokengeist.models.scoring import log_probs

    evidence = [
        (number, Source(edge.source, span, span))
        for number, edge in enumerate(edges)
        for span in edge.evidence
    ]
    text = text_up_to(
        model, transcript, [source for _, source in evidence], turn=target.turn, render=render
    )
    tokens = text.tokens_of(target)
    if not tokens[tokens > 0].size:
        return [EdgeCheck(edge.dependent, edge.source, 0.0) for edge in edges]
    ablations = Ablations(model, text.tokens.ids, text.owners, sources=len(evidence), tokens=tokens)
    # The first row keeps everything; each other one lacks all the evidence of one edge.
    edge_of = np.array([number for number, _ in evidence])
    kept = np.arange(-1, len(edges))[:, None] != edge_of[None, :]
    log_p = log_probs(ablations.log_odds(kept)).sum(axis=1)
    return [
        EdgeCheck(edge.dependent, edge.source, float(log_p[0] - log_p[number + 1]))
        for number, edge in enumerate(edges)
    ]
