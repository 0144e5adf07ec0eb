"""What data sets are made of: a chapter of every report, and files of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from tokengeist.bench.domains import Domains
from tokengeist.bench.gold import TAGS
from tokengeist.bench.report import figures
from tokengeist.bench.report.content import Cell, Chart, Row, Section, Table, percent
from tokengeist.bench.report.figures import Style, render
from tokengeist.bench.stats import DatasetStats
from tokengeist.errors import RunError


def data_sets(described: Sequence[DatasetStats]) -> Section:
    """The paper's tables 1 and 3 and its figures of tags and depths."""
    charts = (tag_chart(described), depth_chart(described))
    return Section("Data", "", (_overview(described), _tags(described), *charts))


def _overview(described: Sequence[DatasetStats]) -> Table:
    printed = [dict(stats.rows()) for stats in described]
    return Table(
        "Data sets",
        "Provenance depth is the longest way from target to source in the gold graph.",
        (),
        tuple(stats.name for stats in described),
        tuple(Row(label, tuple(Cell(p[label]) for p in printed)) for label in printed[0]),
    )


def _tags(described: Sequence[DatasetStats]) -> Table:
    rows = []
    for position, tag in enumerate(TAGS):
        cells = []
        for stats in described:
            _, count, share = stats.tag_rows()[position]
            cells += [Cell(f"{count:,}"), Cell(percent(share))]
        rows.append(Row(tag.replace("_", "-"), tuple(cells)))
    return Table(
        "Dependency types",
        "Every target is direct or chained; the other tags may be added to either.",
        tuple((stats.name, 2) for stats in described),
        ("Count", "%") * len(described),
        tuple(rows),
        "Tag",
    )


def tag_chart(described: Sequence[DatasetStats]) -> Chart:
    """How common each dependency type is."""
    styles = [Style(stats.name, number, is_flat=False) for number, stats in enumerate(described)]
    shares = {
        tag.replace("_", "-"): [100 * stats.tag_rows()[position][2] for stats in described]
        for position, tag in enumerate(TAGS)
    }
    return Chart(
        "tags",
        "Dependency types of the targets",
        "Share of targets with each tag.",
        lambda: figures.bars({"": shares}, styles, ylabel="targets (%)"),
        "Bars of the share of each tag.",
    )


def depth_chart(described: Sequence[DatasetStats]) -> Chart:
    """How deep gold graphs are."""
    counts = {stats.name: dict(sorted(stats.depths.items())) for stats in described}
    return Chart(
        "depths",
        "Provenance depth of the gold graphs",
        "How many targets have a gold graph of each depth.",
        lambda: figures.histogram(counts, xlabel="provenance depth", ylabel="targets"),
        "Histogram of provenance depths.",
    )


def to_csv(described: Sequence[DatasetStats], families: Sequence[Domains] = ()) -> str:
    """All tables as rows of data set, table, entry and value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("data", "table", "entry", "value"))
    for stats in described:
        found = stats.json()
        for key in ("conversations", "targets", "with_tool_call_path"):
            writer.writerow((stats.name, "overview", key, found[key]))
        for key in ("turns", "tokens_estimated", "depth", "graph_turns"):
            for part, value in found[key].items():
                writer.writerow((stats.name, key, part, value))
        for tag, count, _ in stats.tag_rows():
            writer.writerow((stats.name, "tags", tag, count))
        for depth, count in found["depths"].items():
            writer.writerow((stats.name, "depths", depth, count))
    for stats, domains in zip(described, families, strict=False):
        for family in domains.families:
            tools = ", ".join(family.tools)
            writer.writerow((stats.name, "domains", tools, len(family.conversations)))
    return text.getvalue()


def write_figures(described: Sequence[DatasetStats], folder: Path) -> list[Path]:
    """Draw the figures of data sets into a folder, as SVG."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for chart in (tag_chart(described), depth_chart(described)):
            files.append(folder / f"{chart.name}.svg")
            files[-1].write_bytes(render(chart.draw(), "svg"))
    except OSError as error:
        raise RunError(f"cannot write to {folder}: {error.strerror or error}") from error
    return files
