"""Turn text → sources: the pieces of earlier text that a target can be attributed to."""

from __future__ import annotations

from dataclasses import dataclass

from tokengeist.transcript import Span


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of one turn's canonical text."""

    turn: int
    span: Span
