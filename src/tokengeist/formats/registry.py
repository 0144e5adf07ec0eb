"""The readers by name: the formats of this package, then those of other installed packages.

To add a format: write a module with the two functions of `Reader` and put it into `_BUILT_IN`,
before any format that would also recognise its files. An outside package names its module (or any
object with these two functions) in the entry-point group `tokengeist.readers`. Nothing is imported
before it is needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, cast

from tokengeist.errors import FormatError, unknown_name
from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document
from tokengeist.formats.fields import describe

GROUP = "tokengeist.readers"

# The order is the order of detection: archives first, because they hold no text for the others to
# look at; chat messages last, being the least particular.
_BUILT_IN = {
    "inspect": "tokengeist.formats.inspect_ai",
    "native": "tokengeist.formats.native",
    "mlflow": "tokengeist.formats.traces.mlflow",
    "otel": "tokengeist.formats.traces.otel",
    "langfuse": "tokengeist.formats.traces.langfuse",
    "langsmith": "tokengeist.formats.traces.langsmith",
    "codex": "tokengeist.formats.codex",
    "openhands": "tokengeist.formats.openhands",
    "swe-agent": "tokengeist.formats.swe_agent",
    "sharegpt": "tokengeist.formats.sharegpt",
    "tooltalk": "tokengeist.formats.tooltalk",
    "claude-code": "tokengeist.formats.claude_code",
    "tau-bench": "tokengeist.formats.tau_bench",
    "tau2-bench": "tokengeist.formats.tau2_bench",
    "atif": "tokengeist.formats.atif",
    "gemini": "tokengeist.formats.gemini",
    "langchain": "tokengeist.formats.langchain",
    "responses": "tokengeist.formats.openai_responses",
    "anthropic": "tokengeist.formats.anthropic",
    "openai": "tokengeist.formats.openai_chat",
}


class Reader(Protocol):
    """What a format is: a module, or an object, with these two functions."""

    def recognises(self, document: Document) -> bool:
        """Whether the file is meant to be in this format, even if it is faulty."""
        ...

    def conversations(self, document: Document) -> Iterator[Conversation]:
        """Every conversation of the file, in order, none read yet."""
        ...


@cache
def _outside() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def format_names() -> tuple[str, ...]:
    """The names of all formats, in the order of detection."""
    return (*_BUILT_IN, *(name for name in _outside() if name not in _BUILT_IN))


def reader(name: str) -> Reader:
    """The reader of a format. Raises `UnknownNameError` for a name nobody has."""
    if name in _BUILT_IN:
        return cast(Reader, importlib.import_module(_BUILT_IN[name]))
    if name not in _outside():
        raise unknown_name("format", name, format_names())
    point = _outside()[name]
    try:
        found = point.load()
    except Exception as error:  # whatever an outside module does when it is imported
        raise FormatError(
            f"the reader of format '{name}' ({point.value}) cannot be loaded: {error}"
        ) from error
    if not all(callable(getattr(found, part, None)) for part in ("recognises", "conversations")):
        raise FormatError(
            f"the reader of format '{name}' ({point.value}) needs the functions 'recognises' and "
            "'conversations'"
        )
    return cast(Reader, found)


def detect_format(document: Document, among: Sequence[str] | None = None) -> str:
    """The name of the first format that recognises the file, of all or of some."""
    names = format_names() if among is None else among
    for name in names:
        if reader(name).recognises(document):
            return name
    raise document.place.error(
        f"this is JSON but no known kind of transcript: {describe(document.records[0].value)}. "
        f"Known formats: {', '.join(names)}. If it is one of these, force it with "
        "--format NAME"
    )
