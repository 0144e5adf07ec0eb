"""ShareGPT training conversations: `from` and `value`, with calls as messages or inside the text.

Nothing has an id, so results answer the calls right before them, in order. In the Hermes dialect
calls and results are JSON between tags; the text between the tags becomes the call or the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tokengeist.formats.conversation import Conversation, entries, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    optional_id,
    parsed,
    role_named,
    verbatim,
)
from tokengeist.transcript import Role, ToolCall, Turn

SPEAKERS = {
    "system": Role.SYSTEM,
    "human": Role.USER,
    "user": Role.USER,
    "gpt": Role.ASSISTANT,
    "assistant": Role.ASSISTANT,
    "function_call": Role.ASSISTANT,
    "observation": Role.TOOL,
    "tool": Role.TOOL,
    "function_response": Role.TOOL,
}
_CALL = re.compile(r"\s*<tool_call>\s*(.*?)\s*</tool_call>\s*", re.DOTALL)
_RESULT = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)


def recognises(document: Document) -> bool:
    """Whether the first conversation is a list of messages that are `from` somebody."""
    _, first = next(entries(document, _is_conversation))
    return _is_conversation(first.value)


def _is_conversation(value: object) -> bool:
    listed = value.get("conversations") if isinstance(value, dict) else None
    return isinstance(listed, list) and any(
        isinstance(entry, dict) and "from" in entry for entry in listed
    )


def conversations(document: Document) -> Iterator[Conversation]:
    """Every conversation of the file."""
    for name, record in entries(document, _is_conversation):
        found = as_object(record.value, record.place, "a conversation")
        id = optional_id(found.get("id"), record.place, "'id'") or name
        yield _conversation(id, found, record.place)


def _conversation(id: str, found: Mapping[str, object], place: Place) -> Conversation:
    return Conversation(id, place, lambda: numbered(_turns(found, place)))


def _turns(found: Mapping[str, object], place: Place) -> Iterator[Turn]:
    system = found.get("system")
    if isinstance(system, str) and system:
        yield Turn(0, Role.SYSTEM, system)
    for number, value in enumerate(as_list(found.get("conversations"), place, "'conversations'")):
        inside = place.inside(f"message {number}")
        message = as_object(value, inside, "a message")
        role = role_named(message.get("from"), SPEAKERS, inside, "speaker")
        text = as_text(message.get("value"), inside, "'value'")
        if role is Role.TOOL:
            yield from (Turn(0, role, result) for result in _RESULT.findall(text) or [text])
        elif message["from"] == "function_call":
            yield Turn(0, role, calls=_calls(text))
        elif role is Role.ASSISTANT:
            calls = tuple(call for written in _CALL.findall(text) for call in _calls(written))
            yield Turn(0, role, _CALL.sub("\n", text).strip("\n") if calls else text, calls=calls)
        else:
            yield Turn(0, role, text)


def _calls(written: str) -> tuple[ToolCall, ...]:
    """The calls of a JSON text; one that is no JSON stays a call, whose name nobody knows."""
    found = parsed(written)
    listed = found if isinstance(found, list) else [found]
    return tuple(
        ToolCall(str(call["name"]), verbatim(call.get("arguments", {})))
        if isinstance(call, dict) and "name" in call
        else ToolCall("function_call", verbatim(written if call is found else call))
        for call in listed
    )
