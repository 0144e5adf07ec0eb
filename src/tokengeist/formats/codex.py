"""Codex CLI rollouts: Responses items, one a line, among the harness's own events.

Events repeat what the items say and are passed over. A compaction replaces the history that the
model sees from then on; its summary is a turn of the model's, and the turns before it stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tokengeist.formats import openai_responses
from tokengeist.formats.conversation import Conversation, numbered
from tokengeist.formats.document import Document, Record
from tokengeist.formats.fields import as_object, describe, optional_id
from tokengeist.transcript import Turn

_KINDS = ("session_meta", "response_item", "compacted", "turn_context", "event_msg")


def recognises(document: Document) -> bool:
    """Whether the first line is an envelope with a payload, of a kind that rollouts have."""
    first = document.records[0].value
    return isinstance(first, dict) and "payload" in first and first.get("type") in _KINDS


def conversations(document: Document) -> Iterator[Conversation]:
    """The one conversation of the file."""
    id = document.name
    for record in document.records:
        line = as_object(record.value, record.place, "a line")
        if line.get("type") == "session_meta":
            meta = as_object(line.get("payload"), record.place, "'payload'")
            id = optional_id(meta.get("id"), record.place, "the session's 'id'") or id
            break
    yield Conversation(id, document.place, lambda: _turns(document))


def _turns(document: Document) -> tuple[Turn, ...]:
    items = [item for record in document.records for item in _items(record)]
    return numbered(openai_responses.turns(items, document.place))


def _items(record: Record) -> Iterator[Mapping[str, object]]:
    line = as_object(record.value, record.place, "a line")
    kind = line.get("type")
    if not isinstance(kind, str):
        raise record.place.error(f"the line has no 'type'; it is {describe(line)}")
    if kind not in ("session_meta", "response_item", "compacted"):
        return
    payload = as_object(line.get("payload"), record.place, "'payload'")
    if kind == "session_meta":
        told = payload.get("base_instructions", payload.get("instructions"))
        told = told.get("text") if isinstance(told, dict) else told
        if told:
            yield {"role": "system", "content": told}
    elif kind == "compacted":
        yield {"type": "compaction", "content": payload.get("message")}
    elif payload.get("type") == "agent_message":  # from another agent: outside this conversation
        yield {"role": "user", "name": payload.get("author"), "content": payload.get("content")}
    else:
        yield payload
