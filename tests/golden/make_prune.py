"""Writes `prune.json`: graphs, views, and what is left, for both implementations of pruning.

Run it after a change of `extraction.prune`: python -m tests.golden.make_prune
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.extraction import View
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.transcript import Role, Span, Target, merge_spans

FILE = Path(__file__).with_name("prune.json")
_ROLES = (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL)


def random_graph(dice: random.Random) -> ProvenanceGraph:
    """A graph as a tracer could make it: every turn reached, edges back in time, ties and zeros."""
    root = dice.randint(3, 14)
    depths = {root: 0}
    spans: dict[int, tuple[Span, ...]] = {root: (Span(0, 5),)}
    edges: list[Edge] = []
    for turn in range(root, 0, -1):
        if turn not in depths:
            continue
        sources = dice.sample(range(turn), k=min(turn, dice.randint(0, 4)))
        found = []
        for source in sources:
            kind = dice.choice((EdgeKind.ATTRIBUTION, EdgeKind.ATTRIBUTION, EdgeKind.STRUCTURAL))
            score = 1.0 if kind is EdgeKind.STRUCTURAL else dice.choice((0.0, 0.1, 0.3, 0.34, 0.4))
            start = dice.randint(0, 20)
            found.append(Edge(turn, source, score, kind, (Span(start, start + 6),)))
        for edge in sorted(found, key=lambda edge: -edge.score):
            edges.append(edge)
            depth = depths[turn] + 1
            depths[edge.source] = min(depths.get(edge.source, depth), depth)
            spans[edge.source] = merge_spans((*spans.get(edge.source, ()), *edge.evidence))
    nodes = []
    for turn in sorted(depths, reverse=True):
        leaf = not any(edge.dependent == turn for edge in edges)
        stop = dice.choice((Stop.EXOGENOUS, Stop.DEPTH, Stop.NO_SOURCE)) if leaf else None
        nodes.append(Node(turn, dice.choice(_ROLES), depths[turn], spans[turn], stop))
    target = Target(root, spans[root])
    return ProvenanceGraph(target, tuple(nodes), tuple(edges), AttributorSpec("golden"))


def graph_json(graph: ProvenanceGraph) -> dict[str, Any]:
    """What of a graph pruning can change."""

    def plain(spans: tuple[Span, ...]) -> list[dict[str, int]]:
        return [{"start": span.start, "end": span.end} for span in spans]

    return {
        "target": {"turn": graph.target.turn, "spans": plain(graph.target.spans)},
        "nodes": [
            {
                "turn": node.turn,
                "role": node.role.value,
                "depth": node.depth,
                "spans": plain(node.spans),
                "stop": node.stop.value if node.stop else None,
            }
            for node in graph.nodes
        ],
        "edges": [
            {
                "dependent": edge.dependent,
                "source": edge.source,
                "score": edge.score,
                "kind": edge.kind.value,
                "evidence": plain(edge.evidence),
            }
            for edge in graph.edges
        ],
        "units": [],
    }


def cases() -> list[dict[str, Any]]:
    """The content of the file."""
    dice = random.Random(4)
    found = []
    for _ in range(24):
        graph = random_graph(dice)
        view = View(
            alpha=dice.choice((0.0, 0.25, 0.5, 0.85, 1.0)),
            top_k=dice.choice((None, 1, 2)),
            max_depth=dice.choice((None, None, 1, 2, 3)),
            min_score=dice.choice((0.0, 0.0, 0.2)),
        )
        found.append(
            {
                "graph": graph_json(graph),
                "view": view.to_json(),
                "pruned": graph_json(view.of(graph)),
            }
        )
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(cases(), separators=(",", ":")) + "\n", encoding="utf-8")
