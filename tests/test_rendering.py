"""Every turn can be found again in what the model reads, whatever the template does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from tests.strategies import transcripts
from tokengeist.errors import RenderingError
from tokengeist.rendering import Message, Rendering, render_chat, render_plain
from tokengeist.transcript import Role, Span, ToolCall, Transcript, Turn


def chatml(messages: list[Message]) -> str:
    """A template that trims content and re-serialises arguments, as published ones do."""
    out = ""
    for message in messages:
        out += f"<|{message['role']}|>{(message['content'] or '').strip()}"
        for call in message.get("tool_calls", []):
            function = call["function"]
            arguments = json.dumps(function["arguments"], indent=1)
            out += f'<call>{{"name": "{function["name"]}", "arguments": {arguments}}}</call>'
        out += "<end>"
    return out


def pasting(messages: list[Message]) -> str:
    """A template that pastes arguments as a string and drops the content beside a call."""
    out = ""
    for message in messages:
        out += f"[{message['role']}]"
        if message.get("tool_calls"):
            if message["content"] is None:
                for call in message["tool_calls"]:
                    out += call["function"]["name"] + "\n" + call["function"]["arguments"]
        else:
            out += message["content"]
    return out


def ignoring_calls(messages: list[Message]) -> str:
    return "".join(f"{m['role']}>{m['content'] or ''}\n" for m in messages)


TEMPLATES: list[Callable[[list[Message]], str]] = [chatml, pasting, ignoring_calls]


def assert_round_trip(rendering: Rendering, transcript: Transcript) -> None:
    """Content, call names and arguments of every turn stand verbatim where the pieces say."""
    end = 0
    for piece in rendering.pieces:
        text = transcript.turns[piece.turn].text
        assert piece.place.of(rendering.text) == piece.span.of(text)
        assert piece.place.start >= end
        end = piece.place.end
    for turn in transcript.turns:
        wanted = [Span(0, len(turn.content))] if turn.content else []
        for call, span in zip(turn.calls, turn.call_spans, strict=True):
            wanted.append(Span(span.start, span.start + len(call.name)))
            if call.arguments:
                wanted.append(Span(span.start + len(call.name) + 1, span.end - 1))
        for span in wanted:
            places = rendering.places(turn.index, span)
            assert "".join(place.of(rendering.text) for place in places) == span.of(turn.text)


@given(transcripts())
def test_plain_rendering_round_trips_every_turn(transcript: Transcript) -> None:
    rendering = render_plain(transcript)
    assert_round_trip(rendering, transcript)
    assert rendering.unstable_turn is None


@pytest.mark.parametrize("template", TEMPLATES)
@given(transcript=transcripts())
def test_chat_rendering_round_trips_every_turn(
    template: Callable[[list[Message]], str], transcript: Transcript
) -> None:
    rendering = render_chat(transcript, template)
    assert_round_trip(rendering, transcript)
    assert rendering.unstable_turn is None


def test_plain_rendering_is_the_papers(refund: Transcript) -> None:
    lines = render_plain(refund).text.splitlines()
    assert lines[1] == 'Assistant: look_up_order({"order_id": "QX-4471"})'
    assert lines[0].startswith("User: My trip is off.")


def test_calls_keep_the_templates_delimiters(refund: Transcript) -> None:
    text = render_chat(refund, chatml).text
    call = '<call>{"name": "look_up_order", "arguments": {"order_id": "QX-4471"}}</call>'
    assert call in text


def test_a_span_across_a_call_is_in_two_places() -> None:
    turn = Turn(0, Role.ASSISTANT, "Look:", (ToolCall("find", '{"a":1}', "x"),))
    rendering = render_chat(Transcript((turn,)), chatml)
    places = rendering.places(0, turn.whole)
    assert [place.of(rendering.text) for place in places] == ["Look:", "find", '{"a":1}']


def conversation() -> Transcript:
    return Transcript(
        (
            Turn(0, Role.USER, "one"),
            Turn(1, Role.ASSISTANT, "two"),
            Turn(2, Role.USER, "three"),
            Turn(3, Role.ASSISTANT, "four"),
        )
    )


def test_a_template_that_drops_a_turn_is_an_error_naming_it() -> None:
    def forgetful(messages: list[Message]) -> str:
        return ignoring_calls([m for i, m in enumerate(messages) if i != 1])

    with pytest.raises(RenderingError, match=r"turn 1 \(assistant\) is lost or out of order"):
        render_chat(conversation(), forgetful)


def test_a_template_that_repeats_a_turn_is_an_error_naming_it() -> None:
    def echoing(messages: list[Message]) -> str:
        return ignoring_calls([*messages, messages[0]])

    with pytest.raises(RenderingError, match=r"turn 0 \(user\) is lost"):
        render_chat(conversation(), echoing)


def test_a_template_that_reorders_is_an_error() -> None:
    def reversing(messages: list[Message]) -> str:
        return ignoring_calls(messages[::-1])

    with pytest.raises(RenderingError, match="is lost or out of order"):
        render_chat(conversation(), reversing)


def test_a_template_that_refuses_says_which_turn_it_refused() -> None:
    def alternating(messages: list[Message]) -> str:
        for message, expected in zip(messages, ["user", "assistant", "assistant"], strict=False):
            if message["role"] != expected:
                raise ValueError("roles must alternate")
        return ignoring_calls(messages)

    with pytest.raises(
        RenderingError, match=r"turn 2 \(user\) is refused \(roles must alternate\)"
    ):
        render_chat(conversation(), alternating)


def test_a_template_that_treats_the_last_turn_differently_is_found_unstable() -> None:
    def last_is_special(messages: list[Message]) -> str:
        out = ""
        for message in messages:
            marker = "<think>" if message is messages[-1] else ""
            out += f"{message['role']}>{marker}{message['content']}\n"
        return out

    assert render_chat(conversation(), last_is_special).unstable_turn == 1


def test_text_that_looks_like_a_placeholder_changes_nothing() -> None:
    hostile: Any = Transcript((Turn(0, Role.USER, "TgPart1x"), Turn(1, Role.ASSISTANT, "TgPart0x")))
    assert_round_trip(render_chat(hostile, chatml), hostile)
