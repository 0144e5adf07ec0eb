"""Message content, which providers write as a string or as a list of typed parts, as text.

A part that is not text (an image, a sound, a file) stands in the text as its kind in brackets: it
cannot be quoted, but the reader of a trace must see that it was there. Reasoning is the one
exception: no format promises to record it, so it is never part of a turn's canonical text.
"""

from __future__ import annotations

from collections.abc import Mapping

from tokengeist.formats.document import Place
from tokengeist.formats.fields import as_text, describe

_TEXT_FIELDS = ("text", "refusal")
_REASONING = frozenset({"reasoning", "thinking", "redacted_thinking"})
_KINDS = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "input_file": "file",
}


_CALL_BLOCKS = ("tool_use", "tool_result", "server_tool_use")


def content_text(value: object, place: Place) -> str:
    """The text of a message's `content`: nothing, a string, or parts, each on lines of its own."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = [
            part_text(part, place.inside(f"content part {number}"))
            for number, part in enumerate(value)
        ]
        return "\n".join(text for text in texts if text)
    raise place.error(
        f"content should be a string, a list of parts or null but is {describe(value)}"
    )


def part_text(part: object, place: Place) -> str:
    """The text of one part; the empty string for reasoning."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise place.error(f"a content part should be an object but is {describe(part)}")
    kind = _kind(part, place)
    if kind in _REASONING:
        return ""
    if kind in _CALL_BLOCKS:
        raise place.error(
            f"a '{kind}' block is no text; if these are Anthropic messages, use --format anthropic"
        )
    for field in _TEXT_FIELDS:
        if part.get(field) is not None:
            return as_text(part[field], place, f"'{field}'")
    return f"[{_KINDS.get(kind, kind)}]"


def _kind(part: Mapping[str, object], place: Place) -> str:
    kind = part.get("type")
    if isinstance(kind, str) and kind:
        return kind
    if "text" in part:
        return "text"
    raise place.error(f"a content part needs a 'type'; this is {describe(part)}")
