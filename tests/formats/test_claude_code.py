"""Claude Code sessions: a tree of lines, read as one conversation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.growth import growth
from tokengeist.errors import FormatError
from tokengeist.formats import detect, list_conversations, load
from tokengeist.transcript import Transcript

Outline = Callable[[Transcript], list[tuple[str, str]]]
Line = dict[str, object]


def user(uuid: str, parent: str | None, content: object, **more: object) -> Line:
    message = {"role": "user", "content": content}
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s",
        "message": message,
        **more,
    }


def block(uuid: str, parent: str, answer: str, content: Line, **more: object) -> Line:
    message = {"id": answer, "role": "assistant", "content": [content]}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **more}


def text(said: str) -> Line:
    return {"type": "text", "text": said}


def use(id: str) -> Line:
    return {"type": "tool_use", "id": id, "name": "ls", "input": {"at": id}}


def result(id: str, content: str) -> list[Line]:
    return [{"type": "tool_result", "tool_use_id": id, "content": content}]


NOTE: Line = {"type": "file-history-snapshot", "messageId": "n"}
SESSION = [
    NOTE,
    user("u1", None, "What is here?"),
    block("a1", "u1", "m1", text("I look.")),
    block("a2", "a1", "m1", use("x")),
    user("r1", "a2", result("x", "one")),
    block("a3", "a2", "m1", use("y")),
    user("r2", "a3", result("y", "two")),
    block("a4", "r2", "m2", text("Two files.")),
]
TURNS = [
    ("user", "What is here?"),
    ("assistant", 'I look.\nls({"at": "x"})\nls({"at": "y"})'),
    ("tool", "one"),
    ("tool", "two"),
    ("assistant", "Two files."),
]


def write(tmp_path: Path, *lines: Line) -> Path:
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file


def test_an_answer_of_several_lines_is_one_turn(tmp_path: Path, outline: Outline) -> None:
    file = write(tmp_path, *SESSION)
    assert detect(file) == "claude-code"
    transcript = load(file)
    assert transcript.id == "s"
    assert outline(transcript) == TURNS
    spans = transcript.turns[1].call_spans
    assert [transcript.call_sites[index].span for index in (2, 3)] == list(spans)


def test_an_abandoned_branch_is_no_part_of_the_conversation(
    tmp_path: Path, outline: Outline
) -> None:
    retried = [user("u2", "a4", "Delete them."), user("u3", "a4", "Keep them.")]
    assert outline(load(write(tmp_path, *SESSION, *retried))) == [*TURNS, ("user", "Keep them.")]


def test_compaction_and_the_harness(tmp_path: Path, outline: Outline) -> None:
    boundary: Line = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "parentUuid": None,
        "logicalParentUuid": "a4",
    }
    later = [
        boundary,
        user("c", "b", "Files were listed.", isCompactSummary=True),
        user("h", "c", "Mind the rules.", isMeta=True),
    ]
    transcript = load(write(tmp_path, *SESSION, *later))
    assert outline(transcript)[:5] == TURNS
    summary, harness = transcript.turns[5:]
    assert (summary.text, summary.is_summary) == ("Files were listed.", True)
    assert (harness.name, harness.is_exogenous) == ("harness", True)


def test_sub_agents_are_conversations_of_their_own(tmp_path: Path, outline: Outline) -> None:
    side = [
        user("t1", None, "Count.", isSidechain=True),
        block("t2", "t1", "m9", text("Two."), isSidechain=True),
        user("t3", None, "Sort.", isSidechain=True, agentId="sorter"),
    ]
    file = write(tmp_path, *side, *SESSION)
    assert list_conversations(file) == ("s", "s/t1", "s/sorter")
    assert outline(load(file, conversation="s")) == TURNS
    assert outline(load(file, conversation="s/t1")) == [("user", "Count."), ("assistant", "Two.")]


def test_a_file_of_one_sub_agent_needs_no_choice(tmp_path: Path) -> None:
    assert load(write(tmp_path, user("t1", None, "Count.", isSidechain=True))).id == "s/t1"


def test_a_session_that_continues_another_file(tmp_path: Path) -> None:
    assert len(load(write(tmp_path, user("u1", "elsewhere", "Go on."))).turns) == 1


def test_work_grows_with_the_session_and_not_with_its_square(tmp_path: Path) -> None:
    def reading(count: int) -> Callable[[], object]:
        lines: list[Line] = []
        for n in range(0, count, 2):
            lines.append(user(f"{n}", f"{n - 1}" if n else None, "more"))
            lines.append(block(f"{n + 1}", f"{n}", f"m{n}", text("done")))
        (tmp_path / f"{count}").mkdir()
        file = write(tmp_path / f"{count}", *lines)
        assert len(load(file).turns) == count
        return lambda: load(file)

    assert growth(reading(1000), reading(5000)) < 12


def test_lines_that_follow_each_other_in_a_circle(tmp_path: Path) -> None:
    lines = [user("u1", "u2", "a"), user("u2", "u1", "b")]
    assert len(load(write(tmp_path, *lines)).turns) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (user("u2", "a4", 3), "session.jsonl, line 9: content should be a string, a list of parts"),
        (user("u2", "a4", result("z", "?")), "turn 5 answers tool call 'z', which no earlier"),
        ({**user("u2", "a4", ""), "message": 3}, "line 9: 'message' should be an object but is a"),
        (user("u2", "lost", "hi"), "line 9: the line follows 'lost', which is not in the file"),
        ({**user("u2", "a4", ""), "uuid": 3}, "line 9: 'uuid' should be a string but is a number"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, line: Line, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(tmp_path, *SESSION, line))
    assert message in str(caught.value)
