"""SWE-agent trajectories: the chat messages of `history`, with the environment's answers.

A model without tool calls writes its action as text, and the environment answers as a user. Such
an answer is a tool's result, so the action as the harness took it becomes the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tokengeist.formats import openai_chat
from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_list, as_object
from tokengeist.transcript import Turn

_ACTION = "action"


def recognises(document: Document) -> bool:
    """Whether the file has a `history` of messages that say of what type they are."""
    first = document.records[0].value
    history = first.get("history") if isinstance(first, dict) else None
    return isinstance(history, list) and any(
        isinstance(message, dict) and ("message_type" in message or "agent" in message)
        for message in history
    )


def conversations(document: Document) -> Iterator[Conversation]:
    """The one conversation of the file."""
    for record in document.records:
        name = document.name if record.line is None else f"line-{record.line}"
        trajectory = as_object(record.value, record.place, "a trajectory")
        yield _conversation(name, trajectory, record.place)


def _conversation(name: str, trajectory: Mapping[str, object], place: Place) -> Conversation:
    return Conversation(name, place, lambda: _turns(trajectory, place))


def _turns(trajectory: Mapping[str, object], place: Place) -> tuple[Turn, ...]:
    messages: list[object] = []
    acted = False
    for value in as_list(trajectory.get("history"), place, "'history'"):
        message = as_object(value, place.inside(f"message {len(messages)}"), "a message")
        found = dict(message)
        ids = message.get("tool_call_ids")
        if isinstance(ids, list) and ids:
            found["tool_call_id"] = ids[0]
        elif (
            acted and message.get("role") == "user" and message.get("message_type") == "observation"
        ):
            found["role"] = "tool"
        acted = message.get("role") == "assistant" and bool(message.get("action"))
        if acted and not message.get("tool_calls"):
            found["tool_calls"] = [{"name": _ACTION, "arguments": message["action"]}]
        messages.append(found)
    return openai_chat.turns(messages, place)


def _is_observation(message: Mapping[str, object]) -> bool:
    return message.get("role") == "user" and message.get("message_type") == "observation"
