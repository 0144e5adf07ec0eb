"""OpenAI Responses: items that are calls, results, messages, or several of these at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, load
from tokengeist.transcript import Transcript

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]


def said(text: str) -> dict[str, object]:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def call(id: str, **more: object) -> dict[str, object]:
    return {
        "type": "function_call",
        "id": f"fc_{id}",
        "call_id": id,
        "name": "weigh",
        "arguments": '{"n":1}',
        **more,
    }


def output(id: str | None, value: object) -> dict[str, object]:
    return {"type": "function_call_output", "call_id": id, "output": value}


ASKED = {"role": "user", "content": [{"type": "input_text", "text": "How heavy?"}]}
THOUGHT = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "…"}
ITEMS = [
    ASKED,
    THOUGHT,
    said("I weigh."),
    call("a"),
    THOUGHT,
    call("b"),
    output("b", "2 kg"),
    output("a", [{"type": "input_text", "text": "1 kg"}, {"type": "input_image"}]),
    said("Three"),
    said("kilograms."),
]
TURNS = [
    ("user", "How heavy?"),
    ("assistant", 'I weigh.\nweigh({"n":1})\nweigh({"n":1})'),
    ("tool", "2 kg"),
    ("tool", "1 kg\n[image]"),
    ("assistant", "Three"),
    ("assistant", "kilograms."),
]


def test_an_answer_and_its_calls_are_one_turn(write: Write, outline: Outline) -> None:
    file = write(ITEMS)
    assert detect(file) == "responses"
    transcript = load(file)
    assert outline(transcript) == TURNS
    spans = transcript.turns[1].call_spans
    assert [transcript.call_sites[index].span for index in (2, 3)] == [spans[1], spans[0]]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda: {"id": "r", "instructions": "Be exact.", "input": ITEMS[:4], "output": ITEMS[4:]},
        lambda: {
            "id": "r",
            "request": {"instructions": "Be exact.", "input": ITEMS[:4]},
            "response": {"id": "resp", "output": ITEMS[4:]},
        },
    ],
)
def test_request_and_response(write: Write, outline: Outline, wrap: Callable[[], object]) -> None:
    file = write(wrap())
    assert detect(file) == "responses"
    assert load(file).id == "r"
    assert outline(load(file)) == [("system", "Be exact."), *TURNS]


def test_a_question_as_a_plain_string(write: Write, outline: Outline) -> None:
    file = write({"input": "How heavy?", "output": [said("Very.")]})
    assert outline(load(file)) == [("user", "How heavy?"), ("assistant", "Very.")]


def test_tools_that_openai_runs_hold_call_and_outcome(write: Write, outline: Outline) -> None:
    items = [
        ASKED,
        call("m", type="mcp_call", output="9 kg", error=None),
        {"type": "web_search_call", "id": "ws", "action": {"query": "weights"}},
        said("Nine."),
        {"type": "custom_tool_call", "call_id": "c", "name": "note", "input": "nine"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "noted"},
    ]
    transcript = load(write(items))
    assert outline(transcript)[1:] == [
        ("assistant", 'weigh({"n":1})'),
        ("tool", "9 kg"),
        ("assistant", 'web_search({"query": "weights"})'),
        ("assistant", "Nine.\nnote(nine)"),
        ("tool", "noted"),
    ]
    assert {index: site.turn for index, site in transcript.call_sites.items()} == {2: 1, 5: 4}


def test_other_items_stay_visible(write: Write, outline: Outline) -> None:
    items = [{"type": "mcp_list_tools"}, ASKED, {"type": "compaction"}, said("Ok.")]
    transcript = load(write(items))
    assert outline(transcript) == [
        ("system", "[mcp_list_tools]"),
        ("user", "How heavy?"),
        ("assistant", "[compaction]"),
        ("assistant", "Ok."),
    ]
    assert transcript.turns[2].is_summary


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([THOUGHT, 3], "item 1: an item should be an object but is a number"),
        ([THOUGHT, {}], "item 1: the item has neither a 'type' nor a 'role'; it is an empty ob"),
        ([THOUGHT, {"type": "item_reference"}], "item 1: the item is only a reference to one s"),
        ([THOUGHT], "has no turns"),
        ([ASKED, output("a", "x")], "turn 1 answers tool call 'a', which no earlier turn made"),
        ([ASKED, output(None, "x")], "turn 1 is a tool result, but no earlier turn called a tool"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, items: object, message: str) -> None:
    file = write(items)
    assert detect(file) == "responses"
    with pytest.raises(FormatError) as caught:
        load(file)
    assert message in str(caught.value)
