"""The paper's figures, drawn with matplotlib.

A backend keeps its colour in every figure; flat attribution is pale and dashed, recursive
attribution full and solid. The same data give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokengeist.errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which people with colour-blindness can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True, slots=True)
class Style:
    """How a run looks in every figure."""

    label: str
    colour: int
    is_flat: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes of a figure of lines."""

    title: str
    xlabel: str
    series: tuple[Series, ...]
    ticks: tuple[float, ...] = ()
    """The values of x to label; empty for matplotlib's choice of whole numbers."""
    mark: float | None = None
    """A value of x to point out."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its style, its points, and the interval of each."""

    style: Style
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


def _new_figure(panels: int, *, width: float = 4.6, height: float = 3.2) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise missing_extra("drawing figures", "bench") from error
    figure = Figure(figsize=(width * panels, height), layout="constrained")
    figure.subplots(1, panels, squeeze=False)
    return figure


@contextmanager
def _look() -> Iterator[None]:
    """Our settings, for as long as a figure is drawn or saved."""
    try:
        from matplotlib import rc_context
    except ImportError as error:
        raise missing_extra("drawing figures", "bench") from error
    settings: dict[Any, Any] = {
        "font.family": "sans-serif",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e4e4e4",
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "svg.fonttype": "none",  # text stays text: it can be searched and read aloud
        "svg.hashsalt": "tokengeist",  # ids that do not change from run to run
    }
    with rc_context(settings):
        yield


def render(figure: Figure, format: str) -> bytes:
    """A figure as a file of the given format: svg, pdf or png."""
    buffer = io.BytesIO()
    stamp = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
    with _look():
        figure.savefig(buffer, format=format, metadata=stamp, dpi=160)
    return buffer.getvalue()


def bars(
    panels: Mapping[str, Mapping[str, Sequence[float | None]]],
    styles: Sequence[Style],
    *,
    ylabel: str,
) -> Figure:
    """Groups of bars, one bar per style: panel title → group → values in per cent."""
    with _look():
        figure = _new_figure(len(panels), width=max(4.6, 0.9 + 0.28 * len(styles) * 5))
        for axes, (title, groups) in zip(figure.axes, panels.items(), strict=True):
            width = 0.8 / len(styles)
            for number, style in enumerate(styles):
                offset = (number - (len(styles) - 1) / 2) * width
                places = [place + offset for place in range(len(groups))]
                heights = [values[number] or 0.0 for values in groups.values()]
                axes.bar(
                    places,
                    heights,
                    width * 0.92,
                    label=style.label,
                    color=_colour(style),
                    alpha=0.4 if style.is_flat else 1.0,
                )
            axes.set_xticks(range(len(groups)), list(groups))
            axes.tick_params(axis="x", length=0)
            axes.grid(axis="x", visible=False)
            axes.set_title(title)
            axes.set_ylim(0, 100)
        figure.axes[0].set_ylabel(ylabel)
        _legend(figure, figure.axes[0])
    return figure


def lines(panels: Sequence[Panel], *, ylabel: str, top: float = 100) -> Figure:
    """Curves with their intervals as bands, from 0 to `top` per cent."""
    with _look():
        from matplotlib.ticker import MaxNLocator

        figure = _new_figure(len(panels), width=4.6 if len(panels) < 3 else 3.6)
        for axes, panel in zip(figure.axes, panels, strict=True):
            for series in panel.series:
                _line(axes, series)
            if panel.mark is not None:
                axes.axvline(panel.mark, color="#888888", linestyle=":", linewidth=1)
            if panel.ticks:
                axes.set_xticks(panel.ticks)
            else:
                axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_title(panel.title)
            axes.set_xlabel(panel.xlabel)
            axes.set_ylim(0, top)
        figure.axes[0].set_ylabel(ylabel)
        _legend(figure, figure.axes[-1])
    return figure


def histogram(counts: Mapping[str, Mapping[int, int]], *, xlabel: str, ylabel: str) -> Figure:
    """Counts by a whole number, one panel per data set."""
    with _look():
        figure = _new_figure(len(counts))
        for axes, (title, found) in zip(figure.axes, counts.items(), strict=True):
            axes.bar(list(found), list(found.values()), color=_COLOURS[0])
            axes.set_xticks(range(min(found), max(found) + 1))
            axes.grid(axis="x", visible=False)
            axes.set_title(title)
            axes.set_xlabel(xlabel)
        figure.axes[0].set_ylabel(ylabel)
    return figure


def _line(axes: Axes, series: Series) -> None:
    style = series.style
    axes.plot(
        series.x,
        series.y,
        label=style.label,
        color=_colour(style),
        linestyle="--" if style.is_flat else "-",
        marker=_MARKERS[style.colour % len(_MARKERS)] if len(series.x) <= 20 else "",
        markersize=4,
        linewidth=1.4,
        alpha=0.6 if style.is_flat else 1.0,
    )
    if series.low:
        axes.fill_between(
            series.x, series.low, series.high, color=_colour(style), alpha=0.1, linewidth=0
        )


def _colour(style: Style) -> str:
    return _COLOURS[style.colour % len(_COLOURS)]


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4))
