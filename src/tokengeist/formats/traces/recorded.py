"""What a recorder kept of a model's input or output, in whatever form, as turns.

Recorders store messages as the traced program wrote them: in any provider's form, as a JSON string,
as one message instead of a list, as a bare text. Whatever a reader of this package knows is handed
to that reader; the rest is put into chat messages here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from tokengeist.formats import registry
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import parsed, verbatim
from tokengeist.formats.traces import genai
from tokengeist.formats.traces.steps import ModelCall
from tokengeist.transcript import Role, Turn

_MESSAGES = ("gemini", "langchain", "responses", "anthropic", "openai")
# What recorders call a tool's name, its arguments and the call's id, in a bare list of calls.
_CALL_KEYS = (
    ("toolName", ("input", "args"), "toolCallId"),  # Vercel's AI SDK
    ("tool.name", ("tool.args",), "tool.id"),  # any-agent
)


def model_calls(given: object, made: object, place: Place) -> list[ModelCall]:
    """A call from what the recorder kept of its two sides, once for every choice it made."""
    before = turns_of(given, Role.USER, place)
    answer = parsed(made)
    # OpenAI's Responses repeat the instructions in the answer, and recorders keep them only there.
    instructions = answer.get("instructions") if isinstance(answer, Mapping) else None
    if isinstance(instructions, str) and not any(turn.role is Role.SYSTEM for turn in before):
        before = (Turn(0, Role.SYSTEM, instructions), *before)
    return [
        ModelCall(before, turns_of(choice, Role.ASSISTANT, place))
        for choice in _choices(answer) or [made]
    ]


def _choices(answer: object) -> list[object]:
    """Answers that are alternatives to each other; none where there is but one."""
    listed = answer if genai.are_choices(answer) else None
    if isinstance(answer, Mapping):
        listed = answer.get("choices", answer.get("generations"))
        if isinstance(listed, list) and len(listed) == 1:  # LangChain: a batch of one
            listed = listed[0]
    if not isinstance(listed, list) or len(listed) < 2:
        return []
    # A model may itself write JSON with such a key.
    hold_messages = all(isinstance(c, Mapping) and _messages(c) is not None for c in listed)
    return listed if hold_messages else []


def arguments_of(value: object) -> object:
    """What a tool was given, out of the `input` that some recorders wrap it in."""
    found = parsed(value)
    return parsed(found["input"]) if isinstance(found, dict) and set(found) == {"input"} else found


def turns_of(value: object, speaker: Role, place: Place) -> tuple[Turn, ...]:
    """The turns of a recorded input or output; `speaker` is who said a text that has no role."""
    found = parsed(value)
    if found is None or found in ("", [], {}):
        return ()
    messages = _messages(found)
    if messages is None:
        written = isinstance(value, str) and speaker is Role.ASSISTANT
        # What a model wrote as JSON stays as it was written.
        return (Turn(0, speaker, str(value) if written else _said(found, value)),)
    document = Document(place.text, "recorded", json.dumps(messages).encode())
    chosen = registry.reader(registry.detect_format(document, _MESSAGES))
    return tuple(
        replace(turn, index=0)
        for conversation in chosen.conversations(document)
        for turn in conversation.turns()
    )


def _messages(value: object) -> object:
    """The value in a form that a reader knows; None where it is no messages at all."""
    if isinstance(value, Mapping):
        return _of_object(value)
    if not isinstance(value, list):
        return None
    entries = [parsed(entry) for entry in value]
    if len(entries) == 1 and isinstance(entries[0], list):  # LangChain: a batch of one
        return _messages(entries[0])
    objects = [entry for entry in entries if isinstance(entry, dict)]
    if len(objects) < len(entries):
        return None
    if calls := [call for call in map(_bare_call, objects) if call]:
        return [{"role": "assistant", "content": None, "tool_calls": calls}]
    messages = [_lifted(entry) for entry in objects if not _is_definition(entry)]
    if any(genai.is_message(message) for message in messages):
        return [chat for message in messages for chat in genai.chat_messages(message)]
    if any(key in message for message in messages for key in ("role", "type", "lc")):
        return messages
    return None


def _of_object(value: Mapping[str, object]) -> object:
    if isinstance(value.get("messages"), list):
        found = _messages(value["messages"])
        system = value.get("system")
        if isinstance(found, list) and system:
            return {"system": system, "messages": found}
        return found
    if isinstance(value.get("contents"), list):
        config = value.get("config")
        system = config.get("system_instruction") if isinstance(config, Mapping) else None
        return {"systemInstruction": system, **value} if system else value
    if isinstance(value.get("output"), list) and "object" in value:  # a Responses object
        return value["output"]
    content = value.get("content")
    if isinstance(content, Mapping) and "parts" in content:  # Gemini's candidate
        return {"contents": [content]}
    for key in ("generations", "choices", "message"):  # LangChain's and OpenAI's answers
        if isinstance(value.get(key), list | dict):
            return _messages(value[key])
    if "role" in value or "lc" in value or genai.is_message(value):
        return _messages([value])
    return None


def _bare_call(entry: Mapping[str, object]) -> dict[str, object] | None:
    for name, arguments, id in _CALL_KEYS:
        if name in entry and "role" not in entry:
            given = next((entry[key] for key in arguments if key in entry), "")
            return {"id": entry.get(id), "name": entry[name], "arguments": given}
    return None


def _is_definition(entry: Mapping[str, object]) -> bool:
    """Whether this describes a tool: some recorders list them among the messages."""
    content = entry.get("content")
    return isinstance(content, dict) and content.get("type") == "function" and "function" in content


def _lifted(message: Mapping[str, object]) -> Mapping[str, object]:
    """The message out of a choice, with the calls that LangChain keeps in `additional_kwargs`."""
    inner, extra = message.get("message"), message.get("additional_kwargs")
    if isinstance(inner, dict) and "role" not in message:
        return _lifted(inner)
    if "role" in message and isinstance(extra, dict) and extra.get("tool_calls"):
        return {"tool_calls": extra["tool_calls"], **message}
    return message


def _said(found: object, value: object) -> str:
    """A text under one of the names that recorders give it, else the value as it is."""
    if isinstance(found, Mapping):
        for key in ("prompt", "content", "text", "output"):
            if isinstance(found.get(key), str):
                return str(found[key])
        inner = found.get("args")
        if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], str):
            return inner[0]
    return verbatim(value)
