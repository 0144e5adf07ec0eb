"""The parts of a report, before anybody knows how it will be written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str
    is_best: bool = False
    detail: str = ""
    """Said beside the text where there is room, such as an interval."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row, or a heading over the rows that follow."""

    label: str
    cells: tuple[Cell, ...] = ()
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with, above its columns, groups of columns."""

    title: str
    caption: str
    groups: tuple[tuple[str, int], ...]
    """Headings over columns and how many each spans; empty where there are none."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    stub: str = ""
    """The heading of the first column, which holds the rows' labels."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure that is drawn when somebody wants it, in the format that they want."""

    name: str
    """For its file."""
    title: str
    caption: str
    draw: Callable[[], Figure]
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter of the report."""

    title: str
    text: str = ""
    parts: tuple[Table | Chart, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report."""

    title: str
    summary: tuple[str, ...] = ()
    """What a reader in a hurry should know, a sentence each."""
    sections: tuple[Section, ...] = field(default=())

    def charts(self) -> list[Chart]:
        """All figures, in order."""
        parts: list[Table | Chart] = [part for s in self.sections for part in s.parts]
        return [part for part in parts if isinstance(part, Chart)]


def percent(value: float) -> str:
    """A share as a percentage with one decimal."""
    return f"{100 * value:.1f}"


def mark_best(values: Sequence[float | None]) -> list[bool]:
    """Which values are the highest, as they are printed; none where there is no competition."""
    shown = [None if value is None else percent(value) for value in values]
    numbers = [float(text) for text in shown if text is not None]
    if len(numbers) < 2:
        return [False] * len(values)
    best = max(numbers)
    return [text is not None and float(text) == best for text in shown]
