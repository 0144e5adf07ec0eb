"""What the page is told: a conversation and its traces as JSON.

The single-file page and the served page read the same shapes (`viewer/src/lib/wire.ts`). Offsets
count code points here as everywhere in Python; the page converts them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokengeist.export.graph_file import from_json, to_json
from tokengeist.export.redaction import Redacted
from tokengeist.extraction import View
from tokengeist.graph import ProvenanceGraph
from tokengeist.tracer import Step
from tokengeist.transcript import Span, Transcript

FORMAT = "tokengeist.page"
VERSION = 1

MOST_CANDIDATES = 12
"""A step's bar chart shows the best few; hundreds of turns times dozens of steps would add up."""


def conversation_json(transcript: Transcript, *, title: str | None = None) -> dict[str, Any]:
    """A transcript, turn by turn, in canonical text."""
    turns = []
    for turn in transcript.turns:
        site = transcript.call_sites.get(turn.index)
        turns.append(
            {
                "turn": turn.index,
                "role": turn.role.value,
                "name": turn.name,
                "text": turn.text,
                "calls": [
                    {"name": call.name, "start": span.start, "end": span.end}
                    for call, span in zip(turn.calls, turn.call_spans, strict=True)
                ],
                "answers": site
                and {"turn": site.turn, "start": site.span.start, "end": site.span.end},
                "summary": turn.is_summary,
            }
        )
    return {
        "id": transcript.id,
        "title": title or transcript.id,
        "fingerprint": transcript.fingerprint,
        "turns": turns,
    }


def step_json(step: Step) -> dict[str, Any]:
    """One step of a search, as it is watched live and in the walk-through."""
    return {
        "turn": step.node.turn,
        "depth": step.node.depth,
        "stop": step.node.stop.value if step.node.stop else None,
        "spans": _spans(step.node.spans),
        "question": _spans(step.target.spans) if step.target else None,
        "candidates": [
            {"turn": link.turn, "score": link.score, "evidence": _spans(link.evidence)}
            for link in step.candidates[:MOST_CANDIDATES]
        ],
        "offered": len(step.candidates),
        "edges": [
            {
                "source": edge.source,
                "score": edge.score,
                "kind": edge.kind.value,
                "evidence": _spans(edge.evidence),
            }
            for edge in step.edges
        ],
    }


def trace_json(
    graph: ProvenanceGraph,
    transcript: Transcript,
    view: View,
    *,
    id: str,
    name: str | None = None,
    steps: Sequence[Step] | None = None,
) -> dict[str, Any]:
    """A finished trace: the graph file's content, and the steps where they are known."""
    return {
        "id": id,
        "name": name,
        "graph": _unquoted(to_json(graph, transcript, view)),
        "steps": [step_json(step) for step in steps] if steps is not None else None,
    }


def redacted_trace(trace: dict[str, Any], redacted: Redacted) -> dict[str, Any]:
    """A trace that was kept as JSON, in terms of its transcript after redaction."""
    graph, view = from_json(trace["graph"])
    moved = trace_json(
        redacted.graph(graph),
        redacted.transcript,
        view,
        id=redacted.text(trace["id"]),
        name=trace["name"] and redacted.text(trace["name"]),
    )
    if trace["steps"] is not None:
        moved["steps"] = [_redacted_step(step, redacted) for step in trace["steps"]]
    return moved


def _redacted_step(step: dict[str, Any], redacted: Redacted) -> dict[str, Any]:
    def moved(turn: int, spans: list[dict[str, int]]) -> list[dict[str, int]]:
        known = tuple(Span(span["start"], span["end"]) for span in spans)
        return _spans(redacted.spans(turn, known))

    return step | {
        "spans": moved(step["turn"], step["spans"]),
        "question": step["question"] and moved(step["turn"], step["question"]),
        "candidates": [
            c | {"evidence": moved(c["turn"], c["evidence"])} for c in step["candidates"]
        ],
        "edges": [e | {"evidence": moved(e["source"], e["evidence"])} for e in step["edges"]],
    }


def _spans(spans: Sequence[Span]) -> list[dict[str, int]]:
    return [{"start": span.start, "end": span.end} for span in spans]


def _unquoted(data: Any) -> Any:
    """Without the text of spans: the page has the conversation."""
    if isinstance(data, dict):
        is_span = "start" in data and "end" in data
        return {k: _unquoted(v) for k, v in data.items() if not (is_span and k == "text")}
    return [_unquoted(item) for item in data] if isinstance(data, list) else data
