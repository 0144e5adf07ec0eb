"""OpenTelemetry: messages in attributes and events of every convention."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.formats.well import ANSWERED, ASKED, CALLED, MEASURED, WHOLE
from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load
from tokengeist.transcript import Transcript

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]


def span(at: int, *, events: object = (), **attributes: object) -> dict[str, object]:
    pairs = [
        {"key": key.replace("__", "."), "value": {"stringValue": value}}
        for key, value in attributes.items()
    ]
    return {
        "traceId": "ab12",
        "spanId": str(at),
        "name": "chat",
        "startTimeUnixNano": str(at),
        "attributes": pairs,
        "events": list(events) if isinstance(events, list) else [],
    }


def otlp(*spans: object) -> dict[str, object]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


def parts(role: str, *contents: object) -> dict[str, object]:
    return {"role": role, "parts": list(contents)}


def said(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}


def test_otlp_with_genai_attributes(write: Write, outline: Outline) -> None:
    given = [parts("user", said("How deep is the well?"))]
    call = {"type": "tool_call", "id": "c1", "name": "measure", "arguments": {"well": 3}}
    file = write(
        otlp(
            span(0, gen_ai__operation__name="invoke_agent", gen_ai__input__messages="[]"),
            span(
                1,
                gen_ai__operation__name="chat",
                gen_ai__system_instructions=json.dumps([said("Be brief.")]),
                gen_ai__input__messages=json.dumps(given),
                gen_ai__output__messages=json.dumps([parts("assistant", call)]),
            ),
            span(
                2,
                gen_ai__operation__name="execute_tool",
                gen_ai__tool__name="measure",
                gen_ai__tool__call__id="c1",
                gen_ai__tool__call__result="41 ft",
            ),
            span(3, gen_ai__operation__name="chat", gen_ai__output__messages="41 feet."),
        )
    )
    assert detect(file) == "otel"
    assert outline(load(file)) == [("system", "Be brief."), *WHOLE]
    assert load(file).id == "ab12"


def test_parts_stay_in_their_order(write: Write, outline: Outline) -> None:
    searched = {"type": "server_tool_call", "id": "s1", "name": "search"}
    found = {"type": "server_tool_call_response", "id": "s1"}
    call = {"type": "tool_call", "id": "c1", "name": "measure", "arguments": {"well": 3}}
    measured = {"type": "tool_call_response", "id": "c1", "response": "41 ft"}
    given = [
        parts("user", said("How deep is the well?")),
        parts("assistant", call, said(""), {"type": "reasoning", "content": "hm"}),
        parts("user", measured, said("And its name?")),
    ]
    made = parts(
        "assistant",
        said("I look it up."),
        {**searched, "server_tool_call": {"q": "well 3"}},
        {**found, "server_tool_call_response": "Old Mary"},
        said("41 feet;"),
        said("Old Mary."),
        call,
        said("I measure again."),
    )
    attributes = {
        "gen_ai__input__messages": json.dumps(given),
        "gen_ai__output__messages": json.dumps([made]),
    }
    file = write(otlp(span(1, gen_ai__operation__name="chat", **attributes)))
    assert outline(load(file)) == [
        *WHOLE[:3],
        ("user", "And its name?"),
        ("assistant", 'I look it up.\nsearch({"q": "well 3"})'),
        ("tool", "Old Mary"),
        ("assistant", '41 feet;\nOld Mary.\nmeasure({"well": 3})'),
        ("assistant", "I measure again."),
    ]


def event(name: str, **attributes: object) -> dict[str, object]:
    return {"name": name, "attributes": attributes}


def test_content_on_events_old_and_new(write: Write, outline: Outline) -> None:
    details = {
        "gen_ai.input.messages": json.dumps([ASKED]),
        "gen_ai.output.messages": json.dumps([ANSWERED]),
    }
    new = event("gen_ai.client.inference.operation.details", **details)
    old = [
        event("gen_ai.user.message", content="How deep is the well?"),
        event("gen_ai.choice", index=0, message={"content": "41 feet."}),
    ]
    for events in ([new], old):
        file = write(otlp(span(1, events=events, gen_ai__operation__name="chat")))
        assert outline(load(file)) == [WHOLE[0], WHOLE[3]]


def test_every_choice_event_is_an_alternative(write: Write, outline: Outline) -> None:
    depths = ("41 feet.", "43 feet.")
    events = [event("gen_ai.user.message", content="How deep is the well?")]
    events += [
        event("gen_ai.choice", index=index, message={"content": depth})
        for index, depth in enumerate(depths)
    ]
    file = write(otlp(span(1, events=events, gen_ai__operation__name="chat")))
    assert [outline(load(file, conversation=id)) for id in list_conversations(file)] == [
        [WHOLE[0], ("assistant", depth)] for depth in depths
    ]


def test_events_of_tools_name_the_call_that_they_answer(write: Write) -> None:
    calls = [
        {"id": f"c{n}", "function": {"name": "measure", "arguments": f'{{"well": {n}}}'}}
        for n in (1, 2)
    ]
    events = [
        event("gen_ai.user.message", content="Measure both."),
        event("gen_ai.assistant.message", tool_calls=calls),
        event("gen_ai.tool.message", id="c2", content="9 ft"),
        event("gen_ai.tool.message", id="c1", content="7 ft"),
    ]
    transcript = load(write(otlp(span(1, events=events, gen_ai__operation__name="chat"))))
    first, second = transcript.turns[1].call_spans
    assert [transcript.call_sites[turn].span for turn in (2, 3)] == [second, first]


FLAT = {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.contents.0.message_content.type": "text",
    "llm.input_messages.0.message.contents.0.message_content.text": "How deep is the well?",
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "measure",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"well": 3}',
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.tool_call_id": "c1",
    "llm.input_messages.2.message.content": "41 ft",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "41 feet.",
}
NESTED = {
    "openinference": {"span": {"kind": "LLM"}},
    "llm": {
        "input_messages": [{"message": m} for m in (ASKED, CALLED, MEASURED)],
        "output_messages": [{"message": ANSWERED}],
    },
}
OPENLLMETRY = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "How deep is the well?",
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "c1",
    "gen_ai.prompt.1.tool_calls.0.name": "measure",
    "gen_ai.prompt.1.tool_calls.0.arguments": '{"well": 3}',
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.tool_call_id": "c1",
    "gen_ai.prompt.2.content": "41 ft",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "41 feet.",
}


@pytest.mark.parametrize("attributes", [FLAT, NESTED, OPENLLMETRY])
def test_openinference_and_openllmetry(
    write: Write, outline: Outline, attributes: dict[str, Any]
) -> None:
    inner = {"name": "call", "context": {"trace_id": "p1"}, "attributes": attributes}
    file = write([{**inner, "start_time": "2031-05-04T10:00:00+00:00"}])
    assert detect(file) == "otel"
    assert outline(load(file)) == WHOLE


def test_spans_inside_spans(write: Write, outline: Outline) -> None:
    child = {"trace_id": "n1", "span_name": "llm", "span_attributes": FLAT, "child_spans": []}
    tool = {"openinference.span.kind": "TOOL", "tool.name": "x", "output.value": "y"}
    sibling = {"trace_id": "n1", "span_name": "tool", "span_attributes": tool}
    parent = {"trace_id": "n1", "span_name": "run", "span_attributes": {}}
    file = write({"trace_id": "n1", "spans": [{**parent, "child_spans": [child, sibling]}]})
    assert outline(load(file)) == WHOLE


@pytest.mark.parametrize("more", [{}, {"gen_ai__output__type": "text"}])
def test_a_trace_without_messages_says_why(write: Write, more: dict[str, str]) -> None:
    file = write(otlp(span(1, gen_ai__operation__name="chat", **more)))
    with pytest.raises(FormatError, match="was the recording of message content"):
        load(file)
