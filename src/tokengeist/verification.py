"""The causal check on a finished graph: does a turn really need what it is said to rest on?

For every attributed edge the evidence is taken out of the text that stood before the dependent
turn, and the dependent span's log-probability is measured with and without it. Attention alone
cannot say this. Structural edges are facts of the transcript and are not put to the test.

The verdict (`graph.Confirmation`) is on the ratio of probabilities. A span that stays likely
without one piece of evidence may have another one that says the same: a graph of two redundant
sources can have neither edge confirmed, which is the truth about each of them taken alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tokengeist.attribution.rendered import text_up_to
from tokengeist.errors import TokengeistWarning
from tokengeist.graph import Edge, EdgeKind, ProvenanceGraph
from tokengeist.progress import report
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel


def verify(
    graph: ProvenanceGraph,
    transcript: Transcript,
    model: LoadedModel,
    *,
    edges: Collection[tuple[int, int]] | None = None,
    render: str | None = None,
) -> ProvenanceGraph:
    """The same graph with the attributed edges put to the test: all, or those of `edges`.

    One pass per edge and one per dependent turn. The edges of a turn that does not fit into the
    model's window together with what stands before it are left untested, with a warning.
    """
    attributed = [
        edge
        for edge in graph.edges
        if edge.kind is EdgeKind.ATTRIBUTION
        and (edges is None or (edge.dependent, edge.source) in edges)
    ]
    drops: dict[Edge, float | None] = {}
    for dependent in dict.fromkeys(edge.dependent for edge in attributed):
        report("verifying", len(drops), len(attributed))
        together = [edge for edge in attributed if edge.dependent == dependent]
        target = _question(graph, transcript, dependent)
        drops.update(
            zip(together, _drops(together, target, transcript, model, render), strict=True)
        )
    report("verifying", len(drops), len(attributed))
    return replace(
        graph,
        edges=tuple(
            replace(edge, drop=drops[edge]) if edge in drops else edge for edge in graph.edges
        ),
    )


def _question(graph: ProvenanceGraph, transcript: Transcript, turn: int) -> Target:
    """What was explained at a turn: the target, the turn's evidence, or all of it."""
    if turn == graph.target.turn:
        return graph.target
    node = graph.node(turn)
    if graph.options.get("recurse") == "evidence" and node.spans:
        return Target(turn, node.spans)
    return Target.whole(transcript.turns[turn])


def _drops(
    edges: Sequence[Edge],
    target: Target,
    transcript: Transcript,
    model: LoadedModel,
    render: str | None,
) -> Sequence[float | None]:
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
        return [0.0] * len(edges)
    if (length := int(tokens[-1]) + 1) > model.window:
        warnings.warn(
            f"turn {target.turn} and what stands before it are {length} tokens long and "
            f"'{model.name}' reads {model.window} at once: what the turn loses without its "
            f"evidence cannot be measured, and its {len(edges)} edges are not verified",
            TokengeistWarning,
            stacklevel=3,
        )
        return [None] * len(edges)
    ablations = Ablations(model, text.tokens.ids, text.owners, sources=len(evidence), tokens=tokens)
    # The first row keeps everything; each other one lacks all the evidence of one edge.
    edge_of = np.array([number for number, _ in evidence])
    kept = np.arange(-1, len(edges))[:, None] != edge_of[None, :]
    log_p = log_probs(ablations.log_odds(kept)).sum(axis=1)
    return [float(log_p[0] - without) for without in log_p[1:]]
