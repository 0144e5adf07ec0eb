"""A transcript file before anybody knows its format: its bytes, its text, its JSON values.

All readers start here, so that every way in which a file can be unreadable (missing, empty, not
UTF-8, not JSON, nested beyond reason) is told once, in one voice, with the line it happens on.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tokengeist.errors import FormatError
from tokengeist.formats.packed import unpacked

STDIN = "-"

_ZIP = b"PK\x03\x04"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
# A string, which is skipped, or one of the three constants that Python writes and JSON lacks.
_CONSTANT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|(?P<constant>NaN|-?Infinity)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands, in words: `run.jsonl, line 3, message 7`."""

    text: str

    def inside(self, step: str) -> Place:
        """A place within this one."""
        return Place(f"{self.text}, {step}")

    def error(self, problem: str) -> FormatError:
        """An error that says what is wrong here."""
        return FormatError(f"{self.text}: {problem}")


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a file, and where it stands."""

    value: object
    place: Place
    line: int | None = None
    """Its line, where the file holds one value a line."""


@dataclass(frozen=True)
class Document:
    """A file that has been read but not understood."""

    origin: str
    """How messages name it."""
    name: str
    """The id of its conversation where it holds a single one that has no id of its own."""
    data: bytes

    @property
    def place(self) -> Place:
        """The file as a whole."""
        return Place(self.origin)

    @cached_property
    def text(self) -> str:
        """The decoded file, without a byte order mark."""
        if self.data.startswith(_ZIP):
            raise self.place.error("the file is a zip archive; unpack it first")
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.place.error(self._undecodable(error)) from None
        if not text.strip():
            raise self.place.error("the file is empty; a transcript is expected")
        return text

    def _undecodable(self, error: UnicodeDecodeError) -> str:
        if self.data.startswith(_WIDE):
            return "the text is UTF-16; save it as UTF-8"
        line = self.data.count(b"\n", 0, error.start) + 1
        return (
            f"line {line} is not UTF-8 (byte 0x{self.data[error.start]:02x} at offset "
            f"{error.start}); save the file as UTF-8"
        )

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The JSON values of the file: one, or one a line."""
        try:
            return (Record(_parse(self.text, self.place), self.place),)
        except json.JSONDecodeError as error:
            lines = [
                (number, line)
                # Not `splitlines`: JSON strings may hold U+2028 and its like.
                for number, line in enumerate(self.text.split("\n"), start=1)
                if line.strip()
            ]
            if len(lines) < 2 or not _is_json(lines[0][1], self.place):
                raise self.place.error(
                    f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
                ) from None
        return tuple(self._line(number, line) for number, line in lines)

    def _line(self, number: int, line: str) -> Record:
        place = self.place.inside(f"line {number}")
        try:
            return Record(_parse(line, place), place, number)
        except json.JSONDecodeError as error:
            raise place.error(
                f"not JSON: {error.msg} at column {error.colno}; "
                "with several values in a file, each needs a line of its own"
            ) from None


def open_document(path: str | os.PathLike[str]) -> Document:
    """Read a file, or standard input where `path` is `-`."""
    if os.fspath(path) == STDIN:
        return Document("standard input", "stdin", unpacked(sys.stdin.buffer.read(), STDIN))
    file = Path(path)
    try:
        name = Path(file.stem).stem if file.suffix in (".gz", ".zst") else file.stem
        return Document(str(file), name, unpacked(file.read_bytes(), str(file)))
    except FileNotFoundError:
        raise FormatError(f"there is no file {str(file)!r}.{_similar(file)}") from None
    except IsADirectoryError:
        raise FormatError(f"{file} is a directory; name a transcript file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"{str(file)!r} cannot be read: {reason}") from error


def _similar(file: Path) -> str:
    try:
        names = [entry.name for entry in file.parent.iterdir()]
    except OSError:
        return f" There is no directory {str(file.parent)!r} either."
    nearest = difflib.get_close_matches(file.name, names, n=1)
    return f" Did you mean {str(file.parent / nearest[0])!r}?" if nearest else ""


def _is_json(text: str, place: Place) -> bool:
    try:
        _parse(text, place)
    except json.JSONDecodeError:
        return False
    return True


def _position(text: str, offset: int) -> str:
    """A place in a text; in a text of one line, the line goes without saying."""
    column = offset - text.rfind("\n", 0, offset)
    line = text.count("\n", 0, offset) + 1
    return f"line {line}, column {column}" if "\n" in text else f"column {column}"


def _parse(text: str, place: Place) -> object:
    """Strict JSON: what Python's parser would quietly accept or drop is refused.

    NaN and its like are not JSON, and of a key that stands twice one value would be lost.
    """

    def refuse_constant(constant: str) -> None:
        for match in _CONSTANT.finditer(text):
            if match["constant"]:
                raise place.error(
                    f"{constant} at {_position(text, match.start())} is not JSON; "
                    "write null or a string"
                )

    def refuse_overflow(literal: str) -> float:
        number = float(literal)
        if math.isinf(number):
            raise place.error(f"the number {literal} is too large; write it as a string")
        return number

    def refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
            raise place.error(
                f"the key {twice!r} stands twice in one object, and one of its values would be "
                "lost; remove or rename one"
            )
        return found

    try:
        value: object = json.loads(
            text,
            parse_constant=refuse_constant,
            parse_float=refuse_overflow,
            object_pairs_hook=refuse_duplicates,
        )
    except RecursionError:
        raise place.error("the JSON is nested too deeply to be a transcript") from None
    except (json.JSONDecodeError, FormatError):
        raise
    except ValueError as error:  # an integer of more digits than Python converts
        raise place.error(f"a number is too long to read: {error}") from None
    return value
