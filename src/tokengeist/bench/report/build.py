"""From runs to a report.

The order is that of the paper: the main comparison, dependency types and what goes wrong, signal
coverage, ablations, hallucinations; then what the data are and how the runs were made, so that a
reader can judge them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokengeist.bench.report import curves, mistakes, sections
from tokengeist.bench.report import data as data_chapter
from tokengeist.bench.report.content import Report, Section
from tokengeist.bench.report.material import gather


def build(folders: Iterable[Path], data: Path | None = None, *, title: str | None = None) -> Report:
    """A report on runs."""
    material = gather(folders, data)
    parts: list[Section | None] = [
        sections.main_results(material),
        sections.dependency_types(material),
        mistakes.edge_mistakes(material),
        curves.coverage(material),
        curves.ablations(material),
        sections.hallucinations(material),
        data_chapter.data_sets(material.data),
        sections.how_it_was_run(material),
    ]
    return Report(
        title or f"Multi-turn context attribution on {', '.join(material.data_names)}",
        sections.summary(material),
        tuple(part for part in parts if part is not None),
    )
