"""The chapters of a report that are curves: signal coverage and ablations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokengeist.bench.ablation import (
    Ablation,
    Curve,
    alpha_curve,
    branching_curves,
    depth_curve,
)
from tokengeist.bench.bootstrap import Estimate
from tokengeist.bench.metrics import LABELS, METRICS
from tokengeist.bench.report import figures
from tokengeist.bench.report.content import Chart, Section
from tokengeist.bench.report.figures import Panel, Series, Style
from tokengeist.bench.report.looks import styles
from tokengeist.bench.report.material import Material, ReportedRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_XLABELS = {Ablation.ALPHA: "α", Ablation.DEPTH: "maximum depth", Ablation.K: "k"}
_FAR = 20
"""Turn distances beyond this are rare and left out of the figure."""


def coverage(material: Material) -> Section:
    """How far attribution reaches: the paper's figure 8."""
    charts = tuple(_coverage_chart(material, data) for data in material.data_names)
    return Section("Attribution signal", "", charts)


def _coverage_chart(material: Material, data: str) -> Chart:
    looks = styles(material)
    by_depth, by_distance = [], []
    for run in material.runs:
        if run.data == data:
            look = looks[run.model, run.label]
            by_depth.append(_series(look, run.scores.coverage_by_depth))
            near = {d: e for d, e in run.scores.coverage_by_distance.items() if d <= _FAR}
            by_distance.append(_series(look, near))
    panels = (
        Panel("by provenance depth", "hops from the target", tuple(by_depth)),
        Panel("by turn distance", "turns before the target", tuple(by_distance)),
    )
    return Chart(
        f"signal-coverage-{data}",
        f"Signal coverage of gold turns, {data}",
        "Share of gold turns that receive any attribution before pruning, by fewest hops from "
        "the target and by how many turns earlier they stand. Structural edges carry no signal, "
        "hence the dips at even depths and distances. Bands are 95 % intervals.",
        lambda: figures.lines(panels, ylabel="signal coverage (%)"),
        "Lines of signal coverage falling with depth and distance.",
    )


def _series(style: Style, found: dict[int, Estimate]) -> Series:
    return Series(
        style,
        tuple(map(float, found)),
        tuple(100 * e.mean for e in found.values()),
        tuple(100 * e.low for e in found.values()),
        tuple(100 * e.high for e in found.values()),
    )


def ablations(material: Material) -> Section | None:
    """Depth, alpha and k over stored graphs; no model is asked again."""
    charts = []
    for data in material.data_names:
        runs = [run for run in material.runs if run.data == data and not run.is_flat]
        if runs:
            charts.append(_ablation_chart(data, runs, styles(material)))
    if not charts:
        return None
    text = "Computed from the stored unpruned graphs of the recursive runs."
    return Section("Ablations", text, tuple(charts))


def _ablation_chart(
    data: str, runs: list[ReportedRun], looks: dict[tuple[str, str], Style]
) -> Chart:
    alphas, depths, branches = [], [], []
    for run in runs:
        look = looks[run.model, run.label]
        depths.append(_curve(look, depth_curve(run.dataset, run.folder)))
        alphas.append(_curve(look, alpha_curve(run.dataset, run.folder)))
        with_alpha, without = branching_curves(run.dataset, run.folder)
        branches.append(_curve(look, with_alpha))
        raw = Style(f"{look.label}, {without.name}", look.colour, is_flat=True)
        branches.append(_curve(raw, without))
    alphas_used = {run.meta["method"]["view"]["alpha"] for run in runs}
    alpha = alphas_used.pop() if len(alphas_used) == 1 else None
    dotted = "" if alpha is None else f" (dotted: α = {alpha:g}, as used)"
    panels = (
        Panel("recursion depth", "maximum depth", tuple(depths), _places(depths)),
        Panel("pruning", "α", tuple(alphas), (0, 0.2, 0.4, 0.6, 0.8, 1), alpha),
        Panel("branching", "k", tuple(branches), _places(branches)),
    )
    highest = max(y for panel in panels for series in panel.series for y in series.y)
    top = min(100.0, 10 * math.ceil(highest / 10 + 0.3))
    return Chart(
        f"ablations-{data}",
        f"Depth, pruning threshold and branching factor, {data}",
        "Edge F1 by the most hops followed, structural ones included (1 is flat attribution); by "
        f"how weak an edge may be beside the best of its turn{dotted}; "
        "and by how many sources are kept at a turn, after pruning by α (solid) and without it "
        "(dashed).",
        lambda: figures.lines(panels, ylabel="Edge F1 (%)", top=top),
        "Edge F1 as depth, alpha and k vary.",
    )


def ablation_figure(label: str, curves: Sequence[Curve]) -> Figure:
    """One ablation as a figure of its own: curves over numbers, bars over names."""
    first = curves[0]
    if first.ablation is Ablation.GRANULARITY:
        styles = [Style(str(value), number, False) for number, value in enumerate(first.points)]
        groups = {
            LABELS[metric]: [100 * group[metric].mean for group in first.points.values()]
            for metric in METRICS
        }
        return figures.bars({label: groups}, styles, ylabel="%")
    series = []
    for number, curve in enumerate(curves):
        name = ", ".join(part for part in (label, curve.name) if part)
        series.append(_curve(Style(name, 0, is_flat=number > 0), curve))
    is_alpha = first.ablation is Ablation.ALPHA
    ticks = (0, 0.2, 0.4, 0.6, 0.8, 1) if is_alpha else _places(series)
    mark = float(first.chosen) if is_alpha and first.chosen is not None else None
    panel = Panel(label, _XLABELS[first.ablation], tuple(series), ticks, mark)
    return figures.lines((panel,), ylabel="Edge F1 (%)")


def _places(all_series: list[Series]) -> tuple[float, ...]:
    return tuple(sorted({x for series in all_series for x in series.x}))


def _curve(style: Style, curve: Curve) -> Series:
    found = {float(value): group["edge_f1"] for value, group in curve.points.items()}
    return Series(style, tuple(found), tuple(100 * estimate.mean for estimate in found.values()))
