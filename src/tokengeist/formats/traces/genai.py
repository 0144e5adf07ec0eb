"""Messages of OpenTelemetry's GenAI conventions: a role and typed parts.

One message may become several: a tool's message may answer several calls at once, one a part, and
an answer may stand with the result that it rests on. Parts are never reordered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.fields import verbatim

_UNSAID = ("reasoning", "thinking")
_CALLS = ("tool_call", "server_tool_call")
_RESULTS = ("tool_call_response", "server_tool_call_response")
_ANSWERS = ("response", "result", "server_tool_call_response")


def is_message(value: object) -> bool:
    """Whether this is a message with typed parts."""
    parts = value.get("parts") if isinstance(value, Mapping) else None
    return isinstance(parts, list) and all(
        isinstance(part, Mapping) and "type" in part for part in parts
    )


def are_choices(value: object) -> bool:
    """Whether this is a model's output: by the conventions, every message of it is a choice."""
    return isinstance(value, list) and all(
        is_message(message) and message.get("role") == "assistant" for message in value
    )


def chat_messages(message: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The same as chat messages, in the order of the parts: text behind a call is a new message."""
    if not is_message(message):
        yield message
        return
    parts = message["parts"]
    assert isinstance(parts, list)
    own = {key: message[key] for key in ("role", "name") if message.get(key)}
    said: list[str] = []
    calls: list[dict[str, object]] = []
    for part in parts:
        if part["type"] in _CALLS:
            calls.append(_call(part))
        elif part["type"] in _RESULTS:
            if said or calls:
                yield _spoken(own, said, calls)
            said, calls = [], []
            yield _result(part)
        elif text := _text(part):
            if calls:
                yield _spoken(own, said, calls)
                said, calls = [], []
            said.append(text)
    if said or calls or not any(part["type"] in _RESULTS for part in parts):
        yield _spoken(own, said, calls)


def _spoken(
    own: Mapping[str, object], said: Sequence[str], calls: Sequence[object]
) -> Mapping[str, object]:
    return {**own, "content": "\n".join(said), **({"tool_calls": calls} if calls else {})}


def _text(part: Mapping[str, object]) -> str:
    content = part.get("content")
    if part["type"] in _UNSAID:
        return ""
    if part["type"] in ("text", "compaction") and content is not None:
        return verbatim(content)
    return f"[{part.get('modality') or part['type']}]"


def _call(part: Mapping[str, object]) -> dict[str, object]:
    arguments = part.get("arguments", part.get("server_tool_call", ""))
    return {"id": part.get("id"), "name": part.get("name"), "arguments": arguments}


def _result(part: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "role": "tool",
        "tool_call_id": part.get("id"),
        "content": verbatim(next((part[key] for key in _ANSWERS if key in part), "")),
    }
