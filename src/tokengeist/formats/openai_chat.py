"""OpenAI chat-completions messages: the format that most recorders write.

One message becomes one turn, never merged, split or reordered, so that turn numbers are message
numbers and annotations made on the file stay true. A file may hold

- a list of messages, or an object with `messages` (and `id`);
- such an object with the model's `response`, or `{"request": …, "response": …}`;
- several of these, in a list or one a line;
- or one message a line.

Where a response has several choices, they are alternatives: each ends a conversation of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.content import content_text
from tokengeist.formats.conversation import Conversation, entries
from tokengeist.formats.document import Document, Place, Record
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    describe,
    optional_id,
    optional_text,
    role_named,
    verbatim,
)
from tokengeist.transcript import Role, ToolCall, Turn

ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def recognises(document: Document) -> bool:
    """Whether the file looks like chat messages, well-formed or not."""
    first = document.records[0].value
    if isinstance(first, list):
        return not first or any(_is_message(entry) or _is_conversation(entry) for entry in first)
    return _is_message(first) or _is_conversation(first)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and "role" in value


def _is_conversation(value: object) -> bool:
    if isinstance(value, list):
        return any(_is_message(entry) for entry in value)
    if not isinstance(value, dict):
        return False
    inner = value.get("request", value.get("body"))
    return "messages" in value or (isinstance(inner, dict) and "messages" in inner)


def conversations(document: Document) -> Iterator[Conversation]:
    """Every conversation of the file."""
    records = document.records
    if len(records) > 1 and all(_is_message(record.value) for record in records):
        messages = [record.value for record in records]
        yield _conversation(document.name, document.place, messages)
        return
    for name, entry in entries(document, _is_conversation):
        yield from _alternatives(entry, name)


def _alternatives(entry: Record, name: str) -> Iterator[Conversation]:
    value, place = entry.value, entry.place
    if isinstance(value, list):
        yield _conversation(name, place, value)
        return
    wrapper = as_object(value, place, "a conversation")
    for key in ("id", "conversation_id", "custom_id"):
        name = optional_id(wrapper.get(key), place, f"'{key}'") or name
        if wrapper.get(key):
            break
    request = _unwrap(wrapper, ("request", "body"), place)
    if "messages" not in request:
        raise place.error(f"'messages' is missing; this is {describe(request)}")
    messages = as_list(request["messages"], place, "'messages'")
    answers = _answers(wrapper, place)
    if len(answers) < 2:
        yield _conversation(name, place, [*messages, *answers])
        return
    for number, answer in enumerate(answers):
        yield _conversation(f"{name}/{number}", place, [*messages, answer])


def _unwrap(value: Mapping[str, object], keys: Sequence[str], place: Place) -> Mapping[str, object]:
    for key in keys:
        if value.get(key) is not None and "messages" not in value:
            return as_object(value[key], place, f"'{key}'")
    return value


def _answers(wrapper: Mapping[str, object], place: Place) -> list[object]:
    """The messages that the model answered with: one a choice."""
    if wrapper.get("response") is None:
        return []
    response = as_object(wrapper["response"], place, "'response'")
    if response.get("body") is not None:
        response = as_object(response["body"], place, "the response's 'body'")
    if "choices" not in response:
        raise place.error(f"the response needs 'choices'; it is {describe(response)}")
    answers = []
    for number, choice in enumerate(as_list(response["choices"], place, "'choices'")):
        found = as_object(choice, place, f"choice {number}")
        if "message" not in found:
            raise place.error(f"choice {number} has no 'message'; it is {describe(found)}")
        answers.append(found["message"])
    return answers


def _conversation(id: str, place: Place, messages: Sequence[object]) -> Conversation:
    return Conversation(id, place, lambda: turns(messages, place))


def turns(messages: Sequence[object], place: Place) -> tuple[Turn, ...]:
    """One turn a message. Other formats that hold chat messages read them with this."""
    if not messages:
        raise place.error("the conversation has no messages")
    return tuple(
        turn(index, message, place.inside(f"message {index}"))
        for index, message in enumerate(messages)
    )


def turn(index: int, value: object, place: Place) -> Turn:
    """The turn of one message."""
    message = as_object(value, place, "a message")
    if "role" not in message:
        raise place.error(f"the message has no 'role'; it is {describe(message)}")
    role = role_named(message["role"], ROLES, place)
    return Turn(
        index,
        role,
        _result_text(message, place) if role is Role.TOOL else _spoken_text(message, place),
        calls=calls(message, place),
        call_id=optional_id(message.get("tool_call_id"), place, "'tool_call_id'")
        if role is Role.TOOL
        else None,
        name=optional_text(message.get("name"), place, "'name'"),
    )


def _spoken_text(message: Mapping[str, object], place: Place) -> str:
    """What was said: the content, a refusal to answer, the transcript of spoken audio."""
    texts = [content_text(message.get("content"), place)]
    texts.append(optional_text(message.get("refusal"), place, "'refusal'") or "")
    audio = message.get("audio")
    if isinstance(audio, dict):
        texts.append(optional_text(audio.get("transcript"), place, "the audio's transcript") or "")
    return "\n".join(text for text in texts if text)


def _result_text(message: Mapping[str, object], place: Place) -> str:
    """What a tool returned, and the error it failed with, which an agent reads like a result.

    Some recorders keep results as objects; they become the JSON that a model would be shown.
    """
    content = message.get("content")
    result = verbatim(content) if isinstance(content, dict) else content_text(content, place)
    error = message.get("error")
    if error is None or isinstance(error, bool):
        return result
    told = verbatim(error)
    return result if told in result else f"{result}\n{told}" if result else told


def calls(message: Mapping[str, object], place: Place) -> tuple[ToolCall, ...]:
    """The calls of a message, in the present dialect and in the one before it."""
    listed = message.get("tool_calls")
    found = [
        _call(call, place.inside(f"tool call {number}"))
        for number, call in enumerate(
            [] if listed is None else as_list(listed, place, "'tool_calls'")
        )
    ]
    if message.get("function_call") is not None:
        legacy = _named_call(message["function_call"], None, place.inside("function call"))
        # Clients that speak both dialects write the one call twice.
        if all((call.name, call.arguments) != (legacy.name, legacy.arguments) for call in found):
            found.append(legacy)
    return tuple(found)


def _call(value: object, place: Place) -> ToolCall:
    call = as_object(value, place, "a tool call")
    id = optional_id(call.get("id"), place, "the call's 'id'")
    for kind in ("function", "custom"):
        if isinstance(call.get(kind), dict):
            return _named_call(call[kind], id, place)
    return _named_call(call, id, place)


def _named_call(value: object, id: str | None, place: Place) -> ToolCall:
    call = as_object(value, place, "a tool call")
    if "name" not in call:
        raise place.error(f"the tool call has no 'name'; it is {describe(call)}")
    name = as_text(call["name"], place, "the called tool's 'name'")
    arguments = call.get("arguments", call.get("input"))
    return ToolCall(name, "" if arguments is None else verbatim(arguments), id)
