"""The chapters of a report that are mostly tables, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tokengeist.bench.bootstrap import Estimate
from tokengeist.bench.gold import TAGS
from tokengeist.bench.hallucination import CORRECTED, HALLUCINATED, HALLUCINATION_LABELS
from tokengeist.bench.metrics import LABELS, METRICS
from tokengeist.bench.report import figures
from tokengeist.bench.report.content import Cell, Chart, Row, Section, Table, mark_best, percent
from tokengeist.bench.report.looks import run_label, styles
from tokengeist.bench.report.material import Material, ReportedRun
from tokengeist.bench.scoring import Group

_NONE = Cell("–")


def summary(material: Material) -> tuple[str, ...]:
    """What recursion is worth, a sentence for every pair of runs."""
    said = []
    for _, deep, comparison in material.comparisons:
        edge = comparison.differences["edge_f1"]
        source = comparison.differences.get("source_recall")
        verb = "adds" if edge.mean >= 0 else "costs"
        text = (
            f"On {deep.data}, recursion {verb} {abs(100 * edge.mean):.1f} points of edge F1 "
            f"({_interval(edge, signed=True)}) with {deep.backend}"
        )
        if source is not None:
            text += f" and {100 * source.mean:+.1f} of source recall"
        said.append(f"{text}: {comparison.wins} targets better, {comparison.losses} worse.")
    return tuple(said)


def main_results(material: Material) -> Section:
    """The paper's table 2, then the same with intervals and paired differences."""
    best = _best_recursive(material)
    rows: list[Row] = []
    detailed: list[Row] = []
    model = None
    for name, label in material.methods():
        if name != model:
            model = name
            rows.append(Row(name, is_heading=True))
            detailed.append(Row(name, is_heading=True))
        cells, with_intervals = [], []
        for data in material.data_names:
            run = material.find(name, label, data)
            for metric in METRICS:
                value = run.mean(metric) if run else None
                is_best = (name, label, data, metric) in best
                cells.append(_NONE if value is None else Cell(percent(value), is_best))
                found = run.scores.overall.get(metric) if run else None
                detail = _detail(run, metric, found)
                with_intervals.append(
                    _NONE if value is None else Cell(percent(value), is_best, detail)
                )
        rows.append(Row(label, tuple(cells)))
        detailed.append(Row(label, tuple(with_intervals)))
    counts = {stats.name: stats.targets for stats in material.data}
    groups = tuple((f"{name} (n = {counts[name]:,})", 4) for name in material.data_names)
    columns = tuple(LABELS[metric] for metric in METRICS) * len(material.data_names)
    caption = (
        "All scores are percentages, means over targets. Tg is Tokengeist: the same backend, "
        "applied recursively. Bold marks the best recursive method per metric and model."
    )
    bounds = (
        "The same with 95 % bootstrap intervals over conversations; for repeated runs, mean and "
        "standard deviation over runs."
    )
    parts = [
        Table("Flat versus recursive attribution", caption, groups, columns, tuple(rows), "Method"),
        Table("Main results with intervals", bounds, groups, columns, tuple(detailed), "Method"),
    ]
    if material.comparisons:
        parts.append(_differences(material))
    return Section("Main comparison", "", tuple(parts))


def _best_recursive(material: Material) -> set[tuple[str, str, str, str]]:
    best = set()
    for model in {run.model for run in material.runs}:
        for data in material.data_names:
            runs = [
                r for r in material.runs if (r.model, r.data) == (model, data) and not r.is_flat
            ]
            for metric in METRICS:
                marks = mark_best([run.mean(metric) for run in runs])
                for run, is_best in zip(runs, marks, strict=True):
                    if is_best:
                        best.add((model, run.label, data, metric))
    return best


def _detail(run: ReportedRun | None, metric: str, found: Estimate | None) -> str:
    if run is not None and metric in run.repeats:
        return f"± {percent(run.repeats[metric].deviation)}"
    return _interval(found) if found else ""


def _interval(estimate: Estimate, *, signed: bool = False) -> str:
    if signed:
        return f"{100 * estimate.low:+.1f} to {100 * estimate.high:+.1f}"
    return f"{percent(estimate.low)}–{percent(estimate.high)}"


def _differences(material: Material) -> Table:
    rows = []
    for flat, deep, comparison in material.comparisons:
        cells = []
        for metric in METRICS:
            found = comparison.differences.get(metric)
            if found is None:
                cells.append(_NONE)
            else:
                text = f"{100 * found.mean:+.1f}"
                cells.append(Cell(text, found.excludes_zero, _interval(found, signed=True)))
        counts = f"{comparison.wins} / {comparison.losses} / {comparison.ties}"
        many = len({run.model for run in material.runs}) > 1
        label = f"{deep.backend}, {deep.data}" + (f" ({flat.model})" if many else "")
        rows.append(Row(label, (*cells, Cell(counts))))
    columns = (*(LABELS[metric] for metric in METRICS), "better / worse / same")
    caption = (
        "Recursive minus flat on the same targets, in points, with paired 95 % bootstrap "
        "intervals. Bold: the interval excludes zero. The last column counts targets by edge F1."
    )
    return Table("What recursion adds", caption, (), columns, tuple(rows), "Backend")


def dependency_types(material: Material) -> Section:
    """Edge F1 by tag and by depth: the paper's figure 4 and the numbers behind it."""
    looks = styles(material)
    tags = [tag for tag in TAGS if any(tag in run.scores.by_tag for run in material.runs)]

    def of_tag(run: ReportedRun | None, tag: str) -> float | None:
        found = run.scores.by_tag.get(tag, {}).get("edge_f1") if run else None
        return 100 * found.mean if found else None

    panels = {
        data: {
            tag.replace("_", "-"): [
                of_tag(material.find(model, label, data), tag) for model, label in looks
            ]
            for tag in tags
        }
        for data in material.data_names
    }
    chart = Chart(
        "dependency-types",
        "Edge F1 by dependency type",
        "Pale bars: flat methods; full bars: recursive ones. A target counts under each of its "
        "tags.",
        lambda: figures.bars(panels, list(looks.values()), ylabel="Edge F1 (%)"),
        "Bars of edge F1 for each dependency type and method.",
    )
    by_tag = _strata(
        material, "Edge F1 by dependency type", "In per cent.", tags, lambda r: r.scores.by_tag
    )
    depths = sorted({depth for run in material.runs for depth in run.scores.by_depth})
    by_depth = _strata(
        material,
        "Edge F1 by provenance depth",
        "In per cent, by the longest way from target to source in the gold graph.",
        depths,
        lambda r: r.scores.by_depth,
    )
    return Section("By dependency type and depth", "", (chart, by_tag, by_depth))


def _strata(
    material: Material,
    title: str,
    caption: str,
    keys: Sequence[Any],
    of: Callable[[ReportedRun], Mapping[Any, Group]],
) -> Table:
    rows = []
    for run in material.runs:
        groups = of(run)
        cells = []
        for key in keys:
            found = groups.get(key, {}).get("edge_f1")
            cells.append(Cell(percent(found.mean), detail=f"n = {found.n}") if found else _NONE)
        rows.append(Row(run_label(material, run), tuple(cells)))
    columns = tuple(str(key).replace("_", "-") for key in keys)
    return Table(title, caption, (), columns, tuple(rows), "Method")


def hallucinations(material: Material) -> Section | None:
    """Where wrong values came from: the paper's table 5."""
    runs = [run for run in material.runs if run.scores.hallucinated or run.scores.corrected]
    if not runs:
        return None
    halves = [
        ("Hallucinated targets", HALLUCINATED, [r.scores.hallucinated for r in runs]),
        ("Corrected targets", CORRECTED, [r.scores.corrected for r in runs]),
    ]
    cells: list[list[Cell]] = [[] for _ in runs]
    groups, columns = [], []
    for title, metrics, found in halves:
        present = [metric for metric in metrics if any(metric in group for group in found)]
        groups += [(title, len(present))] if present else []
        for metric in present:
            columns.append(HALLUCINATION_LABELS[metric])
            values = [group[metric].mean if metric in group else None for group in found]
            for row, value, is_best, group in zip(
                cells, values, mark_best(values), found, strict=True
            ):
                row.append(
                    _NONE
                    if value is None
                    else Cell(percent(value), is_best, f"n = {group[metric].n}")
                )
    rows = tuple(
        Row(run_label(material, run), tuple(row)) for run, row in zip(runs, cells, strict=True)
    )
    caption = (
        "In per cent. Halluc. F1: the turns that misled the model; Corr. F1: the turns that held "
        "the truth and were ignored, where the gold graphs name them; Overall F1: all of them. "
        "Corrected targets had their wrong value replaced by the right one."
    )
    table = Table(
        "Attribution of hallucinations", caption, tuple(groups), tuple(columns), rows, "Method"
    )
    return Section("Hallucinations", "", (table,))


def how_it_was_run(material: Material) -> Section:
    """Settings, times and machines."""
    rows = []
    for run in material.runs:
        meta, method = run.meta, run.meta["method"]
        seconds = run.scores.seconds
        cells = (
            Cell(_settings(method)),
            Cell(f"{seconds.mean:.3f}" if seconds else "–"),
            Cell(str(run.scores.errors)),
            Cell(str(run.scores.missing)),
            Cell(meta["versions"].get("tokengeist", "–")),
            Cell(f"{meta['machine']['cpus']} CPUs, {meta['machine']['processor']}"),
        )
        rows.append(Row(run_label(material, run), cells))
    columns = ("Settings", "s per target", "failed", "not reached", "version", "machine")
    caption = (
        "Seconds per target hold an equal share of the one reading of its conversation. Failed "
        "targets count as 0; targets that a run has not reached are not scored."
    )
    table = Table("Runs", caption, (), columns, tuple(rows), "Method")
    return Section("How it was run", "", (table,))


def _settings(method: Mapping[str, Any]) -> str:
    trace, view = method["trace"], method["view"]
    k = "any k" if trace["top_k"] is None else f"k {trace['top_k']}"
    least = f"score ≥ {trace['min_score']:g}, " if trace["min_score"] else ""
    return f"depth {trace['max_depth']}, {k}, {least}α {view['alpha']:g}, {method['granularity']}s"
