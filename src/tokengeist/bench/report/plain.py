"""A report as Markdown or as LaTeX, with its figures in files beside it."""

from __future__ import annotations

from pathlib import Path

from tokengeist.bench.report.content import Cell, Chart, Report, Section, Table

_LATEX = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
        "α": r"$\alpha$", "–": "--", "±": r"$\pm$", "≈": r"$\approx$", "…": r"\ldots{}",
        "→": r"$\rightarrow$", "≥": r"$\geq$",
    }
)  # fmt: skip


def to_markdown(report: Report, figures: str) -> str:
    """Markdown; `figures` is the folder of the SVG files, as seen from the report."""
    lines = [f"# {report.title}", ""]
    lines += [f"- {_md(sentence)}" for sentence in report.summary]
    for section in report.sections:
        lines += ["", f"## {section.title}"]
        lines += ["", _md(section.text)] if section.text else []
        for part in section.parts:
            lines.append("")
            if isinstance(part, Table):
                lines += _markdown_table(part)
            else:
                lines += [
                    f"![{_md(part.alt or part.title)}]({figures}/{part.name}.svg)",
                    "",
                    f"**{_md(part.title)}.** {_md(part.caption)}",
                ]
    return "\n".join(lines) + "\n"


def _markdown_table(table: Table) -> list[str]:
    names = list(table.columns)
    if len(table.groups) > 1:  # Markdown has no spanning headings, so columns carry them
        groups = [group for group, span in table.groups for _ in range(span)]
        names = [f"{group}: {name}" for group, name in zip(groups, names, strict=True)]
    lines = [
        f"**{_md(table.title)}**",
        "",
        f"| {_md(table.stub)} | " + " | ".join(map(_md, names)) + " |",
        "|:--|" + "--:|" * len(names),
    ]
    for row in table.rows:
        if row.is_heading:
            lines.append(f"| *{_md(row.label)}* |" + " |" * len(names))
        else:
            lines.append(f"| {_md(row.label)} | " + " | ".join(map(_md_cell, row.cells)) + " |")
    return [*lines, "", _md(table.caption)]


def _md_cell(cell: Cell) -> str:
    text = f"**{_md(cell.text)}**" if cell.is_best else _md(cell.text)
    return f"{text} ({_md(cell.detail)})" if cell.detail else text


def _md(text: str) -> str:
    for character in "\\|*_<>`[]":
        text = text.replace(character, f"\\{character}")
    return text


def to_latex(report: Report, figures: str) -> str:
    """A LaTeX document; `figures` is the folder of the PDF files, as seen from the report."""
    lines = [
        r"\documentclass[11pt]{article}",
        r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}",
        r"\usepackage{booktabs,graphicx,geometry}",
        r"\geometry{margin=2.2cm}",
        rf"\title{{{_tex(report.title)}}}\date{{}}",
        r"\begin{document}",
        r"\maketitle",
    ]
    if report.summary:
        lines += [r"\begin{itemize}", *(rf"\item {_tex(s)}" for s in report.summary)]
        lines += [r"\end{itemize}"]
    for section in report.sections:
        lines += _latex_section(section, figures)
    return "\n".join([*lines, r"\end{document}"]) + "\n"


def _latex_section(section: Section, figures: str) -> list[str]:
    lines = ["", rf"\section{{{_tex(section.title)}}}", _tex(section.text)]
    for part in section.parts:
        lines += latex_table(part) if isinstance(part, Table) else _latex_chart(part, figures)
    return [*lines, r"\clearpage"]


def latex_table(table: Table) -> list[str]:
    """A table in the style of the paper's."""
    lines = [r"\begin{table}[htbp]", r"\centering\small\setlength{\tabcolsep}{4pt}"]
    wide = len(table.columns) > 6
    lines += [r"\resizebox{\linewidth}{!}{%"] if wide else []
    borders = _group_borders(table)
    align = "l" + "".join("r|" if place in borders else "r" for place in range(len(table.columns)))
    lines += [rf"\begin{{tabular}}{{{align}}}", r"\toprule"]
    if table.groups:
        spans = [rf"\multicolumn{{{n}}}{{c}}{{{_tex(name)}}}" for name, n in table.groups]
        lines.append(" & " + " & ".join(spans) + r" \\")
    header = " & ".join(map(_tex, (table.stub, *table.columns)))
    lines += [header + r" \\", r"\midrule"]
    for row in table.rows:
        if row.is_heading:
            width = len(table.columns) + 1
            lines.append(rf"\multicolumn{{{width}}}{{l}}{{\textit{{{_tex(row.label)}}}}} \\")
        else:
            lines.append(" & ".join([_tex(row.label), *map(_tex_cell, row.cells)]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}" + ("}" if wide else "")]
    caption = rf"\caption{{\textbf{{{_tex(table.title)}.}} {_tex(table.caption)}}}"
    return [*lines, caption, r"\end{table}"]


def _group_borders(table: Table) -> set[int]:
    """The columns after which a group ends, the last one excepted."""
    borders, place = set(), -1
    for _, span in table.groups[:-1]:
        place += span
        borders.add(place)
    return borders


def _latex_chart(chart: Chart, figures: str) -> list[str]:
    return [
        r"\begin{figure}[htbp]",
        r"\centering",
        rf"\includegraphics[width=\linewidth]{{{figures}/{chart.name}.pdf}}",
        rf"\caption{{\textbf{{{_tex(chart.title)}.}} {_tex(chart.caption)}}}",
        r"\end{figure}",
    ]


def _tex_cell(cell: Cell) -> str:
    text = rf"\textbf{{{_tex(cell.text)}}}" if cell.is_best else _tex(cell.text)
    return rf"{text} {{\scriptsize ({_tex(cell.detail)})}}" if cell.detail else text


def _tex(text: str) -> str:
    return text.translate(_LATEX)


def figure_folder(report: Path) -> Path:
    """Where the figures of a Markdown or LaTeX report stand."""
    return report.with_name(f"{report.stem}-figures")
