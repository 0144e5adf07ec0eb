"""Messages of OpenTelemetry's GenAI conventions: a role and typed parts.

A tool's message may answer several calls at once, one a part; each answer becomes a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tokengeist.formats.fields import verbatim

_UNSAID = ("reasoning", "thinking")


def is_message(value: object) -> bool:
    """Whether this is a message with typed parts."""
    parts = value.get("parts") if isinstance(value, Mapping) else None
    return isinstance(parts, list) and all(
        isinstance(part, Mapping) and "type" in part for part in parts
    )


def chat_messages(message: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The same as chat messages: one for what was said and called, one for every result."""
    if not is_message(message):
        yield message
        return
    parts = message["parts"]
    assert isinstance(parts, list)
    said = [_text(part) for part in parts if part["type"] not in (*_UNSAID, *_CALLS, *_RESULTS)]
    calls = [_call(part) for part in parts if part["type"] in _CALLS]
    results = [part for part in parts if part["type"] in _RESULTS]
    if calls or any(said) or not results:
        content = "\n".join(text for text in said if text)
        own = {key: message[key] for key in ("role", "name") if message.get(key)}
        yield {**own, "content": content, **({"tool_calls": calls} if calls else {})}
    for part in results:
        yield {
            "role": "tool",
            "tool_call_id": part.get("id"),
            "content": verbatim(next((part[key] for key in _ANSWERS if key in part), "")),
        }


_CALLS = ("tool_call", "server_tool_call")
_RESULTS = ("tool_call_response", "server_tool_call_response")
_ANSWERS = ("response", "result", "server_tool_call_response")


def _text(part: Mapping[str, object]) -> str:
    content = part.get("content")
    if part["type"] in ("text", "compaction") and content is not None:
        return verbatim(content)
    return f"[{part.get('modality') or part['type']}]"


def _call(part: Mapping[str, object]) -> dict[str, object]:
    arguments = part.get("arguments", part.get("server_tool_call", ""))
    return {"id": part.get("id"), "name": part.get("name"), "arguments": arguments}
