"""A report as one page that needs nothing else: no scripts, no fonts, no network."""

from __future__ import annotations

import re
from html import escape

from tokengeist.bench.report.content import Cell, Chart, Report, Row, Section, Table
from tokengeist.bench.report.figures import render

_STYLE = """
:root { color-scheme: light; --ink: #1d2330; --faint: #667; --line: #d8dbe2; --tint: #f5f6f9; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.5rem 5rem; color: var(--ink);
  background: #fff; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .6rem; padding-top: .6rem;
  border-top: 1px solid var(--line); }
nav { margin: 1rem 0 1.5rem; font-size: .92rem; }
nav a { margin-right: 1.1rem; color: #0a58a8; text-decoration: none; }
nav a:hover { text-decoration: underline; }
.summary { background: var(--tint); border-left: 3px solid #0072b2; padding: .8rem 1.1rem; }
.summary p { margin: .25rem 0; }
figure { margin: 1.6rem 0 2.2rem; }
figcaption { margin-top: .5rem; font-size: .88rem; color: var(--faint); max-width: 52rem; }
figcaption b { color: var(--ink); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
caption { caption-side: top; text-align: left; font-weight: 600; padding-bottom: .45rem; }
th, td { padding: .3rem .75rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: .2rem; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; vertical-align: bottom; }
thead tr.groups th { border-bottom: 1px solid var(--line); text-align: center; font-style: italic; }
tbody tr:last-child > * { border-bottom: 1px solid var(--ink); }
tbody th { font-weight: 400; }
tbody tr.heading th { font-style: italic; background: var(--tint); }
td.best { font-weight: 700; }
td small { display: block; font-weight: 400; font-size: .76rem; color: var(--faint); }
svg { max-width: 100%; height: auto; display: block; }
footer { margin-top: 4rem; font-size: .85rem; color: var(--faint); }
@media print { body { max-width: none; padding: 0; } figure { break-inside: avoid; } }
"""


def to_html(report: Report) -> str:
    """The page."""
    links = "".join(
        f'<a href="#{_anchor(section.title)}">{escape(section.title)}</a>'
        for section in report.sections
    )
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in report.summary)
    summary = f'<div class="summary">{said}</div>' if said else ""
    body = "".join(_section(section) for section in report.sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        f"<title>{escape(report.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(report.title)}</h1>\n<nav>{links}</nav>\n{summary}\n{body}"
        "<footer>Made with tokengeist bench report.</footer>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    text = f"<p>{escape(section.text)}</p>" if section.text else ""
    parts = "".join(
        _table(part) if isinstance(part, Table) else _chart(part) for part in section.parts
    )
    anchor = _anchor(section.title)
    return f'<section><h2 id="{anchor}">{escape(section.title)}</h2>{text}{parts}</section>\n'


def _table(table: Table) -> str:
    head = ""
    if table.groups:
        spans = "".join(f'<th colspan="{n}">{escape(name)}</th>' for name, n in table.groups)
        head += f'<tr class="groups"><th></th>{spans}</tr>'
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    head += f'<tr><th scope="col">{escape(table.stub)}</th>{columns}</tr>'
    body = "".join(_row(row, len(table.columns)) for row in table.rows)
    return (
        f'<figure><div class="scroll"><table><caption>{escape(table.title)}</caption>'
        f"<thead>{head}</thead><tbody>{body}</tbody></table></div>"
        f"<figcaption>{escape(table.caption)}</figcaption></figure>\n"
    )


def _row(row: Row, width: int) -> str:
    if row.is_heading:
        return f'<tr class="heading"><th colspan="{width + 1}">{escape(row.label)}</th></tr>'
    cells = "".join(_cell(cell) for cell in row.cells)
    return f'<tr><th scope="row">{escape(row.label)}</th>{cells}</tr>'


def _cell(cell: Cell) -> str:
    best = ' class="best"' if cell.is_best else ""
    detail = f"<small>{escape(cell.detail)}</small>" if cell.detail else ""
    return f"<td{best}>{escape(cell.text)}{detail}</td>"


def _chart(chart: Chart) -> str:
    svg = render(chart.draw(), "svg").decode()
    svg = svg[svg.index("<svg") :]  # an XML declaration has no place inside a page
    # Several figures share the page, and with it the name space of ids.
    prefix = _anchor(chart.name)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(chart.alt)}" ', 1)
    return (
        f"<figure>{svg}<figcaption><b>{escape(chart.title)}.</b> {escape(chart.caption)}"
        "</figcaption></figure>\n"
    )


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
