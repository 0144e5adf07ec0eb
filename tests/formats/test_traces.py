"""Traces of observability tools: steps become conversations, in whatever form messages come."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.formats.well import ANSWERED, ASKED, CALLED, MEASURED, WHOLE
from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load
from tokengeist.transcript import Transcript

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]


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
