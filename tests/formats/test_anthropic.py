"""Anthropic Messages: results inside user messages, calls and results inside assistant ones."""

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


def text(said: str, **more: object) -> dict[str, object]:
    return {"type": "text", "text": said, **more}


def use(id: str, name: str = "count", **more: object) -> dict[str, object]:
    return {"type": "tool_use", "id": id, "name": name, "input": {"of": "Äpfel"}, **more}


def answer(id: str, content: object, **more: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


ASKED = {"role": "user", "content": "How many?"}
CALLED = {
    "role": "assistant",
    "content": [{"type": "thinking", "thinking": "hm"}, text("Let me see."), use("a"), use("b")],
}
ANSWERED = {
    "role": "user",
    "content": [
        answer("b", [text("5")]),
        answer("a", "no such fruit", is_error=True),
        text("Be quick!"),
    ],
}


def test_a_user_message_with_results_is_several_turns(write: Write, outline: Outline) -> None:
    file = write({"system": "Be kind.", "messages": [ASKED, CALLED, ANSWERED]})
    assert detect(file) == "anthropic"
    transcript = load(file)
    assert outline(transcript) == [
        ("system", "Be kind."),
        ("user", "How many?"),
        ("assistant", 'Let me see.\ncount({"of": "Äpfel"})\ncount({"of": "Äpfel"})'),
        ("tool", "5"),
        ("tool", "no such fruit"),
        ("user", "Be quick!"),
    ]
    called = transcript.turns[2]
    assert transcript.call_sites[3].span == called.call_spans[1]
    assert transcript.call_sites[4].span == called.call_spans[0]


def test_a_bare_list_is_known_by_its_blocks(write: Write) -> None:
    file = write([ASKED, CALLED, ANSWERED])
    assert detect(file) == "anthropic"
    assert len(load(file).turns) == 5


def test_a_later_line_decides_too(write: Write) -> None:
    lines = [{"messages": [ASKED]}, {"id": "x", "messages": [ASKED, CALLED, ANSWERED]}]
    file = write("\n".join(map(json.dumps, lines)))
    assert detect(file) == "anthropic"
    assert list_conversations(file) == ("line-1", "x")


def test_a_recorded_response_ends_the_conversation(write: Write, outline: Outline) -> None:
    file = write({"request": {"messages": [ASKED]}, "response": {**CALLED, "id": "msg_1"}})
    assert [role for role, _ in outline(load(file))] == ["user", "assistant"]


def test_a_server_tool_leaves_call_and_result_in_one_message(
    write: Write, outline: Outline
) -> None:
    blocks = [
        text("I search."),
        use("s", "web_search", type="server_tool_use"),
        answer("s", [{"title": "Fruit"}], type="web_search_tool_result"),
        text("There are "),
        text("five", citations=[{"title": "Fruit"}]),
        text("."),
    ]
    transcript = load(write([ASKED, {"role": "assistant", "content": blocks}]))
    assert outline(transcript)[1:] == [
        ("assistant", 'I search.\nweb_search({"of": "Äpfel"})'),
        ("tool", '[{"title": "Fruit"}]'),
        ("assistant", "There are five."),
    ]
    assert transcript.call_sites[2].turn == 1


def test_text_never_moves_before_the_call_that_it_follows(write: Write, outline: Outline) -> None:
    message = {"role": "assistant", "content": [use("a"), text("and"), use("b")]}
    assert [said for _, said in outline(load(write([ASKED, message])))][1:] == [
        'count({"of": "Äpfel"})',
        'and\ncount({"of": "Äpfel"})',
    ]


def test_documents_and_images_of_users_and_tools(write: Write, outline: Outline) -> None:
    citable = {"citations": {"enabled": True}}
    blocks = [
        {"type": "document", "source": {"type": "text", "data": "The whole text."}, **citable},
        {"type": "document", "source": {"type": "base64", "data": "…"}},
        {"type": "search_result", "content": [text("A passage.")], **citable},
        {"type": "image", "source": {}},
        "What is it?",
    ]
    messages = [
        {"role": "user", "content": blocks},
        {"role": "assistant", "content": [use("a")]},
        {"role": "user", "content": [answer("a", blocks)]},
    ]
    file = write({"system": [text("Look.")], "messages": messages})
    shown = "The whole text.\n[document]\nA passage.\n[image]\nWhat is it?"
    assert outline(load(file)) == [
        ("system", "Look."),
        ("user", shown),
        ("assistant", 'count({"of": "Äpfel"})'),
        ("tool", shown),
    ]


def test_an_empty_message_is_still_a_turn(write: Write, outline: Outline) -> None:
    file = write({"system": "", "messages": [ASKED, {"role": "assistant", "content": []}]})
    assert outline(load(file)) == [("user", "How many?"), ("assistant", "")]


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([], "chat.json: the conversation has no messages"),
        ([{"role": "tool"}], "message 0: unknown role 'tool'; the roles are system, user, assist"),
        ([ASKED, ANSWERED], "turn 1 answers tool call 'b', which no earlier turn made"),
        ([{"role": "user", "content": [3]}], "message 0, block 0: a content block should be an"),
        ([{"role": "user", "content": 3}], "message 0: content should be a string, a list of pa"),
        (
            [{"role": "assistant", "content": [{"type": "tool_use"}]}],
            "message 0, block 0: the called tool's 'name' should be a string but is null",
        ),
    ],
)
def test_faults_are_told_with_their_place(write: Write, messages: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write({"system": "", "messages": messages}))
    assert message in str(caught.value)


def test_forced_to_be_chat_messages_the_remedy_is_told(write: Write) -> None:
    with pytest.raises(FormatError, match=r"'tool_use' block .* use --format anthropic"):
        load(write([ASKED, CALLED]), format="openai")
