"""Fields and records of a tool result that is not JSON: pairs, tables, markup, JSON inside text.

Tools answer in whatever form their authors liked. Whatever names its values gives fields, as JSON
does, and the rest is prose. A line is taken for what it looks like, and nothing here can fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile

from tokengeist.attribution.blend.fields import Field, Record, scan


@dataclass
class Layout:
    """What a text consists of."""

    fields: list[Field] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    prose: list[tuple[int, int]] = field(default_factory=list)
    """The stretches that are neither."""

    def add_record(self, start: int, end: int, *, is_nested: bool) -> int:
        """Its number."""
        self.records.append(Record(start, end, is_nested))
        return len(self.records) - 1


_Line = tuple[int, int]

_MARKUP = re.compile(r"<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>[^<>]*</\1>")
_JSON = re.compile(r"[{\[](?=\s*(?:[\"'{\[]|$))")
_SEPARATOR = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-{2,}[-:| \t+]*")
_PAIR = re.compile(
    r"""[ \t]*(?:[-*•+>][ \t]+|\d+[.)][ \t]+)?
    (?P<whole>[*_`]{0,2}(?P<key>[^\W\d_](?:[^\n:=|,;.!?]|\.(?=\S)){0,38}?)[*_`]{0,2}
    [ \t]*(?::(?!\S)|=|:[*_`]{1,2})[*_`]{0,2}[ \t]*(?P<value>\S[^\n]*?)?)
    [ \t]*$""",
    re.VERBOSE,
)
_MOST_KEY_WORDS = 5
_PAIR_WORDS = 5
"""A longer line with a colon, among lines without one, is a sentence."""
_LONGEST_CELL = 60
_BETWEEN_PAIRS = re.compile(r"[ \t]+\|[ \t]+|[,;][ \t]+(?=[^\W\d_][\w -]{0,24}[:=][ \t]*\S)")
_DELIMITERS = (r"\t", r"[ ]*\|[ ]*", r"[ ]*,[ ]*", r"[ ]*;[ ]*", r"[ ]{2,}")


def lay_out(text: str) -> Layout:
    """Take a tool's answer apart."""
    layout = Layout()
    if text.lstrip()[:1] in ("{", "["):
        layout.fields, layout.records = scan(text, 0, len(text))
    elif _MARKUP.search(text):
        _read_markup(layout, text)
    else:
        _read_lines(layout, text)
    return layout


def _read_lines(layout: Layout, text: str) -> None:
    lines = list(_lines(text))
    at = 0
    pairs: list[_Line] = []
    while at < len(lines):
        start, end = lines[at]
        embedded = _embedded_json(text, start, end)
        rows = _table(text, lines, at)
        if embedded is None and not rows and _is_pair(text, start, end):
            pairs.append((start, end))
            at += 1
            continue
        _close_pairs(layout, text, pairs)
        if embedded is not None:
            at = _add_json(layout, text, lines, at, embedded)
        elif rows:
            _add_table(layout, text, rows)
            at += len(rows)
        else:
            if text[start:end].strip():
                layout.prose.append((start, end))
            at += 1
    _close_pairs(layout, text, pairs)
    _join_lines(layout, text)


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
        start += len(line)


def _join_lines(layout: Layout, text: str) -> None:
    """Prose lines that follow each other are one stretch, so that a sentence may be broken."""
    joined: list[_Line] = []
    for start, end in layout.prose:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    layout.prose = joined


def _embedded_json(text: str, start: int, end: int) -> int | None:
    """Where JSON begins on a line, be it after a few words or a fence."""
    match = _JSON.search(text, start, end)
    if match is None:
        return None
    rest = text[match.start() : match.start() + 2000]
    return match.start() if re.search(r"[\"']\s*:", rest) else None


def _add_json(layout: Layout, text: str, lines: list[_Line], at: int, begin: int) -> int:
    """Read JSON that begins inside a text up to its closing bracket; returns the next line."""
    if text[lines[at][0] : begin].strip():
        layout.prose.append((lines[at][0], begin))
    end, depth = len(text), 0
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"|[{}\[\]]', text[begin:]):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match.group(), 0)
        if depth <= 0:
            end = begin + match.end()
            break
    fields, records = scan(text, begin, end, first_record=len(layout.records))
    layout.fields += fields
    layout.records += records
    while at < len(lines) and lines[at][1] <= end:
        at += 1
    if at < len(lines) and lines[at][0] < end:
        if text[end : lines[at][1]].strip():
            layout.prose.append((end, lines[at][1]))
        at += 1
    return at


def _is_pair(text: str, start: int, end: int) -> bool:
    match = _PAIR.match(text[start:end])
    return (
        match is not None
        and match["value"] is not None
        and len(match["key"].split()) <= _MOST_KEY_WORDS
    )


def _close_pairs(layout: Layout, text: str, pairs: list[_Line]) -> None:
    """Pairs on lines that follow each other are one record."""
    if not pairs:
        return
    if len(pairs) == 1 and len(text[slice(*pairs[0])].split()) > _PAIR_WORDS:
        layout.prose.append(pairs[0])  # a sentence with a colon in it
    else:
        record = layout.add_record(pairs[0][0], pairs[-1][1], is_nested=True)
        for start, end in pairs:
            for first, last in _parts(text, start, end):
                match = _PAIR.match(text[first:last])
                if match and match["value"]:
                    begin = first + match.start("whole")
                    value = first + match.start("value")
                    key = match["key"].strip("*_` ")
                    layout.fields.append(
                        Field(key, begin, value, first + match.end("value"), record)
                    )
    pairs.clear()


def _parts(text: str, start: int, end: int) -> Iterator[_Line]:
    """The pairs of a line: `Status: open | Total: 5` are two."""
    first = start
    for match in _BETWEEN_PAIRS.finditer(text, start, end):
        if _is_pair(text, first, match.start()) and _is_pair(text, match.end(), end):
            yield first, match.start()
            first = match.end()
    yield first, end


_Cells = list[_Line]


_Row = tuple[_Line, _Cells]
_TELLING = 40
"""So many lines decide whether a table begins; to look at all of them from each takes too long."""


def _table(text: str, lines: list[_Line], at: int) -> list[_Row]:
    """The rows of a table that begins with a line, its head included; or none."""
    for delimiter in _DELIMITERS:
        rows = _rows(text, lines, at, delimiter)
        first = list(islice(rows, _TELLING))
        if len(first) >= 2 and _is_table(text, first, delimiter):
            return [*first, *takewhile(_is_short, rows)]
    return []


def _rows(text: str, lines: list[_Line], at: int, delimiter: str) -> Iterator[_Row]:
    """Lines with as many cells as the first, and rules between them."""
    width = 0
    for place in range(at, len(lines)):
        start, end = lines[place]
        if width and _SEPARATOR.fullmatch(text, start, end):
            yield (start, end), []
            continue
        cells = _cells(text, start, end, delimiter)
        if len(cells) < 2 or width not in (0, len(cells)):
            return
        width = len(cells)
        yield (start, end), cells


def _is_short(row: _Row) -> bool:
    return all(end - start <= _LONGEST_CELL for start, end in row[1])


def _cells(text: str, start: int, end: int, delimiter: str) -> _Cells:
    line = text[start:end]
    left = start + len(line) - len(line.lstrip(" |"))
    right = end - (len(line) - len(line.rstrip(" |")))
    cells, first = [], left
    for match in re.finditer(delimiter, text[left:right]):
        cells.append((first, left + match.start()))
        first = left + match.end()
    return [*cells, (first, right)] if right > left else []


_IDENTIFIER = re.compile(r"[A-Za-z_][\w-]*")


def _is_table(text: str, rows: list[_Row], delimiter: str) -> bool:
    """Whether lines with as many delimiters are rows: the head names, the rest is short."""
    head, body = rows[0][1], [cells for _, cells in rows[1:] if cells]
    ruled = len(body) < len(rows) - 1
    named = len(body) > 1 and all(_IDENTIFIER.fullmatch(text, *cell) for cell in head)
    if not body or not (ruled or named or len(head) > 2 or delimiter.startswith(r"\t")):
        return False
    if any(re.search(r"\d{2}|[:.]\s", text[start:end]) for start, end in head):
        return False
    return all(map(_is_short, rows))


def _add_table(layout: Layout, text: str, rows: list[_Row]) -> None:
    names = [text[start:end].strip("*_` ") for start, end in rows[0][1]]
    for (start, end), cells in rows[1:]:
        record = layout.add_record(start, end, is_nested=True) if cells else -1
        if names[1:] == ["value"] and cells:  # every row names its own
            layout.fields.append(Field(text[slice(*cells[0])], start, cells[1][0], end, record))
            continue
        for name, (first, last) in zip(names, cells, strict=False):
            if text[first:last].strip():
                layout.fields.append(Field(name, first, first, last, record))


_TAG = re.compile(r"<(?P<close>/?)(?P<tag>[A-Za-z][\w.:-]*)(?P<rest>(?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r"([\w.:-]+)\s*=\s*(\"[^\"]*\"|'[^']*')")
_PROSE_WORDS = 12


def _read_markup(layout: Layout, text: str) -> None:
    """Elements without children and attributes are fields; elements with either are records."""
    opened: list[tuple[str, int, int, int]] = []  # tag, start, where its text begins, record
    before = 0
    for match in _TAG.finditer(text):
        between = (before, match.start())
        if len(text[slice(*between)].split()) > _PROSE_WORDS or (
            not opened and text[slice(*between)].strip()
        ):
            layout.prose.append(between)
        opening, before = before, match.end()
        tag = match["tag"]
        if match["close"]:
            while opened:
                name, start, begin, record = opened.pop()
                if record >= 0:
                    known = layout.records[record]
                    layout.records[record] = Record(known.start, match.end(), known.is_nested)
                    if name == tag and begin == opening and text[begin : match.start()].strip():
                        layout.fields.append(Field(name, start, begin, match.start(), record))
                elif name == tag and text[begin : match.start()].strip():
                    around = next((r for *_, r in reversed(opened) if r >= 0), -1)
                    layout.fields.append(Field(name, start, begin, match.start(), around))
                if name == tag:
                    break
            continue
        if opened and opened[-1][3] < 0:
            name, start, begin, _ = opened[-1]
            record = layout.add_record(start, len(text), is_nested=len(opened) > 1)
            opened[-1] = (name, start, begin, record)
        record = -1
        attributes = list(_ATTRIBUTE.finditer(text, *match.span("rest")))
        if attributes:
            record = layout.add_record(match.start(), match.end(), is_nested=bool(opened))
        for attribute in attributes:
            span = attribute.span(2)
            layout.fields.append(Field(attribute[1], attribute.start(), *span, record))
        if not match["rest"].endswith("/"):
            opened.append((tag, match.start(), match.end(), record))
    if text[before:].strip():
        layout.prose.append((before, len(text)))
