"""Chat messages: every dialect that recorders write, one turn a message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load, load_all
from tokengeist.transcript import Role, ToolCall, Turn

Write = Callable[[object], Path]


def user(content: object = "hi") -> dict[str, object]:
    return {"role": "user", "content": content}


def calling(*calls: dict[str, object], content: str | None = None) -> dict[str, object]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def call(id: str = "c1", name: str = "find", arguments: object = "{}") -> dict[str, object]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(id: str | None = "c1", content: object = "found", **more: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


CHAT = [user(), {"role": "assistant", "content": "hello"}]


def test_a_bare_list_takes_its_id_from_the_file(write: Write) -> None:
    transcript = load(write(CHAT))
    assert transcript.id == "chat"
    assert transcript.turns == (Turn(0, Role.USER, "hi"), Turn(1, Role.ASSISTANT, "hello"))


@pytest.mark.parametrize("id", ["run-7", 7])
def test_an_object_may_carry_an_id(write: Write, id: object) -> None:
    assert load(write({"id": id, "messages": CHAT})).id == str(id)


def test_one_conversation_a_line(write: Write) -> None:
    lines = [{"id": "a", "messages": CHAT}, {"messages": CHAT[:1]}, CHAT]
    file = write("\n\n".join(json.dumps(line) for line in lines) + "\r\n")
    assert list_conversations(file) == ("a", "line-3", "line-5")
    assert [len(transcript.turns) for transcript in load_all(file)] == [2, 1, 2]
    assert len(load(file, conversation="line-3").turns) == 1


def test_a_file_of_one_line_needs_no_conversation(write: Write) -> None:
    assert load(write(json.dumps({"messages": CHAT}) + "\n")).id == "chat"


def test_a_list_of_conversations(write: Write) -> None:
    file = write([{"messages": CHAT, "id": "a"}, {"messages": CHAT}])
    assert list_conversations(file) == ("a", "chat-1")


def test_one_message_a_line(write: Write) -> None:
    transcript = load(write("\n".join(map(json.dumps, CHAT))))
    assert [turn.content for turn in transcript.turns] == ["hi", "hello"]


def test_ids_that_come_back_can_still_be_asked_for(write: Write) -> None:
    file = write([{"id": "a", "messages": CHAT}, {"id": "a", "messages": CHAT[:1]}])
    assert list_conversations(file) == ("a", "a#2")
    assert len(load(file, conversation="a#2").turns) == 1


@pytest.mark.parametrize(
    "wrap",
    [
        lambda answer: {"request": {"messages": CHAT[:1]}, "response": {"choices": [answer]}},
        lambda answer: {"messages": CHAT[:1], "response": {"choices": [answer]}},
        lambda answer: {
            "body": {"messages": CHAT[:1]},
            "response": {"body": {"choices": [answer]}},
        },
    ],
)
def test_a_recorded_response_ends_the_conversation(
    write: Write, wrap: Callable[[object], object]
) -> None:
    transcript = load(write(wrap({"index": 0, "message": CHAT[1]})))
    assert [turn.content for turn in transcript.turns] == ["hi", "hello"]


def test_several_choices_are_several_conversations(write: Write) -> None:
    choices = [{"message": {"role": "assistant", "content": text}} for text in ("yes", "no")]
    file = write({"id": "q", "messages": CHAT[:1], "response": {"choices": choices}})
    assert [(t.id, t.turns[1].content) for t in load_all(file)] == [("q/0", "yes"), ("q/1", "no")]


def test_parallel_calls_link_by_id_whatever_their_order(write: Write) -> None:
    both = calling(call("c1", "find"), call("c2", "count", '{"n": 2}'), content="Looking.")
    transcript = load(write([user(), both, result("c2"), result("c1")]))
    calls = transcript.turns[1].calls
    assert calls == (ToolCall("find", "{}", "c1"), ToolCall("count", '{"n": 2}', "c2"))
    assert transcript.turns[1].text == 'Looking.\nfind({})\ncount({"n": 2})'
    spans = [transcript.call_sites[index].span.of(transcript.turns[1].text) for index in (2, 3)]
    assert spans == ['count({"n": 2})', "find({})"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"a":  1', '{"a":  1'),  # what the model wrote, though it is not JSON
        ({"city": "Kraków"}, '{"city": "Kraków"}'),
        ("", ""),
        (None, ""),
        ([1, 2.5], "[1, 2.5]"),
    ],
)
def test_arguments_are_kept_as_they_were_written(
    write: Write, arguments: object, text: str
) -> None:
    transcript = load(write([user(), calling(call(arguments=arguments))]))
    assert transcript.turns[1].calls[0].arguments == text


def test_custom_tools_and_bare_calls(write: Write) -> None:
    custom: dict[str, object] = {"id": "c1", "custom": {"name": "shell", "input": "ls"}}
    bare: dict[str, object] = {"id": "c2", "name": "find", "arguments": {"n": 1}}
    transcript = load(write([user(), calling(custom, bare)]))
    assert transcript.turns[1].text == 'shell(ls)\nfind({"n": 1})'


def test_null_tool_calls_mean_none(write: Write) -> None:
    message = {"role": "assistant", "content": "x", "tool_calls": None, "function_call": None}
    assert load(write([message])).turns[0].calls == ()


def test_legacy_function_calls(write: Write) -> None:
    asked = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "find", "arguments": '{"n": 1}'},
    }
    transcript = load(write([user(), asked, {"role": "function", "name": "find", "content": "3"}]))
    assert transcript.turns[2].role is Role.TOOL
    assert transcript.call_sites[2].turn == 1


def test_a_call_written_in_both_dialects_is_one_call(write: Write) -> None:
    asked = {**calling(call()), "function_call": {"name": "find", "arguments": "{}"}}
    assert len(load(write([user(), asked])).turns[1].calls) == 1


def test_a_developer_is_a_system_turn_and_names_are_kept(write: Write) -> None:
    transcript = load(
        write([{"role": "developer", "content": "be kind"}, {**user(), "name": "Ada"}])
    )
    assert transcript.turns == (
        Turn(0, Role.SYSTEM, "be kind"),
        Turn(1, Role.USER, "hi", name="Ada"),
    )


def test_parts_that_are_not_text_stay_visible(write: Write) -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:,"}},
        {"type": "input_audio", "input_audio": {}},
        {"type": "file", "file": {}},
        {"type": "hologram"},
        "and this?",
    ]
    text = load(write([user(parts)])).turns[0].text
    assert text == "What is this?\n[image]\n[audio]\n[file]\n[hologram]\nand this?"


def test_refusals_and_spoken_audio_are_what_was_said(write: Write) -> None:
    part = {"role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]}
    field = {"role": "assistant", "content": None, "refusal": "I cannot."}
    audio = {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Hello."}}
    turns = load(write([part, field, audio])).turns
    assert [turn.text for turn in turns] == ["I will not.", "I cannot.", "Hello."]


def test_reasoning_is_no_part_of_the_text(write: Write) -> None:
    message = {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes."}],
        "reasoning_content": "hm",
    }
    assert load(write([message])).turns[0].text == "Yes."


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (result(content="", error="no such order"), "no such order"),
        (result(content="stopped", error="timeout"), "stopped\ntimeout"),
        (result(content="failed: timeout", error="timeout"), "failed: timeout"),
        (result(content=None, error={"code": 404}), '{"code": 404}'),
        (result(content="fine", error=False), "fine"),
        (result(content={"total": 5}), '{"total": 5}'),
    ],
)
def test_a_failed_call_tells_its_error(write: Write, message: object, text: str) -> None:
    assert load(write([user(), calling(call()), message])).turns[2].text == text


def test_a_call_id_may_come_back_once_it_was_answered(write: Write) -> None:
    twice = [user(), calling(call()), result(), calling(call()), result()]
    assert [site.turn for site in load(write(twice)).call_sites.values()] == [1, 3]


def test_an_assistant_turn_without_text_is_still_a_turn(write: Write) -> None:
    turns = load(write([user(), {"role": "assistant"}, user("still there?")])).turns
    assert [turn.text for turn in turns] == ["hi", "", "still there?"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "chat.json: the conversation has no messages"),
        ({"messages": []}, "chat.json: the conversation has no messages"),
        ({"messages": None}, "chat.json: 'messages' should be a list but is null"),
        ([user(), "hi"], "chat.json, message 1: a message should be an object but is a string"),
        (
            [user(), {"role": "robot", "content": "x"}],
            "chat.json, message 1: unknown role 'robot'; the roles are system, developer, user, "
            "assistant, tool, function",
        ),
        ([user(), {"role": 3}], "message 1: unknown role a number"),
        (
            [user(), {"content": "x"}],
            "message 1: the message has no 'role'; it is an object with the key 'content'",
        ),
        (
            [user(7)],
            "message 0: content should be a string, a list of parts or null but is a number",
        ),
        ([user([7])], "message 0, content part 0: a content part should be an object but is a num"),
        ([user([{}])], "content part 0: a content part needs a 'type'; this is an empty object"),
        ([user([{"type": "text", "text": 1}])], "'text' should be a string but is a number"),
        ([{**user(), "name": 1}], "message 0: 'name' should be a string but is a number"),
        ([{**user(), "tool_calls": {}}], "'tool_calls' should be a list but is an empty object"),
        ([calling({"id": "c"})], "message 0, tool call 0: the tool call has no 'name'"),
        ([{"role": "assistant", "function_call": 1}], "message 0, function call: a tool call shou"),
        (
            [user(), result()],
            "chat.json (chat): turn 1 answers tool call 'c1', which no earlier turn made",
        ),
        (
            [user(), result(None)],
            "chat.json (chat): turn 1 is a tool result, but no earlier turn called a tool",
        ),
        (
            [user(), calling(call()), calling(call())],
            "turn 2 reuses tool call id 'c1' of turn 1 before that call was answered",
        ),
        ([user(), calling(call(), call())], "turn 1 reuses tool call id 'c1'"),
        ({"messages": CHAT, "id": []}, "'id' should be a string but is an empty list"),
        ({"messages": CHAT, "response": {}}, "the response needs 'choices'"),
        ({"messages": CHAT, "response": {"choices": [{"delta": 1}]}}, "choice 0 has no 'message'"),
        ([CHAT, 3], "entry 1: a conversation should be an object but is a number"),
    ],
)
def test_faults_are_told_with_their_place(write: Write, value: object, message: str) -> None:
    file = write(value)
    assert detect(file) == "openai"
    with pytest.raises(FormatError) as caught:
        list(load_all(file))
    assert message in str(caught.value)


def test_a_fault_in_a_line_names_the_line(write: Write) -> None:
    file = write(json.dumps({"messages": CHAT}) + "\n" + json.dumps({"messages": [user(), 3]}))
    with pytest.raises(FormatError, match=r"chat\.json, line 2, message 1: a message should be"):
        list(load_all(file))
