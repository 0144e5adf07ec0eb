"""The seam between recursion and attribution: what a backend is given and what it must give back.

Spans are character ranges of canonical turn text on this side; tokens are the backend's own
business. A backend reads a transcript once (`read`) and then answers any number of questions about
it (`score`), so that everything expensive can happen in the one reading.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from tokengeist.errors import AttributionError
from tokengeist.segmentation import Source
from tokengeist.transcript import Span, Target, Transcript

OptionValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class AttributorSpec:
    """Which method made a graph, with everything needed to make it again; saved with the graph."""

    name: str
    model: str | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)


class Attributor(Protocol):
    """A base attribution method (the paper's 𝒜)."""

    @property
    def spec(self) -> AttributorSpec: ...

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> Reading:
        """Read a transcript once. `sources` are all of its sources, in order."""
        ...


class Reading(Protocol):
    """A transcript that has been read: every question about it is arithmetic from here on."""

    def score(self, target: Target) -> Sequence[float]:
        """How much each source before `target.turn` mattered to the target (Eq. 1).

        One finite score >= 0 per source of an earlier turn, in the order of the sources given to
        `read`. A source that plays no part scores 0.
        """
        ...


class Verdict(StrEnum):
    """What a unit of the target rests on, from the strongest account to none."""

    VERBATIM = "verbatim"
    DERIVED = "derived"
    ATTRIBUTED = "attributed"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Unit:
    """One claim-bearing piece of a target (a value, a name, a statement) and what it rests on."""

    turn: int
    span: Span
    verdict: Verdict
    sources: tuple[tuple[int, Span], ...] = ()
    note: str = ""
    """How it follows from its sources, where that can be said: `210 + 370`, `same date`."""


@dataclass(frozen=True, slots=True)
class Link:
    """A candidate dependency of a target on an earlier turn, with the text that speaks for it."""

    turn: int
    score: float
    evidence: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A target's candidate dependencies, and the account of its units where the backend has one."""

    links: tuple[Link, ...]
    units: tuple[Unit, ...] = ()


@runtime_checkable
class ExplainingReading(Reading, Protocol):
    """A reading that finds dependencies itself instead of leaving it to the maximum over scores."""

    def explain(self, target: Target) -> Explanation: ...


def explain(reading: Reading, target: Target, sources: Sequence[Source]) -> Explanation:
    """Candidate dependencies of `target`, best first, by whichever account the reading offers.

    For a plain reading a turn's score is the maximum over its sources (Eq. 2), and the evidence is
    the source that attained it.
    """
    if isinstance(reading, ExplainingReading):
        explanation = reading.explain(target)
        for link in explanation.links:
            _require_score(link.score)
            if link.turn >= target.turn:
                raise AttributionError(
                    f"the backend links turn {target.turn} to turn {link.turn}, "
                    "which is not earlier"
                )
        links = explanation.links
        units = explanation.units
    else:
        links = _best_source_per_turn(reading.score(target), target, sources)
        units = ()
    # Equal scores go to the later turn: the nearer mention is what was on the page.
    ranked = sorted(links, key=lambda link: (-link.score, -link.turn))
    return Explanation(tuple(ranked), units)


def _best_source_per_turn(
    scores: Sequence[float], target: Target, sources: Sequence[Source]
) -> tuple[Link, ...]:
    earlier = [source for source in sources if source.turn < target.turn]
    if len(scores) != len(earlier):
        raise AttributionError(
            f"the backend returned {len(scores)} scores for the {len(earlier)} sources "
            f"before turn {target.turn}"
        )
    best: dict[int, Link] = {}
    for source, score in zip(earlier, scores, strict=True):
        _require_score(score)
        if source.turn not in best or score > best[source.turn].score:
            best[source.turn] = Link(source.turn, float(score), (source.core,))
    return tuple(best.values())


def _require_score(score: float) -> None:
    if not math.isfinite(score) or score < 0:
        raise AttributionError(f"the backend returned the score {score}; scores are finite, >= 0")
