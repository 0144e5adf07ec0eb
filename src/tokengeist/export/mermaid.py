"""A graph as a Mermaid flowchart, which GitHub, GitLab and many editors draw."""

from __future__ import annotations

from tokengeist.export.terminal import quote, speaker
from tokengeist.graph import EdgeKind, ProvenanceGraph
from tokengeist.transcript import Role, Transcript

_SHAPES = {
    Role.SYSTEM: ("[/", "/]"),
    Role.USER: ("([", "])"),
    Role.ASSISTANT: ("[", "]"),
    Role.TOOL: ("[(", ")]"),
}


def to_mermaid(graph: ProvenanceGraph, transcript: Transcript) -> str:
    """The flowchart's source: the target on top, dotted arrows for structural edges."""
    lines = ["flowchart TD"]
    for node in graph.nodes:
        text = quote(node.spans, transcript.turns[node.turn].text, 60)
        label = _escape(f"turn {node.turn} · {speaker(transcript, node.turn)}")
        opening, closing = _SHAPES[node.role]
        lines.append(f'  t{node.turn}{opening}"{label}<br/>{_escape(text)}"{closing}')
    for edge in graph.edges:
        if edge.kind is EdgeKind.STRUCTURAL:
            lines.append(f"  t{edge.dependent} -.-> t{edge.source}")
        else:
            lines.append(f"  t{edge.dependent} -->|{edge.score:.2f}| t{edge.source}")
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """Mermaid knows HTML entities written with `#`; whatever could be markup becomes one."""
    return "".join(c if c.isalnum() or c in " ·.,:_-…/" else f"#{ord(c)};" for c in text)
