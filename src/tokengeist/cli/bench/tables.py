"""How scores and comparisons look in a terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from tokengeist.bench.ablation import Curve
from tokengeist.bench.bootstrap import Estimate
from tokengeist.bench.compare import Comparison
from tokengeist.bench.domains import Domains
from tokengeist.bench.gold import TAGS
from tokengeist.bench.hallucination import HALLUCINATION_LABELS
from tokengeist.bench.metrics import LABELS, METRICS
from tokengeist.bench.mistakes import Mistakes
from tokengeist.bench.report.content import Report
from tokengeist.bench.report.content import Table as Content
from tokengeist.bench.scoring import Group, RunScores, Spread
from tokengeist.bench.stats import DatasetStats


def show_scores(title: str, scores: RunScores) -> None:
    """The metrics of a run, in per cent: all targets with intervals, then by type and depth."""
    console = Console(highlight=False)
    table = Table(title=f"{title} ({scores.targets} targets)", title_justify="left")
    table.add_column("")
    for metric in METRICS:
        table.add_column(LABELS[metric], justify="right")
    table.add_column("n", justify="right")
    _row(table, "all", scores.overall)
    means = [
        f"{100 * scores.overall[m].low:.1f}–{100 * scores.overall[m].high:.1f}"
        if m in scores.overall
        else ""
        for m in METRICS
    ]
    table.add_row("95 % interval", *means, "", style="dim", end_section=True)
    for tag, group in scores.by_tag.items():
        _row(table, tag, group)
    table.add_section()
    for depth, group in scores.by_depth.items():
        _row(table, f"depth {depth}", group)
    console.print(table)
    console.print(_mistakes(scores.mistakes))
    coverage = [f"{hops}: {100 * e.mean:.0f}" for hops, e in scores.coverage_by_depth.items()]
    console.print(f"signal coverage by hops from the target: {', '.join(coverage)}")
    for name, group in (("hallucinated", scores.hallucinated), ("corrected", scores.corrected)):
        if group:
            parts = [f"{HALLUCINATION_LABELS[m]} {100 * e.mean:.1f}" for m, e in group.items()]
            console.print(f"{name} targets: {', '.join(parts)}")
    if scores.errors:
        console.print(f"{scores.errors} targets failed and count as 0")
    if scores.missing:
        console.print(f"{scores.missing} targets have no prediction yet and are not scored")


def _row(table: Table, name: str, group: Group) -> None:
    cells = [f"{100 * group[m].mean:.1f}" if m in group else "–" for m in METRICS]
    table.add_row(name, *cells, str(max((found.n for found in group.values()), default=0)))


def _mistakes(mistakes: Mistakes) -> Table:
    table = Table(title="Edges by what they join, and by dependency type", title_justify="left")
    table.add_column("")
    for column in ("gold", "found", "missed", "spurious"):
        table.add_column(column, justify="right")
    for group, keys in ((mistakes.by_kind, mistakes.kinds()), (mistakes.by_tag, TAGS)):
        for key in keys:
            if key in group:
                found = group[key]
                counts = (found.gold, found.found, found.missed, found.spurious)
                table.add_row(key, *map(str, counts))
        table.add_section()
    return table


def show_spread(spreads: dict[str, Spread]) -> None:
    """Mean and deviation over repeats, in per cent."""
    parts = [
        f"{LABELS[metric]} {100 * found.mean:.1f} ± {100 * found.deviation:.1f}"
        for metric, found in spreads.items()
    ]
    runs = next(iter(spreads.values())).runs
    Console(highlight=False).print(f"over {runs} runs: {', '.join(parts)}")


def show_comparisons(comparisons: list[Comparison]) -> None:
    """Paired differences in points, with intervals."""
    table = Table(title=f"against {comparisons[0].baseline}", title_justify="left")
    table.add_column("")
    for metric in METRICS:
        table.add_column(LABELS[metric], justify="right")
    table.add_column("targets better, worse, same", justify="right")
    for comparison in comparisons:
        found = [_points(comparison.differences.get(metric)) for metric in METRICS]
        counts = f"{comparison.wins}, {comparison.losses}, {comparison.ties}"
        table.add_row(Path(comparison.run).name, *found, counts)
    Console(highlight=False).print(table)


def _points(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.mean:+.1f}\n{low:+.1f} to {high:+.1f}"


def show_curves(curves: list[Curve]) -> None:
    """An ablation, in per cent, a table per curve."""
    console = Console(highlight=False)
    for curve in curves:
        title = f"{curve.ablation}{f', {curve.name}' if curve.name else ''}"
        table = Table(title=title, title_justify="left")
        table.add_column(str(curve.ablation), justify="right")
        metrics = list(next(iter(curve.points.values()), {}))
        for metric in metrics:
            table.add_column(LABELS[metric], justify="right")
        for value, group in curve.points.items():
            shown = value if isinstance(value, str) else f"{value:g}"
            style = "bold" if value == curve.chosen else ""
            table.add_row(shown, *(f"{100 * group[m].mean:.1f}" for m in metrics), style=style)
        console.print(table)


def show_main_table(report: Report) -> None:
    """The first table of a report: flat against recursive attribution."""
    main = next(part for part in report.sections[0].parts if isinstance(part, Content))
    groups = [name for name, span in main.groups for _ in range(span)]
    table = Table(title=main.title, title_justify="left")
    table.add_column(main.stub)
    for group, column in zip(groups, main.columns, strict=True):
        table.add_column(f"{group}\n{column}" if len(main.groups) > 1 else column, justify="right")
    for row in main.rows:
        if row.is_heading:
            table.add_section()
            table.add_row(row.label, style="italic")
        else:
            cells = [f"[bold]{cell.text}[/]" if cell.is_best else cell.text for cell in row.cells]
            table.add_row(row.label, *cells)
    Console(highlight=False).print(table)


def show_stats(described: list[DatasetStats], families: list[Domains]) -> None:
    """What data sets are made of."""
    console = Console(highlight=False)
    table = Table()
    table.add_column("")
    for stats in described:
        table.add_column(stats.name, justify="right")
    for position, (label, _) in enumerate(described[0].rows()):
        table.add_row(label, *(stats.rows()[position][1] for stats in described))
    table.add_section()
    for position, tag in enumerate(TAGS):
        found = [stats.tag_rows()[position] for stats in described]
        table.add_row(tag, *(f"{count:,} ({100 * share:.1f} %)" for _, count, share in found))
    table.add_section()
    for depth in sorted({depth for stats in described for depth in stats.depths}):
        table.add_row(f"depth {depth}", *(f"{stats.depths[depth]:,}" for stats in described))
    console.print(table)
    for stats, domains in zip(described, families, strict=False):
        found_domains = Table(
            title=f"{stats.name}: task families (silhouette {domains.silhouette:.2f})",
            title_justify="left",
        )
        found_domains.add_column("Conv.", justify="right")
        found_domains.add_column("Representative tools")
        for family in domains.families:
            found_domains.add_row(str(len(family.conversations)), ", ".join(family.tools))
        console.print(found_domains)
