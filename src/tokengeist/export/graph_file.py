"""A graph as a JSON file, and back.

The file holds the unpruned graph and says which of it the chosen view keeps, so a reader can take
either. Its shape is published as `graph.schema.json` beside this module. Evidence is written both
as offsets, which count, and as text, which is for people and is not read back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from tokengeist.attribution.protocol import AttributorSpec, Unit, Verdict
from tokengeist.errors import GraphError
from tokengeist.export.terminal import CAVEAT
from tokengeist.extraction import View
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.transcript import Role, Span, Target, Transcript

FORMAT = "tokengeist.graph"
VERSION = 1


def schema() -> dict[str, Any]:
    """The JSON Schema of the file."""
    text = resources.files(__package__).joinpath("graph.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def to_json(graph: ProvenanceGraph, transcript: Transcript, view: View) -> dict[str, Any]:
    """The file's content. `graph` is unpruned; `view` says what of it is shown."""
    pruned = view.of(graph)
    kept_nodes = {node.turn: node for node in pruned.nodes}
    kept_edges = {(edge.dependent, edge.source) for edge in pruned.edges}

    def quoted(turn: int, spans: tuple[Span, ...]) -> list[dict[str, Any]]:
        text = transcript.turns[turn].text
        return [{"start": s.start, "end": s.end, "text": s.of(text)} for s in spans]

    return {
        "format": FORMAT,
        "version": VERSION,
        "caveat": CAVEAT,
        "transcript": {"id": graph.transcript_id, "fingerprint": graph.fingerprint},
        "method": {
            "backend": graph.spec.name,
            "model": graph.spec.model,
            "options": dict(graph.spec.options),
        },
        "trace": dict(graph.options),
        "view": view.to_json(),
        "target": {
            "turn": graph.target.turn,
            "spans": quoted(graph.target.turn, graph.target.spans),
        },
        "nodes": [
            {
                "turn": node.turn,
                "role": node.role.value,
                "depth": node.depth,
                "stop": node.stop.value if node.stop else None,
                "kept": node.turn in kept_nodes,
                "spans": quoted(node.turn, node.spans),
            }
            for node in graph.nodes
        ],
        "edges": [
            {
                "dependent": edge.dependent,
                "source": edge.source,
                "score": edge.score,
                "kind": edge.kind.value,
                "kept": (edge.dependent, edge.source) in kept_edges,
                "evidence": quoted(edge.source, edge.evidence),
                "drop": edge.drop,
                "confirmation": edge.confirmation.value if edge.confirmation else None,
            }
            for edge in graph.edges
        ],
        "units": [
            {
                "turn": unit.turn,
                "span": quoted(unit.turn, (unit.span,))[0],
                "verdict": unit.verdict.value,
                "note": unit.note,
                "sources": [
                    {"turn": turn, "span": quoted(turn, (span,))[0]} for turn, span in unit.sources
                ],
            }
            for unit in graph.units
        ],
    }


def from_json(data: object, *, where: str = "the graph file") -> tuple[ProvenanceGraph, View]:
    """The unpruned graph and the view of a file's content.

    Raises `GraphError` for anything that is not such a file, or is one of a later version.
    """
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise GraphError(f'{where} is not a Tokengeist graph: it has no "format": "{FORMAT}"')
    version = data.get("version")
    if version != VERSION:
        raise GraphError(
            f"{where} is a graph of version {version}; this Tokengeist reads version {VERSION}. "
            "Upgrade Tokengeist, or trace the transcript again"
        )
    try:
        return _graph(data), View.from_json(data["view"])
    except GraphError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise GraphError(f"{where} is damaged: {error!r}") from error


def _graph(data: Mapping[str, Any]) -> ProvenanceGraph:
    method = data["method"]
    return ProvenanceGraph(
        target=Target(data["target"]["turn"], _spans(data["target"]["spans"])),
        nodes=tuple(
            Node(
                node["turn"],
                Role(node["role"]),
                node["depth"],
                _spans(node["spans"]),
                Stop(node["stop"]) if node["stop"] else None,
            )
            for node in data["nodes"]
        ),
        edges=tuple(
            Edge(
                edge["dependent"],
                edge["source"],
                edge["score"],
                EdgeKind(edge["kind"]),
                _spans(edge["evidence"]),
                edge.get("drop"),
            )
            for edge in data["edges"]
        ),
        spec=AttributorSpec(method["backend"], method["model"], method["options"]),
        options=data["trace"],
        units=tuple(
            Unit(
                unit["turn"],
                _span(unit["span"]),
                Verdict(unit["verdict"]),
                tuple((source["turn"], _span(source["span"])) for source in unit["sources"]),
                unit["note"],
            )
            for unit in data["units"]
        ),
        transcript_id=data["transcript"]["id"],
        fingerprint=data["transcript"]["fingerprint"],
    )


def _span(data: Mapping[str, Any]) -> Span:
    return Span(data["start"], data["end"])


def _spans(data: list[Mapping[str, Any]]) -> tuple[Span, ...]:
    return tuple(_span(item) for item in data)
