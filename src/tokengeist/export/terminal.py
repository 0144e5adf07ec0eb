"""A graph as a tree that a person reads at a glance.

Everything quoted from a transcript goes through `printable` first: a transcript may hold escape
sequences, and none of them may reach a terminal.
"""

from __future__ import annotations

import re
import unicodedata

from rich.text import Text

from tokengeist.attribution.protocol import Verdict
from tokengeist.graph import Confirmation, Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.transcript import Role, Span, Transcript

CAVEAT = "Scores say what the attribution method finds salient; they are not proof."

_ROLE_STYLES = {
    Role.SYSTEM: "magenta",
    Role.USER: "green",
    Role.ASSISTANT: "cyan",
    Role.TOOL: "yellow",
}
_CONFIRMATIONS = {
    Confirmation.CONFIRMED: "green",
    Confirmation.WEAK: "yellow",
    Confirmation.NOT_CONFIRMED: "red",
}
_STOPS = {
    Stop.EXOGENOUS: ("■ source", "bold green"),
    Stop.DEPTH: ("… depth limit", "dim"),
    Stop.NO_SOURCE: ("✗ unsupported", "bold red"),
    Stop.ORPHAN_RESULT: ("✗ no call found", "bold red"),
}


def printable(text: str) -> str:
    """`text` with everything that could command a terminal or reorder a line made visible.

    >>> printable("safe\\x1b[2J\\u202etxt")
    'safe␛[2J�txt'
    """
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # the control pictures: ␛ for escape
    if code == 0x7F:
        return "␡"
    return " " if unicodedata.category(character) == "Zs" else "�"


def excerpt(text: str, limit: int = 100) -> str:
    """`text` on one line, printable, and no longer than `limit`.

    >>> excerpt("a long\\n   story", limit=8)
    'a long…'
    """
    line = re.sub(r"\s+", " ", printable(text[: 4 * limit])).strip()
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return line[: limit - 1].rstrip() + "…"


def quote(spans: tuple[Span, ...], text: str, limit: int = 100) -> str:
    """What `spans` cover of a turn's text, on one line."""
    return excerpt(" … ".join(span.of(text) for span in spans), limit)


def speaker(transcript: Transcript, turn: int) -> str:
    """Role and, where the transcript knows it, name: `tool get_order`."""
    role, name = transcript.turns[turn].role, transcript.turns[turn].name
    return f"{role} {printable(name)}" if name else str(role)


def tree(graph: ProvenanceGraph, transcript: Transcript, *, width: int = 100) -> Text:
    """The graph from the target down to its sources, one line per edge.

    A turn that several others rest on is spelled out once, where it first comes up.
    """
    out = Text()
    out.append_text(_line("", graph.root, None, transcript, width))
    shown: set[int] = set()

    def descend(turn: int, indent: str) -> None:
        if turn in shown:
            return
        shown.add(turn)
        edges = graph.sources_of(turn)
        for edge in edges:
            last = edge is edges[-1]
            dash = "╌╌ " if edge.kind is EdgeKind.STRUCTURAL else "── "
            lead = indent + ("└" if last else "├") + dash
            node = graph.node(edge.source)
            line = _line(lead, node, edge, transcript, width)
            if edge.source in shown and graph.sources_of(edge.source):
                line.append("  ↑ above", "dim")
            out.append("\n").append_text(line)
            descend(edge.source, indent + ("    " if last else "│   "))

    descend(graph.target.turn, "")
    return out


def _line(lead: str, node: Node, edge: Edge | None, transcript: Transcript, width: int) -> Text:
    line = Text(lead, style="dim")
    if edge is not None:
        score = "call" if edge.kind is EdgeKind.STRUCTURAL else f"{edge.score:.2f}"
        line.append(f"{score} ", "not dim bold")
        if edge.confirmation is not None:
            line.append(f"{edge.confirmation} ", f"not dim {_CONFIRMATIONS[edge.confirmation]}")
    line.append(f"turn {node.turn} · {speaker(transcript, node.turn)}", _ROLE_STYLES[node.role])
    if node.stop is not None:
        label, style = _STOPS[node.stop]
        line.append(f" {label}", f"not dim {style}")
    spans = edge.evidence if edge is not None else node.spans
    room = max(24, width - len(line) - 4)
    line.append(f"  “{quote(spans, transcript.turns[node.turn].text, room)}”", "not dim")
    return line


_VERDICTS = {
    Verdict.VERBATIM: ("✓", "green"),
    Verdict.DERIVED: ("≈", "cyan"),
    Verdict.ATTRIBUTED: ("·", "dim"),
    Verdict.UNSUPPORTED: ("✗", "bold red"),
}


def verdicts(graph: ProvenanceGraph, transcript: Transcript, *, width: int = 100) -> Text:
    """What each value in the target rests on, one line each; empty where the backend has no say."""
    out = Text()
    for unit in graph.units:
        mark, style = _VERDICTS[unit.verdict]
        if out:
            out.append("\n")
        out.append(f"{mark} {unit.verdict}", style)
        out.append(f" “{quote((unit.span,), transcript.turns[unit.turn].text, 40)}”")
        places = [
            f"turn {turn} “{quote((span,), transcript.turns[turn].text, 40)}”"
            for turn, span in unit.sources
        ]
        because = ": ".join(filter(None, [printable(unit.note), ", ".join(places)]))
        if because:
            out.append(f"  {excerpt(because, max(24, width - 30))}", "dim")
    return out


def summary(graph: ProvenanceGraph, *, judge: str | None = None) -> str:
    """One line: who says so, and which model put it to the test."""
    model = f" with {graph.spec.model}" if graph.spec.model else ", no model"
    verified = f"; verified with {judge}" if judge else ""
    return f"{graph.spec.name}{model}{verified}. {CAVEAT}"
