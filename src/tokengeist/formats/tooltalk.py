"""ToolTalk conversations: an assistant's entry holds its calls, their results and then its words.

It becomes a turn with the calls, a turn for every result, and a turn with what was said. What the
assistant was told beforehand (the user's name, place and time) is the system's turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tokengeist.formats.conversation import Conversation, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    optional_id,
    role_named,
    verbatim,
)
from tokengeist.transcript import Role, ToolCall, Turn

ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}


def recognises(document: Document) -> bool:
    """Whether the file has a `conversation` of entries with a role and a text."""
    first = document.records[0].value
    listed = first.get("conversation") if isinstance(first, dict) else None
    return isinstance(listed, list) and any(
        isinstance(entry, dict) and {"role", "text"} <= entry.keys() for entry in listed
    )


def conversations(document: Document) -> Iterator[Conversation]:
    """Every conversation of the file."""
    for record in document.records:
        found = as_object(record.value, record.place, "a conversation")
        name = document.name if record.line is None else f"line-{record.line}"
        id = optional_id(found.get("conversation_id"), record.place, "'conversation_id'") or name
        yield _conversation(id, found, record.place)


def _conversation(id: str, found: Mapping[str, object], place: Place) -> Conversation:
    return Conversation(id, place, lambda: numbered(_turns(found, place)))


def _turns(found: Mapping[str, object], place: Place) -> Iterator[Turn]:
    if found.get("metadata"):
        yield Turn(0, Role.SYSTEM, verbatim(found["metadata"]))
    for number, value in enumerate(as_list(found.get("conversation"), place, "'conversation'")):
        inside = place.inside(f"entry {number}")
        entry = as_object(value, inside, "an entry")
        role = role_named(entry.get("role"), ROLES, inside)
        used = [
            as_object(api, inside, "a used API")
            for api in as_list(entry.get("apis") or [], inside, "'apis'")
        ]
        if used:
            ids = [f"{number}.{place_in_entry}" for place_in_entry in range(len(used))]
            calls = [_call(api, id, inside) for api, id in zip(used, ids, strict=True)]
            yield Turn(0, Role.ASSISTANT, calls=tuple(calls))
            for api, id in zip(used, ids, strict=True):
                outcome = api.get("exception") or api.get("response")
                yield Turn(0, Role.TOOL, verbatim({} if outcome is None else outcome), call_id=id)
        yield Turn(0, role, as_text(entry.get("text"), inside, "'text'"))


def _call(api: Mapping[str, object], id: str, place: Place) -> ToolCall:
    request = as_object(api.get("request"), place, "'request'")
    name = as_text(request.get("api_name"), place, "the called tool's 'api_name'")
    return ToolCall(name, verbatim(request.get("parameters", {})), id)
