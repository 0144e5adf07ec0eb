"""Traces of observability tools: steps become conversations, in whatever form messages come."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load
from tokengeist.transcript import Transcript

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]

ASKED = {"role": "user", "content": "How deep is the well?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "function": {"name": "measure", "arguments": '{"well": 3}'}}],
}
MEASURED = {"role": "tool", "tool_call_id": "c1", "content": "41 ft"}
ANSWERED = {"role": "assistant", "content": "41 feet."}
WHOLE = [
    ("user", "How deep is the well?"),
    ("assistant", 'measure({"well": 3})'),
    ("tool", "41 ft"),
    ("assistant", "41 feet."),
]


def observation(kind: str, at: int, **more: object) -> dict[str, object]:
    start = f"2031-05-04T10:00:{at:02}.000Z"
    return {"id": f"o{at}", "traceId": "t-1", "type": kind, "startTime": start, **more}


def langfuse(*observations: object) -> dict[str, object]:
    return {"trace": {"id": "t-1"}, "observations": list(observations)}


def test_a_call_with_the_history_of_another_takes_its_place(write: Write, outline: Outline) -> None:
    file = write(
        langfuse(
            observation("GENERATION", 3, input=[ASKED, CALLED, MEASURED], output=ANSWERED),
            observation("TOOL", 2, name="measure", input={"well": 3}, output="41 ft"),
            observation("GENERATION", 1, input=json.dumps([ASKED]), output=json.dumps(CALLED)),
            observation("SPAN", 0, input="noise", output="noise"),
        )
    )
    assert detect(file) == "langfuse"
    assert list_conversations(file) == ("t-1",)
    assert outline(load(file)) == WHOLE


def test_calls_that_continue_nothing_are_conversations_of_their_own(
    write: Write, outline: Outline
) -> None:
    other = {"role": "user", "content": "Plan."}
    file = write(
        langfuse(
            observation("GENERATION", 1, input=[ASKED], output="One answer."),
            observation("GENERATION", 2, input=[ASKED], output="Another answer."),
            observation("GENERATION", 3, input=[ASKED], output="Another answer."),
            observation("GENERATION", 4, input=[other], output="A plan."),
            observation("GENERATION", 5, input=[other, ASKED], output="A plan of something else."),
        )
    )
    ids = list_conversations(file)
    assert ids == ("t-1/0", "t-1/1", "t-1/2", "t-1/3")
    last = [outline(load(file, conversation=id))[-1][1] for id in ids]
    assert last == ["One answer.", "Another answer.", "A plan.", "A plan of something else."]


def test_tool_runs_fill_in_what_no_history_repeats(write: Write, outline: Outline) -> None:
    wells = [{"toolName": "measure", "toolCallId": f"c{n}", "input": {"well": n}} for n in (1, 2)]
    file = write(
        langfuse(
            observation("GENERATION", 1, input={"prompt": "Measure both."}, output=wells),
            observation("TOOL", 2, name="measure", input={"input": {"well": 2}}, output="9 ft"),
            observation("TOOL", 3, name="measure", input={"input": {"well": 1}}, output="7 ft"),
            observation("TOOL", 4, name="unasked", output="nobody called this"),
        )
    )
    transcript = load(file)
    assert outline(transcript)[2:] == [("tool", "9 ft"), ("tool", "7 ft")]
    first, second = transcript.turns[1].call_spans
    assert [transcript.call_sites[turn].span for turn in (2, 3)] == [second, first]


@pytest.mark.parametrize(
    "written", ['{ "text":   "41" }', '{"choices":  [{"text": "41"}, {"text": "43"}]}']
)
def test_what_a_model_wrote_as_json_stays_as_it_was_written(
    write: Write, outline: Outline, written: str
) -> None:
    file = write(langfuse(observation("GENERATION", 1, input="Depth?", output=written)))
    assert outline(load(file)) == [("user", "Depth?"), ("assistant", written)]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ([ASKED, CALLED, MEASURED], {"choices": [{"message": ANSWERED}]}),
        (  # Responses items
            [
                ASKED,
                {"type": "function_call", "call_id": "c1", "name": "measure"}
                | {"arguments": '{"well": 3}'},
                {"type": "function_call_output", "call_id": "c1", "output": "41 ft"},
            ],
            {
                "object": "response",
                "output": [
                    {"type": "message", "role": "assistant", "content": "41 feet."},
                ],
            },
        ),
        (  # Gemini
            {
                "contents": [
                    {"role": "user", "parts": [{"text": "How deep is the well?"}]},
                    {
                        "role": "model",
                        "parts": [{"functionCall": {"name": "measure", "args": {"well": 3}}}],
                    },
                    {
                        "role": "user",
                        "parts": [{"functionResponse": {"name": "measure", "response": "41 ft"}}],
                    },
                ]
            },
            {"content": {"role": "model", "parts": [{"text": "41 feet."}]}},
        ),
        (  # Anthropic
            {
                "messages": [
                    ASKED,
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "tool_use", "id": "c1", "name": "measure"}
                            | {"input": {"well": 3}}
                        ],
                    },
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "c1", "content": "41 ft"}
                        ],
                    },
                ]
            },
            {"role": "assistant", "content": [{"type": "text", "text": "41 feet."}]},
        ),
        (  # OpenTelemetry's parts
            [
                {"role": "user", "parts": [{"type": "text", "content": "How deep is the well?"}]},
                {
                    "role": "assistant",
                    "parts": [
                        {"type": "reasoning", "content": "hm"},
                        {"type": "tool_call", "id": "c1", "name": "measure"}
                        | {"arguments": {"well": 3}},
                    ],
                },
                {
                    "role": "tool",
                    "parts": [{"type": "tool_call_response", "id": "c1", "response": "41 ft"}],
                },
            ],
            [{"role": "assistant", "parts": [{"type": "text", "content": "41 feet."}]}],
        ),
    ],
    ids=["chat", "responses", "gemini", "anthropic", "parts"],
)
def test_messages_in_every_providers_form(
    write: Write, outline: Outline, given: object, made: object
) -> None:
    file = write(langfuse(observation("GENERATION", 1, input=given, output=made)))
    assert outline(load(file)) == WHOLE


@pytest.mark.parametrize(
    "made",
    [
        {"choices": [{"message": CALLED}, {"message": ANSWERED}]},
        {"generations": [[{"message": CALLED}, {"message": ANSWERED}]]},
        [
            {
                "role": "assistant",
                "parts": [
                    {"type": "tool_call", "id": "c1", "name": "measure", "arguments": {"well": 3}}
                ],
            },
            {"role": "assistant", "parts": [{"type": "text", "content": "41 feet."}]},
        ],
    ],
    ids=["chat", "langchain", "parts"],
)
def test_several_choices_are_alternatives(write: Write, outline: Outline, made: object) -> None:
    file = write(langfuse(observation("GENERATION", 1, input=[ASKED], output=made)))
    assert [outline(load(file, conversation=id)) for id in list_conversations(file)] == [
        [WHOLE[0], WHOLE[1]],
        [WHOLE[0], WHOLE[3]],
    ]


def test_instructions_that_only_the_answer_repeats(write: Write, outline: Outline) -> None:
    made = {"object": "response", "instructions": "Be brief.", "output": [ANSWERED]}
    file = write(langfuse(observation("GENERATION", 1, input=[ASKED], output=made)))
    assert outline(load(file))[0] == ("system", "Be brief.")


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


def test_langsmith_runs_with_langchain_messages(write: Write, outline: Outline) -> None:
    def message(kind: str, **fields: object) -> dict[str, object]:
        return {"lc": 1, "type": "constructor", "id": ["langchain", kind], "kwargs": fields}

    call = {"name": "measure", "args": {"well": 3}, "id": "c1"}
    called = message("AIMessage", content="", tool_calls=[call])
    asked = message("HumanMessage", content="How deep is the well?")

    def run(at: int, kind: str, **more: object) -> dict[str, object]:
        return {"run_type": kind, "trace_id": "r1", "start_time": f"2031-05-04T10:00:0{at}", **more}

    answer = message("AIMessage", content="41 feet.")
    tool = run(2, "tool", name="measure", inputs={"input": "{'well': 3}"})
    history = [asked, called, message("ToolMessage", content="41 ft", tool_call_id="c1")]
    model = run(
        3,
        "llm",
        inputs={"messages": [history]},
        outputs={"generations": [[{"text": "41 feet.", "message": answer}]]},
    )
    first = run(1, "llm", inputs={"messages": [[asked]]}, outputs={"generations": [[called]]})
    root = run(0, "chain", inputs={}, outputs={}, child_runs=[first])
    file = write([model, {**tool, "outputs": {"output": {"content": "41 ft"}}}, root])
    assert detect(file) == "langsmith"
    assert outline(load(file)) == WHOLE
    ended = write({"runs": [first, {**tool, "outputs": {"output": {"content": "41 ft"}}}]})
    assert outline(load(ended)) == WHOLE[:3]


def test_mlflow_spans_with_json_in_json(write: Write, outline: Outline) -> None:
    def mlflow_span(
        at: int, kind: str, name: str, given: object, made: object
    ) -> dict[str, object]:
        attributes = {
            "mlflow.spanType": json.dumps(kind),
            "mlflow.spanInputs": json.dumps(given),
            "mlflow.spanOutputs": json.dumps(made),
        }
        return {"name": name, "start_time_unix_nano": at, "attributes": attributes}

    file = write(
        {
            "info": {"trace_id": "tr-9"},
            "data": {
                "spans": [
                    mlflow_span(0, "AGENT", "run", {"messages": [ASKED]}, "41 feet."),
                    mlflow_span(2, "TOOL", "measure", {"well": 3}, "41 ft"),
                    mlflow_span(
                        1,
                        "CHAT_MODEL",
                        "chat",
                        {"messages": [ASKED]},
                        {"choices": [{"message": CALLED}]},
                    ),
                ]
            },
        }
    )
    assert detect(file) == "mlflow"
    assert (load(file).id, outline(load(file))) == ("tr-9", WHOLE[:3])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (otlp(span(1, gen_ai__operation__name="chat")), "was the recording of message content"),
        (
            otlp(span(1, gen_ai__operation__name="chat", gen_ai__output__type="text")),
            "was the recording of message content",
        ),
        (langfuse(), "the file holds no conversation"),
        (langfuse(3), "observation 0: an observation should be an object but is a number"),
        (
            langfuse(observation("GENERATION", 1, input=[{"role": "robot", "content": "x"}])),
            "observation 0, message 0: unknown role 'robot'",
        ),
        ({"info": {}, "data": {"spans": 3}}, "'spans' should be a list but is a number"),
        ([{"run_type": "llm", "trace_id": []}], "'trace_id' should be a string"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, value: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(value))
    assert message in str(caught.value)
