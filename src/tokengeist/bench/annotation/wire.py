"""The shapes that travel: a chat-completions request, its answer, and the stream of its parts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that one call cost."""

    read: int = 0
    written: int = 0
    unknown: int = 0
    """1 where the server did not say."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote, why it stopped, and what it cost."""

    text: str
    finish: str = "stop"
    usage: Usage = Usage()


class WireError(Exception):
    """A response that is no chat completion, or breaks off."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes. Servers differ, so what one refuses is left out from then on."""

    schema: str = "json_schema"
    """`json_schema`, then `json_object`, then `none`."""
    limit_name: str = "max_tokens"
    stream_usage: bool = True

    def without(self, complaint: str, payload: Mapping[str, Any]) -> Dialect | None:
        """The dialect to try after a request was refused; None if the refusal is about something
        else.

        Only a feature that was in the request and is named in the complaint is given up, except
        for the schema: servers refuse it in so many words that it goes without being named.
        """
        said = complaint.lower()
        if "max_tokens" in payload and "max_completion_tokens" in said:
            return Dialect(self.schema, "max_completion_tokens", self.stream_usage)
        if "stream_options" in payload and "stream_options" in said:
            return Dialect(self.schema, self.limit_name, False)
        if _is_about_length(said) or "response_format" not in payload:
            return None
        weaker = {"json_schema": "json_object", "json_object": "none"}[self.schema]
        return Dialect(weaker, self.limit_name, self.stream_usage)


def _is_about_length(complaint: str) -> bool:
    return "context" in complaint and ("length" in complaint or "window" in complaint)


def request_payload(
    model: str,
    messages: Sequence[Message],
    schema: dict[str, Any],
    dialect: Dialect,
    *,
    stream: bool,
    temperature: float | None,
    max_tokens: int | None,
) -> dict[str, Any]:
    """The body of a request. What the user did not set is left to the server."""
    payload: dict[str, Any] = {"model": model, "messages": [dict(m) for m in messages]}
    if dialect.schema == "json_schema":
        wrapped = {"name": "answer", "strict": True, "schema": schema}
        payload["response_format"] = {"type": "json_schema", "json_schema": wrapped}
    elif dialect.schema == "json_object":
        payload["response_format"] = {"type": "json_object"}
    if temperature is not None:
        payload["temperature"] = temperature
    if max_tokens is not None:
        payload[dialect.limit_name] = max_tokens
    if stream:
        payload["stream"] = True
        if dialect.stream_usage:
            payload["stream_options"] = {"include_usage": True}
    return payload


def read_completion(body: bytes) -> Answer:
    """A whole response."""
    data = _json(body)
    choice = _choice(data)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise WireError("the response holds no message")
    finish = choice.get("finish_reason")
    return Answer(_text(message), finish if isinstance(finish, str) else "stop", _usage(data))


async def read_stream(lines: AsyncIterator[str]) -> Answer:
    """A response in parts. One that ends without saying so broke off half-way."""
    parts: list[str] = []
    finish: str | None = None
    usage = Usage(unknown=1)
    ended = False
    async for line in lines:
        if not line.startswith("data:"):
            continue  # comments keep the connection alive; other fields carry nothing
        data = line[len("data:") :].strip()
        if data == "[DONE]":
            ended = True
            break
        event = _json(data.encode())
        if isinstance(event.get("usage"), dict):
            usage = _usage(event)
        if not event.get("choices"):
            continue
        choice = _choice(event)
        if isinstance(choice.get("delta"), dict):
            parts.append(_text(choice["delta"]))
        if isinstance(choice.get("finish_reason"), str):
            finish = choice["finish_reason"]
    if not ended and finish is None:
        raise WireError("the stream broke off before the answer was complete")
    return Answer("".join(parts), finish or "stop", usage)


def complaint_of(body: bytes) -> str:
    """What a server says is wrong, as one short line."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return _shortened(body.decode("utf-8", "replace"))
    for key in ("error", "detail", "message"):
        if isinstance(data, dict) and data.get(key):
            data = data[key]
            if isinstance(data, dict) and data.get("message"):
                data = data["message"]
            break
    return _shortened(data if isinstance(data, str) else json.dumps(data))


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else line[:299] + "…"


def _json(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise WireError(
            f"the response is not JSON: {_shortened(body.decode('utf-8', 'replace'))!r}"
        ) from None
    if not isinstance(data, dict):
        raise WireError("the response is not a JSON object")
    if data.get("error"):
        raise WireError(f"the server reports an error: {complaint_of(body)}")
    return data


def _choice(data: dict[str, Any]) -> dict[str, Any]:
    match data.get("choices"):
        case [dict(choice), *_]:
            return choice
    raise WireError("the response holds no choice")


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _usage(data: dict[str, Any]) -> Usage:
    match data.get("usage"):
        case {"prompt_tokens": int(read), "completion_tokens": int(written)}:
            return Usage(read, written)
    return Usage(unknown=1)
