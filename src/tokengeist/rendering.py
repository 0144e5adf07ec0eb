"""Turns → the text a model reads, and where every character of every turn landed in it.

Two renderings: the paper's plain `Role: content` lines, and a model's own chat template with its
tool-call delimiters. A template is never trusted with the transcript's text. It is given short
placeholders instead, and the text is put in their place afterwards, so that a template which trims,
re-serialises or drops what it is given either shows a placeholder in the wrong place, which is an
error that names the turn, or cannot touch the text at all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

from tokengeist.errors import OptionError, RenderingError
from tokengeist.transcript import Role, Span, Transcript, Turn

Message = dict[str, Any]
ChatTemplate = Callable[[list[Message]], str]
"""OpenAI-style messages → prompt text; what `tokenizer.apply_chat_template` does."""


def check_style(style: str | None) -> None:
    """Raise `OptionError` unless this is a style, or None for whichever fits the model."""
    if style not in (None, "plain", "chat"):
        raise OptionError(f"a rendering is 'plain' or 'chat', not {style!r}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a turn's canonical text that stands verbatim in the rendered text."""

    turn: int
    span: Span
    """In the turn's canonical text."""
    place: Span
    """In the rendered text; as long as `span`."""


@dataclass(frozen=True)
class Rendering:
    """What a model reads, and where the turns are in it."""

    text: str
    pieces: tuple[Piece, ...]
    """In order, both by turn and by place."""
    style: str
    """`plain` or `chat`."""
    unstable_turn: int | None = None
    """The first turn after which the transcript so far does not render to a prefix of the whole.

    None is what lets one forward pass answer for every turn (docs/design.md).
    """

    @cached_property
    def _pieces_by_turn(self) -> dict[int, list[Piece]]:
        grouped: dict[int, list[Piece]] = defaultdict(list)
        for piece in self.pieces:
            grouped[piece.turn].append(piece)
        return grouped

    def places(self, turn: int, span: Span) -> tuple[Span, ...]:
        """Where `span` of a turn's canonical text stands in the rendered text.

        Characters that a template writes in its own way (the brackets around a call's arguments)
        are nowhere.
        """
        found = []
        for piece in self._pieces_by_turn[turn]:
            start = max(span.start, piece.span.start)
            end = min(span.end, piece.span.end)
            if start < end:
                found.append(Span(start, end).shifted(piece.place.start - piece.span.start))
        return tuple(found)


def render_plain(transcript: Transcript) -> Rendering:
    """The paper's flat format: one `Role: text` after another."""
    chunks: list[str] = []
    pieces = []
    length = 0
    for turn in transcript.turns:
        prefix = f"{turn.role.capitalize()}: "
        pieces.append(Piece(turn.index, turn.whole, turn.whole.shifted(length + len(prefix))))
        chunks += [prefix, turn.text, "\n"]
        length += len(prefix) + len(turn.text) + 1
    return Rendering("".join(chunks), tuple(pieces), "plain")


def render_chat(transcript: Transcript, template: ChatTemplate) -> Rendering:
    """The model's own format, with every turn's place verified.

    Raises `RenderingError` for a template that refuses the transcript or loses part of a turn.
    """
    turns = transcript.turns
    shapes = {turn.index: _CallShape.OBJECT for turn in turns}
    while True:
        messages, parts = _messages(turns, shapes)
        try:
            skeleton = template(messages)
        except Exception as error:  # a template is a program of its author's: it may do anything
            troubled, trouble = _first_refused(messages, template), f"is refused ({error})"
        else:
            places = _find_placeholders(skeleton, parts)
            lost = [part.turn for part, place in zip(parts, places, strict=True) if place is None]
            if not lost:
                break
            troubled, trouble = lost[0], "is lost or out of order"
        turn = turns[troubled]
        if not turn.calls or shapes[turn.index] is _CallShape.TEXT:
            raise RenderingError(
                f"turn {turn.index} ({turn.role}) {trouble} in the model's chat template; "
                "use the plain rendering for this transcript"
            )
        # Templates differ in the calls they can write: render around those this one cannot.
        shapes[turn.index] = _CallShape(shapes[turn.index] + 1)
    text, pieces = _fill(skeleton, parts, places, turns)
    unstable = _first_unstable_turn(turns, shapes, template, skeleton)
    return Rendering(text, pieces, "chat", unstable)


class _CallShape(IntEnum):
    """How a turn's tool calls are handed to the template, in the order in which it is tried."""

    OBJECT = 0
    """Arguments as an object, which most templates serialise."""
    STRING = 1
    """Arguments as a string, which some templates paste."""
    TEXT = 2
    """As canonical text inside the content: for templates that know nothing of calls."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One placeholder and the text of a turn that it stands for."""

    turn: int
    span: Span
    mark: str
    pattern: str
    """What to look for in the skeleton; arguments come back in the template's own JSON style."""


def _messages(
    turns: Sequence[Turn], shapes: Mapping[int, _CallShape]
) -> tuple[list[Message], list[_Part]]:
    """The transcript with placeholders instead of text, and what each stands for."""
    parts: list[_Part] = []
    return [_message(turn, shapes[turn.index], parts) for turn in turns], parts


def _first_refused(messages: list[Message], template: ChatTemplate) -> int:
    for count in range(1, len(messages)):
        try:
            template(messages[:count])
        except Exception:
            return count - 1
    return len(messages) - 1


def _message(turn: Turn, shape: _CallShape, parts: list[_Part]) -> Message:
    def mark(span: Span) -> str:
        name = f"TgPart{len(parts)}x"
        parts.append(_Part(turn.index, span, name, name))
        return name

    message: Message = {"role": turn.role.value}
    if shape is _CallShape.TEXT or not turn.calls:
        message["content"] = mark(turn.whole) if turn.text else ""
        if turn.role is Role.TOOL:
            message["tool_call_id"] = turn.call_id or "call"
            message["name"] = turn.name or "tool"
        return message
    message["content"] = mark(Span(0, len(turn.content))) if turn.content else None
    message["tool_calls"] = []
    for call, span in zip(turn.calls, turn.call_spans, strict=True):
        name = mark(Span(span.start, span.start + len(call.name)))
        arguments: object = {}
        if call.arguments:
            key = mark(Span(span.start + len(call.name) + 1, span.end - 1))
            if shape is _CallShape.OBJECT:
                arguments = {key: 0}
                pattern = rf'\{{\s*"{key}"\s*:\s*0\s*\}}'
                parts[-1] = _Part(turn.index, parts[-1].span, key, pattern)
            else:
                arguments = key
        message["tool_calls"].append(
            {
                "id": call.id or "call",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
        )
    return message


def _find_placeholders(skeleton: str, parts: Sequence[_Part]) -> list[Span | None]:
    """Where each placeholder stands: once, and after the one before it, or None."""
    places: list[Span | None] = []
    position = 0
    for part in parts:
        match = re.compile(part.pattern).search(skeleton, position)
        if match is None or skeleton.count(part.mark) != 1:
            places.append(None)
            continue
        places.append(Span(*match.span()))
        position = match.end()
    return places


def _fill(
    skeleton: str, parts: Sequence[_Part], places: Sequence[Span | None], turns: Sequence[Turn]
) -> tuple[str, tuple[Piece, ...]]:
    """Put the transcript's own text where the placeholders stand."""
    chunks: list[str] = []
    pieces: list[Piece] = []
    read = length = 0
    for part, place in zip(parts, places, strict=True):
        if place is None:
            continue
        before = skeleton[read : place.start]
        own = part.span.of(turns[part.turn].text)
        start = length + len(before)
        pieces.append(Piece(part.turn, part.span, Span(start, start + len(own))))
        chunks += [before, own]
        length = start + len(own)
        read = place.end
    chunks.append(skeleton[read:])
    return "".join(chunks), tuple(pieces)


def _first_unstable_turn(
    turns: Sequence[Turn], shapes: Mapping[int, _CallShape], template: ChatTemplate, whole: str
) -> int | None:
    """The first generated turn up to which the transcript does not render to a prefix of `whole`.

    Placeholders decide: the transcript's text is the same in both by construction.
    """
    for turn in turns[:-1]:
        if not turn.is_generated or not turn.text:
            continue
        messages, parts = _messages(turns[: turn.index + 1], shapes)
        try:
            skeleton = template(messages)
        except Exception:
            return turn.index
        places = _find_placeholders(skeleton, parts)
        if places[-1] is None or not whole.startswith(skeleton[: places[-1].end]):
            return turn.index
    return None
