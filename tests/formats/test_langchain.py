"""LangChain messages: three shapes of dump, one transcript."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, load
from tokengeist.transcript import Role, ToolCall, Transcript, Turn

Write = Callable[[object], Path]
Shape = Callable[[dict[str, object]], dict[str, object]]

MESSAGES: list[dict[str, object]] = [
    {"type": "system", "content": "Be kind."},
    {"type": "human", "content": [{"type": "text", "text": "Row."}], "name": "Ada"},
    {
        "type": "ai",
        "content": [{"type": "text", "text": "Rowing."}, {"type": "tool_use", "id": "c1"}],
        "name": "boat",
        "tool_calls": [{"name": "row", "args": {"to": "Öland"}, "id": "c1", "type": "tool_call"}],
        "invalid_tool_calls": [{"name": "rest", "args": "{oops", "id": "c2", "error": None}],
    },
    {"type": "tool", "content": "there", "name": "row", "tool_call_id": "c1", "status": "success"},
]
EXPECTED = Transcript(
    (
        Turn(0, Role.SYSTEM, "Be kind."),
        Turn(1, Role.USER, "Row.", name="Ada"),
        Turn(
            2,
            Role.ASSISTANT,
            "Rowing.",
            calls=(ToolCall("row", '{"to": "Öland"}', "c1"), ToolCall("rest", "{oops", "c2")),
            name="boat",
        ),
        Turn(3, Role.TOOL, "there", call_id="c1", name="row"),
    ),
    id="chat",
)
CLASSES = {"system": "System", "human": "Human", "ai": "AI", "tool": "Tool"}


def as_dict(message: dict[str, object]) -> dict[str, object]:
    return {"type": message["type"], "data": message}


def as_dump(message: dict[str, object]) -> dict[str, object]:
    path = ["langchain", "schema", "messages", CLASSES[str(message["type"])] + "Message"]
    kwargs = {key: value for key, value in message.items() if key != "type"}
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}


def as_model(message: dict[str, object]) -> dict[str, object]:
    return {**message, "id": "m", "additional_kwargs": {}}


@pytest.mark.parametrize("shape", [as_dict, as_dump, as_model])
@pytest.mark.parametrize("is_state", [True, False])
def test_all_shapes_read_alike(write: Write, shape: Shape, is_state: bool) -> None:
    messages = [shape(message) for message in MESSAGES]
    file = write({"messages": messages} if is_state else messages)
    assert detect(file) == "langchain"
    assert load(file) == EXPECTED


def test_streamed_messages_and_early_calls(write: Write) -> None:
    call = {"id": "c1", "function": {"name": "row", "arguments": "{}"}}
    message = {
        "type": "AIMessageChunk",
        "content": "",
        "additional_kwargs": {"tool_calls": [call]},
    }
    assert load(write([MESSAGES[1], message])).turns[1].text == "row({})"


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([MESSAGES[0], {"type": "remove", "content": ""}], "message 1: unknown message type 'remo"),
        ([MESSAGES[0], 3], "message 1: a message should be an object but is a number"),
        ([MESSAGES[0], MESSAGES[3]], "turn 1 answers tool call 'c1', which no earlier turn made"),
        ([{**MESSAGES[2], "tool_calls": [{}]}], "message 0, tool call 0: the tool call has no"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, messages: object, message: str) -> None:
    file = write({"messages": messages})
    assert detect(file) == "langchain"
    with pytest.raises(FormatError) as caught:
        load(file)
    assert message in str(caught.value)


def test_an_empty_state(write: Write) -> None:
    with pytest.raises(FormatError, match="the conversation has no messages"):
        load(write({"messages": []}), format="langchain")
