"""Where the fields and records of JSON-like text stand, with offsets, however broken the text is.

`json` says what a text means but not where; and arguments or results may be cut off or almost
JSON. This scanner never fails: it reads brackets, keys and values as they come.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

QUOTES = "\"'\\"


class Field(NamedTuple):
    """A plain value with its key. An element of a list has the list's key and starts at itself."""

    key: str
    start: int
    value_start: int
    end: int
    record: int
    """Which record holds it; -1 for none."""

    @property
    def is_element(self) -> bool:
        """Whether it stands in a list, without a key of its own."""
        return self.start == self.value_start


@dataclass(frozen=True, slots=True)
class Record:
    """An object, from brace to brace."""

    start: int
    end: int
    is_nested: bool


_TOKEN = re.compile(
    r"""
    "(?:[^"\\]|\\.)*"
    |(?<!\w)'(?:[^'\\\n]|\\.)*'(?=\s*[,:}\]])  # as Python writes it
    |[{}\[\],:]
    |[^\s{}\[\],:"]+
    """,
    re.VERBOSE,
)
_MARKS = frozenset("{}[],:")
_ESCAPED_TOKEN = re.compile(r'\\"(?:(?!\\").)*\\"|[{}\[\],:]|[^\s{}\[\],:"\\]+', re.DOTALL)
_JSON_IN_STRING = re.compile(r'"\s*[{\[](?=.*?\\"\s*:)', re.DOTALL)


class _Scanner:
    def __init__(self, text: str, first_record: int) -> None:
        self.text = text
        self.first_record = first_record
        self.fields: list[Field] = []
        self.starts: list[tuple[int, bool]] = []  # per record: where it starts, whether nested
        self.ends: dict[int, int] = {}
        self._open: list[tuple[str, int, str]] = []  # bracket, record, key
        self._key: tuple[str, int] | None = None
        self._value: tuple[int, int] | None = None

    def read(self, start: int, end: int, token: re.Pattern[str] = _TOKEN) -> None:
        for match in token.finditer(self.text, start, end):
            found = match.group()
            if found not in _MARKS:  # an unquoted value may be several words
                self._value = (self._value[0] if self._value else match.start(), match.end())
            elif found in ("{", "["):
                self._enter(found, match.start())
            elif found in ("}", "]"):
                self._flush()
                if self._open:
                    bracket, record, _ = self._open.pop()
                    if bracket == "{":
                        self.ends[record] = match.end()
            elif found == ":":
                if self._value:
                    first, last = self._value
                    self._key = (self.text[first:last].strip(QUOTES), first)
                    self._value = None
            else:
                self._flush()

    def _enter(self, bracket: str, position: int) -> None:
        key = self._key[0] if self._key else self._open[-1][2] if self._open else ""
        if bracket == "{":
            self.starts.append((position, bool(self._open)))
            self._open.append((bracket, len(self.starts) - 1, key))
        else:
            self._open.append((bracket, self._open[-1][1] if self._open else -1, key))
        self._key = self._value = None

    def _flush(self) -> None:
        if self._value and self._open:
            first, last = self._value
            _, record, list_key = self._open[-1]
            key, start = self._key or (list_key, first)
            if _JSON_IN_STRING.match(self.text, first, last):
                depth, self._value = len(self._open), None
                self.read(first + 1, last - 1, _ESCAPED_TOKEN)
                del self._open[depth:]  # what is cut off in there ends with the string
                self._key = self._value = None
                return
            number = record + self.first_record if record >= 0 else -1
            self.fields.append(Field(key, start, first, last, number))
        self._key = self._value = None


def scan(
    text: str, start: int, end: int, *, first_record: int = 0
) -> tuple[list[Field], list[Record]]:
    """The fields and records between two positions, numbering records from `first_record`.

    >>> text = '{"id": 7, "tags": ["a", "b"], "by": {"name": "Mia"}}'
    >>> fields, records = scan(text, 0, len(text))
    >>> [(f.key, text[f.start:f.end], f.record) for f in fields]
    [('id', '"id": 7', 0), ('tags', '"a"', 0), ('tags', '"b"', 0), ('name', '"name": "Mia"', 1)]
    """
    scanner = _Scanner(text, first_record)
    scanner.read(start, end)
    records = [
        Record(position, scanner.ends.get(number, end), nested)
        for number, (position, nested) in enumerate(scanner.starts)
    ]
    return scanner.fields, records
