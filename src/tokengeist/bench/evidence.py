"""One line of `evidence.jsonl`: the text behind every edge of a target's unpruned graph.

`predictions.jsonl` quotes evidence only for the turns that pruning left. With this file beside it,
any other pruning has its evidence, too, and no model is asked again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tokengeist.errors import RunError
from tokengeist.graph import ProvenanceGraph
from tokengeist.transcript import Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the edges of one target's unpruned graph rest on, in the order of these edges."""

    conversation_id: str
    target: str
    spans: tuple[tuple[Span, ...], ...]

    @classmethod
    def of(cls, conversation_id: str, target: str, unpruned: ProvenanceGraph) -> Evidence:
        """The evidence of a finished trace."""
        return cls(conversation_id, target, tuple(edge.evidence for edge in unpruned.edges))

    @classmethod
    def parse(cls, line: str) -> Evidence:
        """A line read back. Raises `RunError` for anything else."""
        try:
            raw: dict[str, Any] = json.loads(line)
            spans = tuple(tuple(Span(*span) for span in edge) for edge in raw["unpruned_spans"])
            return cls(raw["conversation_id"], raw["target"], spans)
        except (ValueError, KeyError, TypeError) as problem:
            raise RunError(f"stored evidence is not what it should be: {problem!r}") from problem

    def line(self) -> str:
        """The evidence as one line of JSON, without its newline."""
        raw = {
            "conversation_id": self.conversation_id,
            "target": self.target,
            "unpruned_spans": [[[s.start, s.end] for s in edge] for edge in self.spans],
        }
        return json.dumps(raw)
