"""tau2-bench: the policy beside the messages, and users that call tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load
from tokengeist.transcript import Role

Write = Callable[[object], Path]


def call(id: str, requestor: str) -> dict[str, object]:
    return {"id": id, "name": "probe", "arguments": {"n": 1}, "requestor": requestor}


def result(id: str, content: str, requestor: str = "assistant") -> dict[str, object]:
    return {"id": id, "role": "tool", "content": content, "requestor": requestor, "error": False}


MESSAGES = [
    {"role": "assistant", "content": "Please press the button.", "tool_calls": None},
    {"role": "user", "content": None, "tool_calls": [call("u1", "user")]},
    result("u1", "it blinks", "user"),
    {"role": "user", "content": "It blinks."},
    {"role": "assistant", "tool_calls": [call("a1", "assistant"), call("a2", "assistant")]},
    {"role": "tool", "tool_messages": [result("a1", "one"), result("a2", "two")]},
]


def run(**more: object) -> dict[str, object]:
    return {"id": "x", "task_id": "lamp", "trial": 1, "messages": MESSAGES, **more}


def test_a_result_of_the_users_call_belongs_to_the_user(write: Write) -> None:
    file = write({"tasks": [], "simulations": [run(policy="Be brief.")]})
    assert detect(file) == "tau2-bench"
    transcript = load(file)
    assert transcript.id == "lamp-1"
    assert (transcript.turns[0].role, transcript.turns[0].text) == (Role.SYSTEM, "Be brief.")
    assert transcript.turns[2].text == 'probe({"n": 1})'
    assert {index: site.turn for index, site in transcript.call_sites.items()} == {3: 2, 6: 5, 7: 5}
    assert [transcript.turns[index].text for index in (6, 7)] == ["one", "two"]


def test_one_simulation_alone_without_a_policy(write: Write) -> None:
    file = write(run())
    assert detect(file) == "tau2-bench"
    assert load(file).turns[0].role is Role.ASSISTANT


def test_a_policy_among_the_messages_is_not_repeated(write: Write) -> None:
    messages = [{"role": "system", "content": "Be brief."}, *MESSAGES]
    assert len(load(write(run(policy="Be brief.", messages=messages))).turns) == 8


def test_simulations_are_listed(write: Write) -> None:
    file = write({"simulations": [run(), run(trial=2), {"messages": MESSAGES}]})
    assert list_conversations(file) == ("lamp-1", "lamp-2", "chat-2")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"simulations": [{}]}, "simulation 0: the simulation has no 'messages'"),
        ({"simulations": {}}, "'simulations' should be a list but is an empty object"),
        (run(messages=[]), "chat.json: the conversation has no messages"),
        (run(messages=[{"role": "ghost"}]), "message 0: unknown role 'ghost'"),
        (run(messages=[{"tool_messages": [3]}]), "message 0: a tool message should be an object"),
        ({"simulations": []}, "chat.json: the file holds no conversation"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, value: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(value))
    assert message in str(caught.value)
