"""LangChain and LangGraph messages, in the three shapes that its dumps have.

`messages_to_dict` puts a message under `data`, `dumpd` under `kwargs`, `model_dump` nowhere. They
are taken apart by hand: LangChain's own loader builds whatever class a file names, which a file
from elsewhere must not be able to ask for. One message is one turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats import openai_chat
from tokengeist.formats.content import content_text
from tokengeist.formats.conversation import Conversation, entries
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    describe,
    optional_id,
    optional_text,
    verbatim,
)
from tokengeist.transcript import Role, ToolCall, Turn

TYPES = {
    "system": Role.SYSTEM,
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def recognises(document: Document) -> bool:
    """Whether the first conversation holds at least one such message."""
    _, first = next(entries(document, _is_conversation))
    value = first.value
    if isinstance(value, dict):
        value = value.get("messages")
    return isinstance(value, list) and any(_is_message(entry) for entry in value)


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or "role" in value:
        return False
    return value.get("lc") == 1 or (_type(value) in TYPES and ("content" in _fields(value)))


def _is_conversation(value: object) -> bool:
    if isinstance(value, dict):
        return isinstance(value.get("messages"), list)
    return isinstance(value, list) and any(map(_is_message, value))


def conversations(document: Document) -> Iterator[Conversation]:
    """Every conversation: a list of messages, or a state with `messages`."""
    for name, record in entries(document, _is_conversation):
        state = {"messages": record.value} if isinstance(record.value, list) else record.value
        yield _conversation(as_object(state, record.place, "a state"), name, record.place)


def _conversation(state: Mapping[str, object], name: str, place: Place) -> Conversation:
    messages = as_list(state.get("messages"), place, "'messages'")
    id = optional_id(state.get("id"), place, "'id'") or name
    return Conversation(id, place, lambda: _turns(messages, place))


def _turns(messages: Sequence[object], place: Place) -> tuple[Turn, ...]:
    if not messages:
        raise place.error("the conversation has no messages")
    return tuple(
        _turn(index, message, place.inside(f"message {index}"))
        for index, message in enumerate(messages)
    )


def _fields(message: Mapping[str, object]) -> Mapping[str, object]:
    """The message's own fields, whichever shape it has."""
    for key in ("data", "kwargs"):
        inner = message.get(key)
        if isinstance(inner, dict):
            return inner
    return message


def _type(message: Mapping[str, object]) -> str:
    """The type, without the suffix of messages that were streamed."""
    path = message.get("id")
    kind = _fields(message).get("type")
    if kind is None:  # `dumpd` names the class, as the last step of a path
        kind = path[-1] if isinstance(path, list) and path else message.get("type")
    return str(kind).removesuffix("Chunk").removesuffix("Message").lower()


def _turn(index: int, value: object, place: Place) -> Turn:
    message = as_object(value, place, "a message")
    kind = _type(message)
    if kind not in TYPES:
        raise place.error(f"unknown message type {kind!r}; the types are {', '.join(TYPES)}")
    role, fields = TYPES[kind], _fields(message)
    content = fields.get("content")
    if isinstance(content, list):
        # A provider's own call blocks, which LangChain repeats in `tool_calls`.
        content = [part for part in content if not _is_call_block(part)]
    is_result = role is Role.TOOL
    return Turn(
        index,
        role,
        content_text(content, place),
        calls=_calls(fields, place),
        call_id=optional_id(fields.get("tool_call_id"), place, "'tool_call_id'")
        if is_result
        else None,
        name=optional_text(fields.get("name"), place, "'name'"),
    )


def _is_call_block(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in ("tool_use", "tool_call", "function_call")


def _calls(fields: Mapping[str, object], place: Place) -> tuple[ToolCall, ...]:
    """The calls, those with unreadable arguments included: the model made them all the same."""
    listed = [
        call
        for key in ("tool_calls", "invalid_tool_calls")
        for call in as_list(fields.get(key) or [], place, f"'{key}'")
    ]
    extra = fields.get("additional_kwargs")
    if not listed and isinstance(extra, dict):  # where early versions kept OpenAI's own calls
        return openai_chat.calls(extra, place)
    return tuple(
        _call(call, place.inside(f"tool call {number}")) for number, call in enumerate(listed)
    )


def _call(value: object, place: Place) -> ToolCall:
    call = as_object(value, place, "a tool call")
    if "name" not in call:
        raise place.error(f"the tool call has no 'name'; it is {describe(call)}")
    arguments = call.get("args")
    return ToolCall(
        as_text(call["name"], place, "the called tool's 'name'"),
        verbatim({} if arguments is None else arguments),
        optional_id(call.get("id"), place, "'id'"),
    )
