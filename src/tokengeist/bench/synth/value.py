"""Values that remember where they were read: the reason gold here needs no annotator.

Everything a simulated agent says is made of `Value`s. A value knows the places (`Origin`) in the
transcript that it was read from, and what is computed from several values knows the places of
all of them. So when a value is written into a later turn, the edge it creates is already known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """A half-open character range of one turn's canonical text."""

    turn: int
    start: int
    end: int


class FlawKind(Enum):
    """The paper's taxonomy of hallucinations."""

    WRONG_VALUE = "wrong_value_transformation"
    STALE = "stale_context"
    INVENTED = "unsupported_invention"


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a value is wrong in context."""

    kind: FlawKind
    note: str
    ignored: tuple[Origin, ...] = ()
    """Where the truth stood and was not heeded."""


@dataclass(frozen=True, slots=True)
class Value(Generic[T]):
    """A datum, the places it was read from, and whether it is wrong."""

    data: T
    origins: tuple[Origin, ...] = ()
    flaw: Flaw | None = None

    def because(self, *sources: Value[Any]) -> Value[T]:
        """The same datum, chosen on account of other values: a selection, an ignored correction."""
        return replace(self, origins=merge((self.origins, *(s.origins for s in sources))))

    def flawed(self, kind: FlawKind, note: str) -> Value[T]:
        """The same datum, marked as wrong."""
        return replace(self, flaw=Flaw(kind, note))

    def stale(self, note: str, truth: Value[Any]) -> Value[T]:
        """The same datum, outdated; an annotator names the ignored truth as a source as well."""
        flaw = Flaw(FlawKind.STALE, note, truth.origins)
        return replace(self.because(truth), flaw=flaw)


def derive(data: U, *inputs: Value[Any]) -> Value[U]:
    """A datum computed from other values; it inherits their origins and the first of their flaws.

    >>> derive(5, Value(2, (Origin(3, 0, 1),)), Value(3, (Origin(4, 7, 8),))).origins
    (Origin(turn=3, start=0, end=1), Origin(turn=4, start=7, end=8))
    """
    flaw = next((value.flaw for value in inputs if value.flaw is not None), None)
    return Value(data, merge(value.origins for value in inputs), flaw)


def merge(groups: Iterable[tuple[Origin, ...]]) -> tuple[Origin, ...]:
    """All origins once each, in the order first seen."""
    return tuple(dict.fromkeys(origin for group in groups for origin in group))
