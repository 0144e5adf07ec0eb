"""Gemini contents: parts instead of blocks, and calls that mostly have no ids.

Results come under the user's role; each becomes a tool turn. Without ids a result belongs to the
first unanswered call of its name, which is the rule of `Transcript.call_sites`. Keys are
camelCase on the wire and snake_case in Python's dumps, and both are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.conversation import Conversation, entries, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    optional_id,
    optional_text,
    role_named,
    verbatim,
)
from tokengeist.transcript import Role, ToolCall, Turn

ROLES = {"user": Role.USER, "model": Role.ASSISTANT, "function": Role.TOOL, "system": Role.SYSTEM}

# Parts that are neither text nor a call, by the word that stands for them in the text.
_OTHER = {
    "inlineData": "data",
    "fileData": "file",
    "executableCode": "code",
    "codeExecutionResult": "code result",
}


def recognises(document: Document) -> bool:
    """Whether the first conversation has `contents`, or is a list of contents."""
    _, first = next(entries(document, _is_conversation))
    return _is_conversation(first.value) or (
        isinstance(first.value, list) and any(_is_content(entry) for entry in first.value)
    )


def _is_conversation(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("contents"), list)


def _is_content(value: object) -> bool:
    parts = value.get("parts") if isinstance(value, dict) else None
    # Parts with a `type` are those of OpenTelemetry's messages.
    return isinstance(parts, list) and any(
        isinstance(part, dict) and "type" not in part for part in parts
    )


def _get(value: Mapping[str, object], key: str) -> object:
    """The value under a camelCase key or its snake_case twin."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    return value.get(key, value.get(snake))


def conversations(document: Document) -> Iterator[Conversation]:
    """Every conversation of the file."""
    for name, record in entries(document, _is_conversation):
        place = record.place
        value = {"contents": record.value} if isinstance(record.value, list) else record.value
        yield _conversation(as_object(value, place, "a conversation"), name, place)


def _conversation(request: Mapping[str, object], name: str, place: Place) -> Conversation:
    contents = as_list(request.get("contents"), place, "'contents'")
    id = optional_id(request.get("id"), place, "'id'") or name
    system = _get(request, "systemInstruction")
    return Conversation(id, place, lambda: numbered(_turns(system, contents, place)))


def _turns(system: object, contents: Sequence[object], place: Place) -> Iterator[Turn]:
    if not contents:
        raise place.error("the conversation has no contents")
    if isinstance(system, str):
        yield Turn(0, Role.SYSTEM, system)
    elif system is not None:
        inside = place.inside("system instruction")
        content = as_object(system, inside, "a system instruction")
        yield from _content_turns(Role.SYSTEM, content, inside)
    for number, value in enumerate(contents):
        inside = place.inside(f"content {number}")
        content = as_object(value, inside, "a content")
        role = role_named(content.get("role", "user"), ROLES, inside)
        yield from _content_turns(role, content, inside)


def _content_turns(role: Role, content: Mapping[str, object], place: Place) -> Iterator[Turn]:
    texts: list[str] = []
    calls: list[ToolCall] = []
    parts = as_list(content.get("parts") or [], place, "'parts'")
    has_results = False
    for number, value in enumerate(parts):
        inside = place.inside(f"part {number}")
        part = as_object(value, inside, "a part")
        if _get(part, "functionResponse") is not None:
            has_results = True
            if texts or calls:
                yield Turn(0, role, "\n".join(texts), calls=tuple(calls))
                texts, calls = [], []
            yield _result(_get(part, "functionResponse"), inside)
        elif _get(part, "functionCall") is not None:
            calls.append(_call(_get(part, "functionCall"), inside))
        elif text := _part_text(part, inside):
            if calls:  # never before the call that it follows
                yield Turn(0, role, "\n".join(texts), calls=tuple(calls))
                texts, calls = [], []
            texts.append(text)
    if texts or calls or not has_results:
        yield Turn(0, role, "\n".join(texts), calls=tuple(calls))


def _part_text(part: Mapping[str, object], place: Place) -> str:
    if part.get("thought") is True:
        return ""
    if part.get("text") is not None:
        return as_text(part["text"], place, "'text'")
    for key, word in _OTHER.items():
        found = _get(part, key)
        if isinstance(found, dict):
            said = found.get("code") or found.get("output")
            return said if isinstance(said, str) else f"[{word}]"
    return f"[{next(iter(part), 'empty part')}]"


def _call(value: object, place: Place) -> ToolCall:
    call = as_object(value, place, "a function call")
    name = as_text(call.get("name"), place, "the called function's 'name'")
    arguments = call.get("args")
    return ToolCall(
        name,
        verbatim({} if arguments is None else arguments),
        optional_id(call.get("id"), place, "'id'"),
    )


def _result(value: object, place: Place) -> Turn:
    result = as_object(value, place, "a function response")
    return Turn(
        0,
        Role.TOOL,
        verbatim(result.get("response", "")),
        call_id=optional_id(result.get("id"), place, "'id'"),
        name=optional_text(result.get("name"), place, "'name'"),
    )
