"""Gemini contents: calls without ids, results under the user's role."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, load
from tokengeist.transcript import Transcript

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]


def content(role: str, *parts: object) -> dict[str, object]:
    return {"role": role, "parts": list(parts)}


def call(**fields: object) -> dict[str, object]:
    return {"functionCall": fields}


def response(**fields: object) -> dict[str, object]:
    return {"functionResponse": fields}


ASKED = content("user", {"text": "How warm?"})


def test_results_without_ids_follow_the_order_of_calls(write: Write, outline: Outline) -> None:
    file = write(
        {
            "systemInstruction": {"parts": [{"text": "Be kind."}]},
            "contents": [
                ASKED,
                content(
                    "model",
                    {"text": "hm", "thought": True},
                    {"text": "I look."},
                    call(name="warm", args={"at": "Bern"}),
                    call(name="warm", args={"at": "Genf"}),
                    call(name="wind"),
                ),
                content(
                    "user",
                    response(name="wind", response={"kmh": 3}),
                    response(name="warm", response={"c": 9}),
                    response(name="warm", response={"c": 11}),
                    {"text": "Thanks."},
                ),
            ],
        }
    )
    assert detect(file) == "gemini"
    transcript = load(file)
    assert outline(transcript) == [
        ("system", "Be kind."),
        ("user", "How warm?"),
        ("assistant", 'I look.\nwarm({"at": "Bern"})\nwarm({"at": "Genf"})\nwind({})'),
        ("tool", '{"kmh": 3}'),
        ("tool", '{"c": 9}'),
        ("tool", '{"c": 11}'),
        ("user", "Thanks."),
    ]
    spans = transcript.turns[2].call_spans
    assert [transcript.call_sites[i].span for i in (3, 4, 5)] == [spans[2], spans[0], spans[1]]


def test_pythons_dumps_and_ids(write: Write) -> None:
    file = write(
        [
            ASKED,
            content("model", {"function_call": {"id": "1", "name": "warm", "args": {}}}),
            content("function", {"function_response": {"id": "1", "name": "warm", "response": {}}}),
        ]
    )
    assert detect(file) == "gemini"
    transcript = load(file)
    assert transcript.turns[2].call_id == "1"
    assert transcript.call_sites[2].turn == 1


def test_other_parts_stay_visible_and_in_order(write: Write, outline: Outline) -> None:
    model = content(
        "model",
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OK", "output": "1"}},
        {"inlineData": {"mimeType": "image/png", "data": ""}},
        call(name="f"),
        {"text": "after"},
        {"novelty": {}},
    )
    file = write({"system_instruction": "Be kind.", "contents": [ASKED, model, content("model")]})
    assert outline(load(file)) == [
        ("system", "Be kind."),
        ("user", "How warm?"),
        ("assistant", "print(1)\n1\n[data]\nf({})"),
        ("assistant", "after\n[novelty]"),
        ("assistant", ""),
    ]


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ([], "chat.json: the conversation has no contents"),
        ([content("robot")], "content 0: unknown role 'robot'; the roles are user, model, functi"),
        ([ASKED, 3], "content 1: a content should be an object but is a number"),
        ([content("user", 3)], "content 0, part 0: a part should be an object but is a number"),
        ([content("model", call())], "part 0: the called function's 'name' should be a string"),
        ([ASKED, content("user", response(name="f"))], "turn 1 is a tool result, but no earlier"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, contents: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write({"contents": contents}))
    assert message in str(caught.value)
