"""ATIF: a step is an assistant turn and the results that it observed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load
from tokengeist.transcript import Transcript

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]


def trajectory(*steps: object, **more: object) -> dict[str, object]:
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": "dig-3",
        "agent": {"name": "digger", "version": "1"},
        "steps": list(steps),
        **more,
    }


ASKED = {"step_id": 1, "source": "user", "message": "Dig."}
DUG = {
    "step_id": 2,
    "source": "agent",
    "message": "Digging.",
    "reasoning_content": "hm",
    "tool_calls": [
        {"tool_call_id": "c1", "function_name": "dig", "arguments": {"depth": 2}},
        {"tool_call_id": "c2", "function_name": "look", "arguments": {}},
    ],
    "observation": {
        "results": [{"source_call_id": "c2", "content": "dark"}, {"content": "a bone"}]
    },
}


def test_steps_become_turns(write: Write, outline: Outline) -> None:
    file = write(trajectory({"source": "system", "message": "Care."}, ASKED, DUG))
    assert detect(file) == "atif"
    transcript = load(file)
    assert outline(transcript) == [
        ("system", "Care."),
        ("user", "Dig."),
        ("assistant", 'Digging.\ndig({"depth": 2})\nlook({})'),
        ("tool", "dark"),
        ("tool", "a bone"),
    ]
    assert (transcript.id, transcript.turns[2].name) == ("dig-3", "digger")
    spans = transcript.turns[2].call_spans
    assert [transcript.call_sites[index].span for index in (3, 4)] == [spans[1], spans[0]]


def test_feedback_that_answers_no_call_comes_from_outside(write: Write, outline: Outline) -> None:
    step = {
        "source": "agent",
        "message": "hm",
        "observation": {"results": [{"content": "Say more."}]},
    }
    transcript = load(write(trajectory(ASKED, step)))
    assert outline(transcript)[2] == ("user", "Say more.")
    assert transcript.turns[2].name == "environment"


def test_sub_agents_are_conversations_of_their_own(write: Write) -> None:
    inner = [trajectory(ASKED, trajectory_id="sub"), {"steps": [ASKED]}]
    file = write(trajectory(ASKED, DUG, subagent_trajectories=inner))
    assert list_conversations(file) == ("dig-3", "sub", "dig-3-1")
    assert len(load(file, conversation="sub").turns) == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (trajectory(), "chat.json (dig-3) has no turns"),
        (trajectory({"source": "robot"}), "step 0: unknown source 'robot'; the sources are system"),
        (trajectory(3), "step 0: a step should be an object but is a number"),
        (trajectory(ASKED, {**DUG, "tool_calls": None}), "answers tool call 'c2', which no earl"),
        (trajectory({**DUG, "tool_calls": [{}]}), "the called tool's 'function_name' should be"),
        ({"schema_version": "ATIF-v1.8"}, "'steps' should be a list but is null"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, value: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(value))
    assert message in str(caught.value)
