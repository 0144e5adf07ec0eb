"""The chapter on errors: which edges are missed, and which are made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tokengeist.bench.gold import TAGS
from tokengeist.bench.mistakes import PARTIES, EdgeCounts
from tokengeist.bench.report.content import Cell, Row, Section, Table
from tokengeist.bench.report.looks import styles
from tokengeist.bench.report.material import Material, ReportedRun

_CAPTION = (
    "Edges over all targets: missed / spurious, beside how many there are in the gold graphs. "
)


def edge_mistakes(material: Material) -> Section:
    """Missed and spurious edges by what they join and by dependency type, a column per method."""
    tables = []
    kinds = [f"{one} → {other}" for one in PARTIES for other in PARTIES]
    for data in material.data_names:
        runs = [run for run in material.runs if run.data == data]
        named = f", {data}" if len(material.data_names) > 1 else ""
        tables.append(
            _table(
                f"Errors by kind of edge{named}",
                _CAPTION + "Who rests on whom: a call or a statement of the assistant, a tool "
                "result, a user or the system.",
                kinds,
                runs,
                material,
                lambda run: run.scores.mistakes.by_kind,
            )
        )
        tables.append(
            _table(
                f"Errors by dependency type{named}",
                _CAPTION + "A target counts under each of its tags.",
                TAGS,
                runs,
                material,
                lambda run: run.scores.mistakes.by_tag,
            )
        )
    return Section("Errors", "", tuple(tables))


def _table(
    title: str,
    caption: str,
    keys: Sequence[str],
    runs: Sequence[ReportedRun],
    material: Material,
    of: Callable[[ReportedRun], Mapping[str, EdgeCounts]],
) -> Table:
    looks = styles(material)
    rows = []
    for key in keys:
        found = [of(run).get(key, EdgeCounts()) for run in runs]
        if any(counts != EdgeCounts() for counts in found):
            gold = max(counts.gold for counts in found)
            cells = [Cell(f"{counts.missed} / {counts.spurious}") for counts in found]
            rows.append(Row(key.replace("_", "-"), (Cell(f"{gold:,}"), *cells)))
    columns = ("gold", *(looks[run.model, run.label].label for run in runs))
    return Table(title, caption, (), columns, tuple(rows), "Edge" if "→" in keys[0] else "Type")
