"""One line of `predictions.jsonl`: what a method said about one target.

The line is the interface between running and everything after it, so it is a type of its own. It
holds the pruned graph that is scored and the edges of the unpruned one, from which any other
pruning follows without a new trace.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.bench.gold import GoldTarget
from tokengeist.errors import RunError
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph
from tokengeist.transcript import Span, Transcript


class PredictedEdge(NamedTuple):
    """`dependent` rests on the earlier turn `source`, as far as the method can tell."""

    dependent: int
    source: int
    score: float
    kind: str


class PredictedNode(NamedTuple):
    """A turn of the pruned graph and the text of it that counts."""

    turn: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Prediction:
    """What a method said about one target, or why it could not."""

    conversation_id: str
    target: str | None
    """The target's name; None where the conversation failed before its targets were known."""
    target_turn: int | None
    nodes: tuple[PredictedNode, ...] = ()
    """After pruning, the target turn included."""
    edges: tuple[PredictedEdge, ...] = ()
    """After pruning."""
    unpruned_edges: tuple[PredictedEdge, ...] = ()
    seconds: float = 0.0
    """The target's own time plus an equal share of its conversation's one reading."""
    error: str | None = None

    @cached_property
    def spans(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """The attributed spans of every turn besides the target."""
        return {node.turn: node.spans for node in self.nodes if node.turn != self.target_turn}

    @classmethod
    def of(
        cls,
        gold: GoldTarget,
        conversation_id: str,
        unpruned: ProvenanceGraph,
        pruned: ProvenanceGraph,
        *,
        seconds: float,
    ) -> Prediction:
        """A finished trace as a line."""
        return cls(
            conversation_id,
            gold.name,
            gold.turn,
            tuple(
                PredictedNode(n.turn, tuple((s.start, s.end) for s in n.spans))
                for n in pruned.nodes
            ),
            _edges(pruned),
            _edges(unpruned),
            seconds,
        )

    @classmethod
    def parse(cls, line: str) -> Prediction:
        """A line read back. Raises `RunError` for anything else."""
        try:
            raw: dict[str, Any] = json.loads(line)
            return cls(
                conversation_id=raw["conversation_id"],
                target=raw["target"],
                target_turn=raw["target_turn"],
                nodes=tuple(
                    PredictedNode(n["turn"], tuple((start, end) for start, end in n["spans"]))
                    for n in raw["nodes"]
                ),
                edges=tuple(PredictedEdge(*edge) for edge in raw["edges"]),
                unpruned_edges=tuple(PredictedEdge(*edge) for edge in raw["unpruned_edges"]),
                seconds=raw["seconds"],
                error=raw["error"],
            )
        except (ValueError, KeyError, TypeError) as problem:
            raise RunError(f"a prediction is not what it should be: {problem!r}") from problem

    def line(self) -> str:
        """The prediction as one line of JSON, without its newline."""
        raw = {
            "conversation_id": self.conversation_id,
            "target": self.target,
            "target_turn": self.target_turn,
            "nodes": [{"turn": node.turn, "spans": node.spans} for node in self.nodes],
            "edges": self.edges,
            "unpruned_edges": self.unpruned_edges,
            "seconds": self.seconds,
            "error": self.error,
        }
        return json.dumps(raw)

    def unpruned_graph(
        self,
        gold: GoldTarget,
        transcript: Transcript,
        evidence: Sequence[tuple[Span, ...]] | None = None,
    ) -> ProvenanceGraph:
        """The stored graph, to be pruned in another way.

        `evidence` has the spans of every unpruned edge; without it edges come back without any.
        """
        stored = [()] * len(self.unpruned_edges) if evidence is None else evidence
        if len(stored) != len(self.unpruned_edges):
            raise RunError(
                f"the stored evidence of '{self.target}' of {self.conversation_id} is not that of "
                "its prediction; remove evidence.jsonl to go without"
            )
        edges = tuple(
            Edge(e.dependent, e.source, e.score, EdgeKind(e.kind), spans)
            for e, spans in zip(self.unpruned_edges, stored, strict=True)
        )
        depths = {gold.turn: 0}
        for edge in sorted(edges, key=lambda edge: -edge.dependent):  # dependents come first
            depth = depths[edge.dependent] + 1
            depths[edge.source] = min(depths.get(edge.source, depth), depth)
        nodes = tuple(
            Node(turn, transcript.turns[turn].role, depths[turn], ())
            for turn in sorted(depths, reverse=True)
        )
        return ProvenanceGraph(gold.target, nodes, edges, AttributorSpec("stored"))


def _edges(graph: ProvenanceGraph) -> tuple[PredictedEdge, ...]:
    return tuple(
        PredictedEdge(edge.dependent, edge.source, edge.score, edge.kind.value)
        for edge in graph.edges
    )


def text_of(spans: tuple[tuple[int, int], ...], text: str) -> tuple[str, ...]:
    """The pieces of `text` that predicted spans cover."""
    return tuple(Span(start, end).of(text) for start, end in spans)
