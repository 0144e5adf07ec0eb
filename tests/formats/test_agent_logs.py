"""Logs of agent harnesses and training sets: Codex, SWE-agent, OpenHands, ShareGPT, ToolTalk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load
from tokengeist.transcript import Transcript

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]


def rollout(*lines: tuple[str, object]) -> str:
    return "\n".join(json.dumps({"type": kind, "payload": payload}) for kind, payload in lines)


def test_codex_rollouts(write: Write, outline: Outline) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "ls"}
    file = write(
        rollout(
            ("session_meta", {"id": "s-1", "base_instructions": {"text": "Be careful."}}),
            ("turn_context", {"cwd": "x"}),
            ("response_item", {"type": "message", "role": "user", "content": "List."}),
            ("event_msg", {"type": "user_message", "message": "List."}),
            ("response_item", {"type": "reasoning", "summary": []}),
            ("response_item", call),
            ("response_item", {"type": "function_call_output", "call_id": "c1", "output": "a b"}),
            ("compacted", {"message": "Two files so far.", "replacement_history": []}),
            ("response_item", {"type": "agent_message", "author": "scout", "content": "And c."}),
            ("response_item", {"type": "message", "role": "assistant", "content": "a, b, c."}),
        )
    )
    assert detect(file) == "codex"
    transcript = load(file)
    assert outline(transcript) == [
        ("system", "Be careful."),
        ("user", "List."),
        ("assistant", "shell(ls)"),
        ("tool", "a b"),
        ("assistant", "Two files so far."),
        ("user", "And c."),
        ("assistant", "a, b, c."),
    ]
    assert (transcript.id, transcript.turns[5].name) == ("s-1", "scout")
    assert [turn.index for turn in transcript.turns if turn.is_summary] == [4]


def test_sharegpt_with_calls_as_messages(write: Write, outline: Outline) -> None:
    calls = [{"name": "find", "arguments": {"q": "x"}}, {"name": "open", "arguments": {}}]
    file = write(
        [
            {
                "id": "first",
                "system": "Help.",
                "conversations": [
                    {"from": "human", "value": "Find x."},
                    {"from": "function_call", "value": json.dumps(calls)},
                    {"from": "observation", "value": "found"},
                    {"from": "observation", "value": "opened"},
                    {"from": "gpt", "value": "Here."},
                ],
            },
            {"conversations": [{"from": "human", "value": "Hi"}]},
        ]
    )
    assert detect(file) == "sharegpt"
    assert list_conversations(file) == ("first", "chat-1")
    transcript = load(file, conversation="first")
    assert outline(transcript)[2:5] == [
        ("assistant", 'find({"q": "x"})\nopen({})'),
        ("tool", "found"),
        ("tool", "opened"),
    ]
    spans = transcript.turns[2].call_spans
    assert [transcript.call_sites[turn].span for turn in (3, 4)] == list(spans)


def test_sharegpt_in_the_hermes_dialect(write: Write, outline: Outline) -> None:
    call = '<tool_call>\n{"name": "find", "arguments": {"q": "x"}}\n</tool_call>'
    file = write(
        {
            "conversations": [
                {"from": "human", "value": "Find x."},
                {"from": "gpt", "value": f"Looking.\n{call}\n<tool_call>no json</tool_call>"},
                {
                    "from": "tool",
                    "value": "<tool_response>\none\n</tool_response>\n"
                    "<tool_response>two</tool_response>",
                },
                {"from": "gpt", "value": "One <b>and</b> two."},
            ]
        }
    )
    assert outline(load(file))[1:] == [
        ("assistant", 'Looking.\nfind({"q": "x"})\nfunction_call(no json)'),
        ("tool", "one"),
        ("tool", "two"),
        ("assistant", "One <b>and</b> two."),
    ]


def test_swe_agent_with_and_without_tool_calls(write: Write, outline: Outline) -> None:
    call = {"id": "c1", "function": {"name": "bash", "arguments": "{}"}}
    history: list[dict[str, object]] = [
        {"role": "system", "content": "Fix.", "message_type": "system_prompt"},
        {"role": "user", "content": "It fails.", "message_type": "observation"},
        {"role": "assistant", "content": "Look.", "action": "ls", "message_type": "action"},
        {"role": "user", "content": "a.py", "message_type": "observation"},
        {"role": "assistant", "content": "Go.", "action": "bash", "tool_calls": [call]},
        {"role": "tool", "content": "ok", "tool_call_ids": ["c1"]},
    ]
    file = write({"history": history, "trajectory": [], "info": {}})
    assert detect(file) == "swe-agent"
    assert outline(load(file)) == [
        ("system", "Fix."),
        ("user", "It fails."),
        ("assistant", "Look.\naction(ls)"),
        ("tool", "a.py"),
        ("assistant", "Go.\nbash({})"),
        ("tool", "ok"),
    ]


def test_openhands_events(write: Write, outline: Outline) -> None:
    function = {"name": "execute_bash", "arguments": '{"command": "ls"}'}
    response = {"choices": [{"message": {"tool_calls": [{"id": "c9", "function": function}]}}]}
    metadata = {"tool_call_id": "c9", "model_response": response}
    file = write(
        [
            {"id": 0, "source": "agent", "action": "system", "args": {"content": "Help."}},
            {"id": 1, "source": "user", "action": "message", "args": {"content": "List."}},
            {"id": 2, "source": "environment", "observation": "agent_state_changed"},
            {
                "id": 3,
                "source": "agent",
                "action": "run",
                "args": {"command": "ls", "thought": "Look."},
                "tool_call_metadata": metadata,
            },
            {"id": 4, "source": "agent", "observation": "run", "cause": 3, "content": "a b"},
            {"id": 5, "source": "agent", "action": "read", "args": {"path": "a", "thought": ""}},
            {"id": 6, "source": "agent", "observation": "read", "cause": 5, "content": "text"},
            {"id": 7, "source": "environment", "observation": "recall", "content": "A hint."},
            {"id": 8, "source": "agent", "action": "message", "args": {"content": "Two files."}},
        ]
    )
    assert detect(file) == "openhands"
    transcript = load(file)
    assert outline(transcript) == [
        ("system", "Help."),
        ("user", "List."),
        ("assistant", 'Look.\nexecute_bash({"command": "ls"})'),
        ("tool", "a b"),
        ("assistant", 'read({"path": "a"})'),
        ("tool", "text"),
        ("user", "A hint."),
        ("assistant", "Two files."),
    ]
    assert transcript.turns[6].name == "environment"


def test_tooltalk_entries(write: Write, outline: Outline) -> None:
    request = {"api_name": "Book", "parameters": {"seat": 4}}
    failed = {"request": request, "response": None, "exception": "full"}
    file = write(
        {
            "conversation_id": "7",
            "metadata": {"location": "Oslo"},
            "conversation": [
                {"role": "user", "text": "Seat 4."},
                {
                    "role": "assistant",
                    "text": "It is full.",
                    "apis": [failed, {"request": request, "response": {"ok": False}}],
                },
            ],
        }
    )
    assert detect(file) == "tooltalk"
    assert outline(load(file)) == [
        ("system", '{"location": "Oslo"}'),
        ("user", "Seat 4."),
        ("assistant", 'Book({"seat": 4})\nBook({"seat": 4})'),
        ("tool", "full"),
        ("tool", '{"ok": false}'),
        ("assistant", "It is full."),
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"conversations": [{"from": "robot", "value": ""}]}, "unknown speaker 'robot'"),
        ({"conversations": [{"from": "human", "value": 3}]}, "'value' should be a string"),
        ({"conversation": [{"role": "x", "text": "y"}]}, "entry 0: unknown role 'x'"),
        (rollout(("session_meta", {"id": "s"}), ("response_item", 3)), "'payload' should be an"),
        ({"history": [{"message_type": "x", "role": "robot"}]}, "unknown role 'robot'"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, value: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(value))
    assert message in str(caught.value)
