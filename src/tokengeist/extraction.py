"""Views of a finished graph: pruned, or as chains from the claim to its sources.

The graph on disk is unpruned. Everything here is a pure function of it, so a slider, an ablation
and a report all use the same few lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tokengeist.errors import OptionError
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.transcript import merge_spans

PAPER_ALPHA = 0.85


@dataclass(frozen=True, slots=True)
class View:
    """What of an unpruned graph counts; the arguments of `prune` as a value that can be saved."""

    alpha: float = PAPER_ALPHA
    top_k: int | None = None
    max_depth: int | None = None
    min_score: float = 0.0

    def __post_init__(self) -> None:
        _check(self.alpha, self.top_k, self.max_depth)

    def of(self, graph: ProvenanceGraph) -> ProvenanceGraph:
        """The graph through this view."""
        return prune(
            graph,
            alpha=self.alpha,
            top_k=self.top_k,
            max_depth=self.max_depth,
            min_score=self.min_score,
        )

    def to_json(self) -> dict[str, float | int | None]:
        """As a plain mapping."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> View:
        """From what `to_json` gave."""
        return cls(data["alpha"], data["top_k"], data["max_depth"], data["min_score"])


def prune(
    graph: ProvenanceGraph,
    *,
    alpha: float = PAPER_ALPHA,
    top_k: int | None = None,
    max_depth: int | None = None,
    min_score: float = 0.0,
) -> ProvenanceGraph:
    """Keep, at every node, the edges that score at least `alpha` times its best one (Eq. 4).

    `max_depth` first cuts the graph to what a shallower trace would have found; `top_k` keeps the
    best few of the edges that passed `alpha`, as the paper's branching ablation does; `min_score`
    drops attribution edges below it, whatever their neighbours score. Then whatever the target no
    longer reaches is gone, and a node's evidence is that of the edges that are left.

    A zero score never passes: `0 >= alpha * 0` would keep every edge of a node that nothing
    supports.
    """
    _check(alpha, top_k, max_depth)
    kept: list[Edge] = []
    nodes: dict[int, Node] = {graph.target.turn: graph.root}
    for node in graph.nodes:  # latest first, so a node is known before its own edges are asked for
        reached = nodes.get(node.turn)
        if reached is None:
            continue
        cut = max_depth is not None and node.depth >= max_depth
        edges = [] if cut else _strongest(graph.sources_of(node.turn), alpha, top_k, min_score)
        if cut and reached.stop is None:
            nodes[node.turn] = replace(reached, stop=Stop.DEPTH)
        elif not edges and reached.stop is None:
            nodes[node.turn] = replace(reached, stop=Stop.NO_SOURCE)
        for edge in edges:
            kept.append(edge)
            known = nodes.get(edge.source)
            spans = merge_spans((known.spans if known else ()) + edge.evidence)
            nodes[edge.source] = replace(graph.node(edge.source), spans=spans)
    ordered = tuple(nodes[turn] for turn in sorted(nodes, reverse=True))
    return replace(graph, nodes=ordered, edges=tuple(kept))


def _check(alpha: float, top_k: int | None, max_depth: int | None) -> None:
    if not 0 <= alpha <= 1:
        raise OptionError(f"alpha lies between 0 and 1, not {alpha}")
    if top_k is not None and top_k < 1:
        raise OptionError(f"top_k is at least 1, not {top_k}")
    if max_depth is not None and max_depth < 1:
        raise OptionError(f"max_depth is at least 1, not {max_depth}")


def _strongest(
    edges: tuple[Edge, ...], alpha: float, top_k: int | None, min_score: float
) -> list[Edge]:
    passing = [
        edge
        for edge in edges
        if edge.score > 0 and (edge.score >= min_score or edge.kind is EdgeKind.STRUCTURAL)
    ]
    passing.sort(key=lambda edge: -edge.score)
    return [edge for edge in passing if edge.score >= alpha * passing[0].score][:top_k]


def chains(graph: ProvenanceGraph) -> Iterator[tuple[Edge, ...]]:
    """Every way from the target to a leaf, following the best edge first.

    A graph with many convergent paths has many chains; take as many as you need.
    """
    path: list[Edge] = []

    def walk(turn: int) -> Iterator[tuple[Edge, ...]]:
        edges = graph.sources_of(turn)
        if not edges:
            yield tuple(path)
        for edge in edges:
            path.append(edge)
            yield from walk(edge.source)
            path.pop()

    if graph.edges:
        yield from walk(graph.target.turn)
