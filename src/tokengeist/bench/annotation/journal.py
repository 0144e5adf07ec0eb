"""Every finished call, on disk before anything is made of it.

Answers cost money and hours. Each one is appended to `calls.jsonl` and flushed to the disk as soon
as it is there, under a digest of exactly what was asked. A run that starts again goes through the
same motions and finds its answers here, so nothing that was finished is ever asked twice, wherever
the run was stopped. A line that a crash tore in half is dropped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tokengeist.bench.annotation.settings import Price
from tokengeist.bench.annotation.wire import Answer, Message, Usage
from tokengeist.bench.files import append_durably, lock_file
from tokengeist.errors import RunError


@dataclass(frozen=True, slots=True)
class Question:
    """One call to be made: for which conversation and task, which try, to whom, and what."""

    conversation: str
    task: str
    """`targets`, or `graph NAME`."""
    number: int
    """Counts the tries of a task with one model, from 0: the same words may be said twice."""
    model: str
    messages: tuple[Message, ...]
    options: tuple[tuple[str, Any], ...] = ()
    """What else shapes an answer: temperature, most tokens."""

    @property
    def key(self) -> str:
        """A digest of the question; equal questions have equal answers."""
        parts = [self.conversation, self.task, self.number, self.model, list(self.options)]
        text = json.dumps([*parts, [dict(m) for m in self.messages]], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Call:
    """Who was asked, and what it cost then: a folder may be gone on with by another model."""

    server: str
    model: str
    options: tuple[tuple[str, Any], ...]
    usage: Usage
    price: Price

    @property
    def cost(self) -> float:
        """By the price of its day."""
        return (self.usage.read * self.price.read + self.usage.written * self.price.written) / 1e6


class Journal:
    """The calls of one annotated folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "calls.jsonl"
        self._answers: dict[str, Answer] = {}
        self.calls: list[Call] = []
        self._finished: set[str] = set()
        self._known: set[str] = set()
        self._reopened: set[str] = set()
        self._tasks: dict[tuple[str, str], list[str]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = self.path.open("a+b", buffering=0)
        except OSError as error:
            raise RunError(f"cannot write {self.path}: {error.strerror or error}") from error
        try:
            lock_file(self._file, folder)
            self._read()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Let others write."""
        self._file.close()

    def answer_to(self, question: Question) -> Answer | None:
        """The answer to a question that was asked before."""
        return self._answers.get(question.key)

    def keep(self, question: Question, answer: Answer, server: str, price: Price) -> None:
        """Write down an answer, who gave it and for how much, and see it onto the disk."""
        line = {
            "key": question.key,
            "conversation": question.conversation,
            "task": question.task,
            "number": question.number,
            "server": server,
            "model": question.model,
            "options": dict(question.options),
            "price": [price.read, price.written],
            "finish": answer.finish,
            "usage": [answer.usage.read, answer.usage.written, answer.usage.unknown],
            "answer": answer.text,
        }
        self._append(line)
        self._take(line)

    def finish(self, conversation: str) -> None:
        """Note that nothing is left to do for a conversation and its files are written."""
        self._append({"finished": conversation})
        self._finished.add(conversation)

    def reopen(self, conversation: str, tasks: Sequence[str]) -> None:
        """Forget the answers to some tasks of a conversation, so that they are asked again."""
        line = {"reopened": conversation, "tasks": list(tasks)}
        self._append(line)
        self._take(line)

    def is_finished(self, conversation: str) -> bool:
        """Whether nothing is left to do for it."""
        return conversation in self._finished

    def is_reopened(self, conversation: str) -> bool:
        """Whether it was finished once, so that its gold file is to be added to, not replaced."""
        return conversation in self._reopened

    def knows(self, conversation: str) -> bool:
        """Whether any call was ever made for it."""
        return conversation in self._known

    def askers(self) -> list[dict[str, Any]]:
        """Whoever was asked, with how many calls and at what cost, in order."""
        found: dict[tuple[str, str, str], list[Call]] = {}
        for call in self.calls:
            found.setdefault((call.server, call.model, repr(call.options)), []).append(call)
        return [
            {
                "server": calls[0].server,
                "model": calls[0].model,
                **dict(calls[0].options),
                "calls": len(calls),
                "cost": sum(call.cost for call in calls),
            }
            for calls in found.values()
        ]

    def _read(self) -> None:
        self._file.seek(0)
        lines = self._file.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            lines.pop()
            self._file.truncate(sum(map(len, lines)))
        for line in lines:
            # A line that cannot be read costs one repeated call, which is better than no run.
            with suppress(ValueError, KeyError, TypeError):
                self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        if "finished" in line:
            self._finished.add(line["finished"])
        elif "reopened" in line:
            self._finished.discard(line["reopened"])
            self._reopened.add(line["reopened"])
            for task in line["tasks"]:
                for key in self._tasks.pop((line["reopened"], task), ()):
                    self._answers.pop(key, None)
        else:
            usage = Usage(*line["usage"])
            self._answers[line["key"]] = Answer(line["answer"], line["finish"], usage)
            options, price = tuple(line["options"].items()), Price(*line["price"])
            self.calls.append(Call(line["server"], line["model"], options, usage, price))
            self._known.add(line["conversation"])
            self._tasks.setdefault((line["conversation"], line["task"]), []).append(line["key"])

    def _append(self, line: dict[str, Any]) -> None:
        append_durably(self._file, json.dumps(line).encode() + b"\n", self.path)
