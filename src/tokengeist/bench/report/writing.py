"""Writing a report to a file, in the format that its name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tokengeist.bench.report.content import Report
from tokengeist.bench.report.figures import render
from tokengeist.bench.report.html import to_html
from tokengeist.bench.report.plain import figure_folder, to_latex, to_markdown
from tokengeist.errors import RunError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_FIGURE_FORMATS = (".svg", ".pdf", ".png")


def write_figure(figure: Figure, path: Path) -> None:
    """Write one figure, in the format that its name asks for."""
    if path.suffix.lower() not in _FIGURE_FORMATS:
        raise RunError(f"a figure is a {', '.join(_FIGURE_FORMATS)} file, not {path.name}")
    try:
        path.write_bytes(render(figure, path.suffix.lower()[1:]))
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error


def write_report(report: Report, path: Path) -> list[Path]:
    """Write `path` (.html, .md or .tex) and, for the latter two, its figures; returns all files."""
    match path.suffix.lower():
        case ".html" | ".htm":
            text, format = to_html(report), None
        case ".md":
            text, format = to_markdown(report, figure_folder(path).name), "svg"
        case ".tex":
            text, format = to_latex(report, figure_folder(path).name), "pdf"
        case other:
            raise RunError(f"a report is a .html, .md or .tex file, not {other or 'one without'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        files = [path]
        if format is not None:
            figure_folder(path).mkdir(exist_ok=True)
            for chart in report.charts():
                file = figure_folder(path) / f"{chart.name}.{format}"
                file.write_bytes(render(chart.draw(), format))
                files.append(file)
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error
    return files
