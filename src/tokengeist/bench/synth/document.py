"""JSON whose every field knows its offsets, for tool results and call arguments.

Written by hand rather than with `json.dumps` because a gold span is a piece of the text, such as
`"insurance": "yes"`, and only the writer knows where it put it. The text is always valid JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokengeist.bench.synth.value import Origin, Value

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """How a conversation's software spaces its JSON."""

    comma: str = ", "
    colon: str = ": "


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON text, the range of each member (`"key": value`) and of each bare value."""

    text: str
    members: Mapping[Path, tuple[int, int]]
    values: Mapping[Path, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Document:
    """A tool result as the agent reads it: data by path, each with its place in the transcript."""

    turn: int
    data: object
    layout: JsonText

    def read(self, *path: str | int) -> Value[object]:
        """The datum at `path`, with the range of its whole member as origin."""
        found = self.data
        for step in path:
            found = found[step]  # type: ignore[index]
        start, end = self.layout.members[path]
        return Value(found, (Origin(self.turn, start, end),))

    def count(self, *path: str | int) -> int:
        """The length of the list at `path`."""
        found = self.read(*path).data
        return len(found) if isinstance(found, list) else 0


def write_json(data: object, style: JsonStyle) -> JsonText:
    """Serialise `data`, noting where everything landed.

    >>> laid = write_json({"loan": {"due": "2031-05-02"}, "fees": [3, 4]}, JsonStyle())
    >>> start, end = laid.members["loan", "due"]
    >>> laid.text[start:end]
    '"due": "2031-05-02"'
    """
    out: list[str] = []
    members: dict[Path, tuple[int, int]] = {}
    values: dict[Path, tuple[int, int]] = {}
    length = 0

    def emit(text: str) -> None:
        nonlocal length
        out.append(text)
        length += len(text)

    def value(node: object, path: Path) -> None:
        start = length
        if isinstance(node, Mapping):
            emit("{")
            for place, (key, child) in enumerate(node.items()):
                emit(style.comma if place else "")
                begin = length
                emit(json.dumps(key) + style.colon)
                value(child, (*path, key))
                members[*path, key] = (begin, length)
            emit("}")
        elif isinstance(node, Sequence) and not isinstance(node, str):
            emit("[")
            for place, child in enumerate(node):
                emit(style.comma if place else "")
                begin = length
                value(child, (*path, place))
                members[*path, place] = (begin, length)
            emit("]")
        else:
            emit(json.dumps(node, ensure_ascii=False))
        values[path] = (start, length)

    value(data, ())
    return JsonText("".join(out), members, values)
