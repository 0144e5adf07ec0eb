"""Reading transcripts: one reader per format, and finding out which format a file has.

>>> load(example_path("refund")).turns[4].role
<Role.ASSISTANT: 'assistant'>
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path

from tokengeist.errors import SeveralConversationsError, UnknownNameError, unknown_name
from tokengeist.formats.conversation import Conversation, with_unique_ids
from tokengeist.formats.document import STDIN, Document, open_document
from tokengeist.formats.native import dumps, to_native
from tokengeist.formats.registry import Reader, detect_format, format_names, reader
from tokengeist.transcript import Transcript

__all__ = [
    "STDIN",
    "Conversation",
    "Document",
    "Reader",
    "detect",
    "dumps",
    "example_names",
    "example_path",
    "format_names",
    "list_conversations",
    "load",
    "load_all",
    "to_native",
]

_SHOWN_IDS = 5
_EXAMPLES = Path(__file__).parent.parent / "examples"


def load(
    path: str | os.PathLike[str], *, format: str | None = None, conversation: str | None = None
) -> Transcript:
    """Read one conversation from a file, or from standard input where `path` is `-`.

    The format is detected unless `format` names it. A file of several conversations needs
    `conversation`, the id of one of them.

    Raises `FormatError` (`SeveralConversationsError` where that id is missing), or
    `UnknownNameError` for a format or a conversation nobody has.
    """
    document = open_document(path)
    found = list(_conversations(document, format))
    if not found:
        raise document.place.error("the file holds no conversation")
    if conversation is None:
        if len(found) > 1:
            raise SeveralConversationsError(
                f"{document.place.text}: the file holds {len(found)} conversations "
                f"({_some_ids(found)}); say which one with --conversation ID. "
                "`tokengeist turns FILE` lists them all",
                tuple(candidate.id for candidate in found),
            )
        return found[0].read()
    for candidate in found:
        if candidate.id == conversation:
            return candidate.read()
    raise _unknown_conversation(conversation, found, document)


def load_all(path: str | os.PathLike[str], *, format: str | None = None) -> Iterator[Transcript]:
    """Read every conversation of a file, in order, each when it is asked for."""
    document = open_document(path)
    for conversation in _conversations(document, format):
        yield conversation.read()


def list_conversations(
    path: str | os.PathLike[str], *, format: str | None = None
) -> tuple[str, ...]:
    """The ids of a file's conversations, without reading their turns."""
    return tuple(found.id for found in _conversations(open_document(path), format))


def detect(path: str | os.PathLike[str]) -> str:
    """The name of a file's format. Raises `FormatError` where no reader recognises it."""
    return detect_format(open_document(path))


def example_names() -> tuple[str, ...]:
    """The names of the bundled example transcripts."""
    return tuple(sorted(file.stem for file in _EXAMPLES.glob("*.json")))


def example_path(name: str) -> Path:
    """The file of a bundled example transcript."""
    if name not in example_names():
        raise unknown_name("example", name, example_names())
    return _EXAMPLES / f"{name}.json"


def _conversations(document: Document, format: str | None) -> Iterator[Conversation]:
    chosen = reader(detect_format(document) if format is None else format)
    try:
        yield from with_unique_ids(chosen.conversations(document))
    except RecursionError:
        raise document.place.error("the JSON is nested too deeply to be a transcript") from None


def _some_ids(found: list[Conversation]) -> str:
    shown = ", ".join(conversation.id for conversation in found[:_SHOWN_IDS])
    return f"{shown}, …" if len(found) > _SHOWN_IDS else shown


def _unknown_conversation(
    id: str, found: list[Conversation], document: Document
) -> UnknownNameError:
    nearest = difflib.get_close_matches(id, [conversation.id for conversation in found], n=1)
    hint = f" Did you mean '{nearest[0]}'?" if nearest else ""
    return UnknownNameError(
        f"{document.origin} has no conversation '{id}'.{hint} "
        f"It holds {len(found)}: {_some_ids(found)}"
    )
