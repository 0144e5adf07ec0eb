"""Claude Code sessions: a log of lines that form a tree, read as the conversation it ended as.

Going back in a session and trying again leaves both branches in the file; the conversation is the
branch of the last line. One answer of the model is written as several lines, one per block, with
one message id: they are put together again. Results of parallel calls hang on different lines of
that answer, so they are kept by the call that they answer, not only by the branch they are on.

What the harness wrote in the user's name is a user turn by `harness`, and the summary that a
compaction leaves is marked as one. Sub-agents in the same file are conversations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tokengeist.formats.anthropic import message_turns
from tokengeist.formats.conversation import Conversation, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_object, optional_text
from tokengeist.transcript import Role, Turn

_SPOKEN = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the log that stands in the tree."""

    uuid: str
    parent: str | None
    value: Mapping[str, object]
    place: Place

    @property
    def is_spoken(self) -> bool:
        return self.value.get("type") in _SPOKEN

    @property
    def is_sidechain(self) -> bool:
        return self.value.get("isSidechain") is True

    @property
    def message(self) -> Mapping[str, object]:
        return as_object(self.value.get("message"), self.place, "'message'")

    @property
    def message_id(self) -> str | None:
        """The id of the answer that the line is a block of."""
        if self.value.get("type") != "assistant":
            return None
        return optional_text(self.message.get("id"), self.place, "the message's 'id'")

    def block_ids(self, key: str) -> set[object]:
        """The ids under `key` of the message's blocks."""
        content = self.message.get("content")
        blocks = content if isinstance(content, list) else []
        found = {block.get(key) for block in blocks if isinstance(block, dict)}
        return {id for id in found if isinstance(id, str)}


def recognises(document: Document) -> bool:
    """Whether a line holds a message and its place in the tree."""
    return any(
        isinstance(record.value, dict)
        and record.value.get("type") in _SPOKEN
        and {"uuid", "message"} <= record.value.keys()
        for record in document.records
    )


def conversations(document: Document) -> Iterator[Conversation]:
    """The session, then the sub-agents that are logged in the same file."""
    lines = {line.uuid: line for line in _lines(document)}
    threads: dict[str, list[_Line]] = {}
    session = document.name
    for line in lines.values():
        if line.is_spoken:
            session = (
                optional_text(line.value.get("sessionId"), line.place, "'sessionId'") or session
            )
            threads.setdefault(_thread(line, lines), []).append(line)
    for thread in sorted(threads, key=bool):  # the session itself has no name
        yield _conversation(
            f"{session}/{thread}" if thread else session, threads[thread], lines, document.place
        )


def _lines(document: Document) -> Iterator[_Line]:
    for record in document.records:
        value = as_object(record.value, record.place, "a line")
        uuid = optional_text(value.get("uuid"), record.place, "'uuid'")
        if uuid is None:
            continue  # titles, file snapshots and other notes about the session
        # After a compaction, only the logical parent says what had been said before.
        parent = value.get("parentUuid") or value.get("logicalParentUuid")
        yield _Line(uuid, optional_text(parent, record.place, "'parentUuid'"), value, record.place)


def _thread(line: _Line, lines: Mapping[str, _Line]) -> str:
    """The name of a sub-agent's thread: its agent's id, or the first line of its branch."""
    if not line.is_sidechain:
        return ""
    agent = optional_text(line.value.get("agentId"), line.place, "'agentId'")
    return agent or [up.uuid for up in _upwards(line, lines) if up.is_sidechain][-1]


def _upwards(line: _Line, lines: Mapping[str, _Line]) -> Iterator[_Line]:
    """The line and all before it on its branch, latest first."""
    seen: set[str] = set()
    following: _Line | None = line
    while following is not None and following.uuid not in seen:
        seen.add(following.uuid)
        yield following
        following = lines.get(following.parent) if following.parent else None


def _conversation(
    id: str, thread: Sequence[_Line], lines: Mapping[str, _Line], place: Place
) -> Conversation:
    return Conversation(id, place, lambda: numbered(_turns(_branch(thread, lines))))


def _branch(thread: Sequence[_Line], lines: Mapping[str, _Line]) -> list[_Line]:
    """The lines of the branch that the thread ended on, in the order of the file."""
    upwards = list(_upwards(thread[-1], lines))
    first = upwards[-1]
    if first.parent and first.parent not in lines and first.uuid != thread[0].uuid:
        raise first.place.error(
            f"the line follows '{first.parent}', which is not in the file, so that nobody can say "
            "which of the earlier lines belong to it; restore that line or remove those before"
        )
    kept = {line.uuid for line in upwards}
    answers = {line.message_id for line in thread if line.uuid in kept} - {None}
    called: set[object] = set()
    for line in thread:
        if line.uuid in kept or line.message_id in answers:
            called |= line.block_ids("id")
    return [
        line
        for line in thread
        if line.uuid in kept
        or line.message_id in answers
        or (line.value.get("type") == "user" and line.block_ids("tool_use_id") & called)
    ]


def _turns(lines: Sequence[_Line]) -> Iterator[Turn]:
    """The turns; an answer stands where its first line does, because it was given at once."""
    answers: dict[str, list[object]] = {}
    for line in lines:
        if line.message_id is not None:
            content = line.message.get("content")
            blocks = content if isinstance(content, list) else [content]
            answers.setdefault(line.message_id, []).extend(blocks)
    for line in lines:
        if line.message_id is None:
            yield from _user_turns(line)
        elif line.message_id in answers:
            content = answers.pop(line.message_id)
            yield from message_turns({**line.message, "content": content}, line.place)


def _user_turns(line: _Line) -> Iterator[Turn]:
    for turn in message_turns(line.message, line.place):
        if turn.role is not Role.USER:
            yield turn
        elif line.value.get("isCompactSummary") is True:
            yield replace(turn, is_summary=True)
        else:
            yield replace(turn, name="harness" if line.value.get("isMeta") is True else None)
