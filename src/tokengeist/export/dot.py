"""A graph in Graphviz' DOT language."""

from __future__ import annotations

from tokengeist.export.terminal import quote, speaker
from tokengeist.graph import EdgeKind, ProvenanceGraph
from tokengeist.transcript import Role, Transcript

_SHAPES = {
    Role.SYSTEM: "folder",
    Role.USER: "ellipse",
    Role.ASSISTANT: "box",
    Role.TOOL: "cylinder",
}


def to_dot(graph: ProvenanceGraph, transcript: Transcript) -> str:
    """DOT source: the target on top, structural edges dashed, better edges thicker."""
    best = max((edge.score for edge in graph.edges), default=1.0)
    lines = ["digraph provenance {", '  node [fontname="sans-serif"];']
    for node in graph.nodes:
        label = f"turn {node.turn} · {speaker(transcript, node.turn)}\n"
        label += quote(node.spans, transcript.turns[node.turn].text, 60)
        lines.append(f"  t{node.turn} [shape={_SHAPES[node.role]}, label={_string(label)}];")
    for edge in graph.edges:
        style = (
            "style=dashed"
            if edge.kind is EdgeKind.STRUCTURAL
            else f'label="{edge.score:.2f}", penwidth={1 + 2 * edge.score / best:.2f}'
        )
        lines.append(f"  t{edge.dependent} -> t{edge.source} [{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
