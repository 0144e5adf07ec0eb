"""What reviewers said, one file each: `review/NAME.jsonl`, to which lines are only ever added.

An undo is a line as well, so the file tells everything that happened, and no crash can spoil what
stands there. Reviewers never write to each other's files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from tokengeist.bench.files import append_durably
from tokengeist.errors import RunError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
LONGEST_NOTE = 4000


class Judgement(StrEnum):
    """The paper's three levels, best first."""

    CORRECT = "correct"
    MINOR = "minor"
    WRONG = "wrong"

    @property
    def is_accepted(self) -> bool:
        """Whether the graph is not fundamentally wrong."""
        return self is not Judgement.WRONG


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a reviewer did and has not taken back."""

    kind: str
    """`judge` or `edit`."""
    conversation: str
    target: str
    judgement: Judgement | None = None
    note: str = ""
    digest: str = ""
    """Of the graph that was judged, or that an edit left behind."""
    seen: str = ""
    """For an edit: the digest of the graph that was edited."""
    after: dict[str, Any] | None = None
    """For an edit: the reviewer's copy of the target, as a gold file has it."""
    before: dict[str, Any] | None = None
    """For an edit that changed the gold file: the target as the file had it."""
    replaced: str = ""
    """For an edit that changed the gold file: the digest of what it had."""
    at: str = ""

    @property
    def item(self) -> tuple[str, str]:
        """What it was done to."""
        return self.conversation, self.target


@dataclass(frozen=True, slots=True)
class Edited:
    """An edit that was made."""

    seen: str
    """The digest of the graph that the editor had before them."""
    digest: str
    after: dict[str, Any]
    before: dict[str, Any] | None = None
    """What it replaced in the gold file; None if somebody else's graph stands there and stays."""
    replaced: str = ""
    """The digest of that."""


class Reviewer:
    """One reviewer's file."""

    def __init__(self, folder: Path, name: str) -> None:
        if not NAME.fullmatch(name):
            raise RunError(
                f"'{name}' is no name for a reviewer; use up to 40 letters, digits, dots, dashes "
                "and underscores"
            )
        self.name = name
        self.path = folder / f"{name}.jsonl"

    def actions(self) -> list[Action]:
        """Everything that was done and not undone, in order."""
        done: list[Action] = []
        for line in _lines(self.path):
            if line.get("kind") == "undo":
                if done:
                    done.pop()
            else:
                done.append(_action(line, self.path))
        return done

    def judge(self, item: tuple[str, str], judgement: Judgement, *, note: str, digest: str) -> None:
        """Say what is thought of a graph."""
        self._append(
            kind="judge",
            conversation=item[0],
            target=item[1],
            judgement=judgement.value,
            note=note[:LONGEST_NOTE],
            digest=digest,
        )

    def edited(self, item: tuple[str, str], edited: Edited) -> None:
        """Keep a copy of a graph that was changed, and what it replaced."""
        self._append(kind="edit", conversation=item[0], target=item[1], **asdict(edited))

    def undo(self) -> None:
        """Take the last action back."""
        self._append(kind="undo")

    def _append(self, **line: Any) -> None:
        line["at"] = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:
                # The line break in front closes a line that a crash may have left open.
                append_durably(file, b"\n" + json.dumps(line).encode() + b"\n", self.path)
        except OSError as error:
            raise RunError(f"cannot write {self.path}: {error.strerror or error}") from error


def reviewers(folder: Path) -> list[Reviewer]:
    """Everybody who has reviewed anything, by name."""
    names = sorted(path.stem for path in folder.glob("*.jsonl"))
    return [Reviewer(folder, name) for name in names if NAME.fullmatch(name)]


def judged(actions: list[Action]) -> dict[tuple[str, str], list[Action]]:
    """The judgements of each item, first to last."""
    found: dict[tuple[str, str], list[Action]] = {}
    for action in actions:
        if action.judgement is not None:
            found.setdefault(action.item, []).append(action)
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    for line in data.splitlines():
        # What is no JSON was torn by a crash, before anybody was told that it was saved.
        with suppress(ValueError):
            yield json.loads(line)


def _action(line: dict[str, Any], path: Path) -> Action:
    try:
        judgement = line.get("judgement")
        return Action(
            kind=line["kind"],
            conversation=line["conversation"],
            target=line["target"],
            judgement=Judgement(judgement) if judgement is not None else None,
            note=line.get("note", ""),
            digest=line["digest"],
            seen=line.get("seen", ""),
            after=line.get("after"),
            before=line.get("before"),
            replaced=line.get("replaced", ""),
            at=line["at"],
        )
    except (KeyError, ValueError) as error:
        raise RunError(f"{path} holds a line that is no review: {error!r}") from error
