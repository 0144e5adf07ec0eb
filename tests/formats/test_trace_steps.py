"""Which calls of a trace are one conversation: those whose history repeats earlier answers."""

from __future__ import annotations

import pytest

from tokengeist.formats.document import Place
from tokengeist.formats.traces.steps import ModelCall, ToolRun, conversations
from tokengeist.transcript import Role, ToolCall, Turn

ASKED = Turn(0, Role.USER, "How deep is the well?")
THANKED = Turn(0, Role.USER, "Thank you.")


def answer(text: str, *calls: ToolCall) -> Turn:
    return Turn(0, Role.ASSISTANT, text, calls=calls)


def told(*steps: ModelCall | ToolRun) -> list[list[str]]:
    """What is said after the question in every conversation of these steps."""
    return [
        [turn.content for turn in conversation.turns()[1:]]
        for conversation in conversations("t", steps, Place("trace.json"))
    ]


def call(*turns: Turn) -> ModelCall:
    """A call whose answer is the last turn."""
    return ModelCall(turns[:-1], turns[-1:])


def test_a_call_continues_the_sample_that_its_history_repeats() -> None:
    first, second = answer("41 feet."), answer("43 feet.")
    assert told(
        call(ASKED, first),
        call(ASKED, second),
        call(ASKED, first, THANKED, answer("Welcome.")),
    ) == [["41 feet.", "Thank you.", "Welcome."], ["43 feet."]]


def test_an_answer_that_the_history_replaces_is_kept() -> None:
    assert told(
        call(ASKED, answer("43 feet.")),
        call(ASKED, answer("41 feet."), THANKED, answer("Welcome.")),
    ) == [["43 feet."], ["41 feet.", "Thank you.", "Welcome."]]


def test_what_a_history_leaves_out_of_an_answer_is_kept() -> None:
    measured = ToolCall("measure", '{"well": 3}', "c1")
    result = Turn(0, Role.TOOL, "41", call_id="c1")
    assert told(
        call(ASKED, answer("I look.", measured)),
        call(ASKED, answer("", measured), result, answer("<think>41?</think> 41 feet.")),
        call(ASKED, answer("", measured), result, answer("41 feet."), THANKED, answer("Bye.")),
    ) == [["I look.", "41", "<think>41?</think> 41 feet.", "Thank you.", "Bye."]]


def test_of_several_threads_a_call_continues_the_one_it_repeats_most_of() -> None:
    first, second = answer("41 feet."), answer("Welcome.")
    assert told(
        call(ASKED, first),
        call(ASKED, first, THANKED, second),
        call(ASKED, first),
        call(ASKED, first, THANKED, second, THANKED, answer("Bye.")),
    ) == [["41 feet.", "Thank you.", "Welcome.", "Thank you.", "Bye."], ["41 feet."]]


def test_of_samples_that_differ_in_spaces_a_call_continues_its_own() -> None:
    narrow, wide = answer("41 feet."), answer("41  feet.")
    asked_again = Turn(0, Role.USER, "Sure?")
    assert told(
        call(ASKED, narrow, THANKED, answer("Welcome.")),
        call(ASKED, wide, THANKED, answer("Welcome!")),
        call(ASKED, narrow, THANKED, answer("Welcome."), asked_again, answer("Yes.")),
    ) == [
        ["41 feet.", "Thank you.", "Welcome.", "Sure?", "Yes."],
        ["41  feet.", "Thank you.", "Welcome!"],
    ]


@pytest.mark.parametrize(
    "repeated",
    [
        answer(" I  look.\n", ToolCall("measure", '{"well": 3}', "c1")),
        answer("I look.", ToolCall("measure", '{\n"well":3}', "c1")),
        answer("I look.", ToolCall("measure", '{"well": 3}')),
    ],
    ids=["spaces", "arguments", "no id"],
)
def test_an_answer_written_otherwise_in_the_history_is_the_same(repeated: Turn) -> None:
    result = Turn(0, Role.TOOL, "41 ft")
    assert told(
        call(ASKED, answer("I look.", ToolCall("measure", '{"well": 3}', "c1"))),
        ToolRun("measure", '{"feet": 41}'),
        call(ASKED, repeated, result, answer("41 feet.")),
    ) == [[repeated.content, "41 ft", "41 feet."]]


@pytest.mark.parametrize(
    "replaced", [ToolCall("measure", '{"well": 4}', "c1"), ToolCall("measure", '{"well": 3}', "c2")]
)
def test_an_answer_with_another_call_is_another(replaced: ToolCall) -> None:
    result = Turn(0, Role.TOOL, "41 ft")
    assert told(
        call(ASKED, answer("", ToolCall("measure", '{"well": 3}', "c1"))),
        call(ASKED, answer("", replaced), result, answer("41 feet.")),
    ) == [[""], ["", "41 ft", "41 feet."]]


def test_a_call_that_failed_is_no_conversation_beside_its_second_try() -> None:
    assert told(ModelCall((ASKED,), ()), call(ASKED, answer("41 feet."))) == [["41 feet."]]
