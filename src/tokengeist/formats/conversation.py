"""A conversation found in a file but not yet read, and how it becomes a transcript.

Finding is separate from reading so that a file of a thousand runs can be listed, and one of them
picked, without building the other 999.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from tokengeist.errors import FormatError, TranscriptError
from tokengeist.formats.document import Document, Place, Record
from tokengeist.transcript import Role, Transcript, Turn


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of a file: its id, its place, and how to read it."""

    id: str
    place: Place
    turns: Callable[[], tuple[Turn, ...]]

    def read(self) -> Transcript:
        """The transcript. Raises `FormatError` for anything that makes it unusable."""
        try:
            transcript = Transcript(self.turns(), id=self.id, origin=self.place.text)
        except FormatError:
            raise
        except TranscriptError as error:
            raise FormatError(str(error)) from error
        except RecursionError:
            raise self.place.error("the JSON is nested too deeply to be a transcript") from None
        for turn in transcript.turns:
            if turn.role is Role.TOOL and turn.index not in transcript.call_sites:
                raise FormatError(
                    f"{transcript.label}: turn {turn.index} is a tool result, but no earlier turn "
                    "called a tool; add the calling turn, or give the result another role"
                )
        return transcript


def with_unique_ids(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """The same conversations; where an id comes back, its second bearer is `id#2`, and so on.

    Without this, all but the first bearer of an id could never be asked for.
    """
    seen: dict[str, int] = {}
    for conversation in conversations:
        seen[conversation.id] = count = seen.get(conversation.id, 0) + 1
        yield conversation if count == 1 else replace(conversation, id=f"{conversation.id}#{count}")


def entries(document: Document, is_entry: Callable[[object], bool]) -> Iterator[tuple[str, Record]]:
    """The values of a file that hold a conversation each, with an id for those that have none.

    A file holds one such value, or one a line, or a list of them; `is_entry` tells such a list
    from a value that is a list itself.
    """
    for record in document.records:
        name = document.name if record.line is None else f"line-{record.line}"
        if isinstance(record.value, list) and any(map(is_entry, record.value)):
            for number, value in enumerate(record.value):
                yield f"{name}-{number}", Record(value, record.place.inside(f"entry {number}"))
        else:
            yield name, record


def numbered(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns with their places as indices, for formats that pack several into a message."""
    return tuple(replace(turn, index=index) for index, turn in enumerate(turns))
