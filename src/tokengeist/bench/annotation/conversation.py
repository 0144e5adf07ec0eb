"""Both phases for one conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tokengeist.bench.annotation.asking import Asker, Attempt, Task
from tokengeist.bench.annotation.endpoint import UnavailableError
from tokengeist.bench.annotation.graphs import Graph, graph_prompt, read_graph
from tokengeist.bench.annotation.prompts import Prompts
from tokengeist.bench.annotation.schemas import GRAPH, TARGETS
from tokengeist.bench.annotation.targets import Choice, Choices, read_choices, targets_prompt
from tokengeist.bench.gold import GoldTarget
from tokengeist.transcript import Transcript

TARGETS_TASK = "targets"


@dataclass(frozen=True, slots=True)
class SetAside:
    """Something that came to nothing: a chosen span, or the choosing itself."""

    task: str
    """The journal's name of the task that failed."""
    target: Any
    """The span as far as it is known; None where no spans could be chosen."""
    reasons: tuple[str, ...]
    attempts: tuple[dict[str, Any], ...] = ()
    last_answer: str = ""
    is_unfinished: bool = False
    """The server failed, not the model: the next run tries again."""

    def to_json(self) -> dict[str, Any]:
        """As a set-aside file writes it."""
        return {
            "task": self.task,
            "target": self.target,
            "reasons": list(self.reasons),
            "is_unfinished": self.is_unfinished,
            "attempts": list(self.attempts),
            "last_answer": self.last_answer,
        }


@dataclass(frozen=True, slots=True)
class Annotated:
    """What became of a conversation."""

    targets: tuple[GoldTarget, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    escalated: int = 0
    """Targets that only the better model got right."""

    @property
    def is_finished(self) -> bool:
        """Whether another run could add nothing by itself."""
        return not any(fault.is_unfinished for fault in self.set_aside)


def graph_task(name: str) -> str:
    """The journal's name of the task to trace a target."""
    return f"graph {name}"


async def annotate_conversation(
    transcript: Transcript, asker: Asker, prompts: Prompts, kept: Sequence[GoldTarget] = ()
) -> Annotated:
    """Choose spans, trace each, and keep what obeys the protocol.

    Targets of `kept` stay as they are and are not asked for again.
    """
    task = Task(
        transcript.id,
        TARGETS_TASK,
        targets_prompt(transcript, prompts),
        TARGETS,
        partial(read_choices, transcript=transcript),
    )
    try:
        attempts = await asker.ask(task)
    except UnavailableError as error:
        fault = SetAside(TARGETS_TASK, None, (str(error),), is_unfinished=True)
        return Annotated(tuple(kept), (fault,))
    choices = _best(attempts)
    if not choices.good:
        return Annotated(tuple(kept), (_failed(TARGETS_TASK, None, attempts),))
    names = {target.name for target in kept}
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_trace(choice, transcript, asker, prompts))
            for choice in choices.good
            if choice.name not in names
        ]
    outcomes = [task.result() for task in tasks]
    refused = [SetAside(TARGETS_TASK, r.raw, (r.reason,)) for r in choices.refused]
    return Annotated(
        (*kept, *(o.target for o in outcomes if o.target is not None)),
        (*refused, *(o.fault for o in outcomes if o.fault is not None)),
        sum(outcome.was_escalated for outcome in outcomes),
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    target: GoldTarget | None = None
    fault: SetAside | None = None
    was_escalated: bool = False


async def _trace(
    choice: Choice, transcript: Transcript, asker: Asker, prompts: Prompts
) -> _Outcome:
    name = graph_task(choice.name)
    task = Task(
        transcript.id,
        name,
        graph_prompt(choice, transcript, prompts),
        GRAPH,
        partial(read_graph, choice=choice, transcript=transcript),
    )
    try:
        attempts = await asker.ask(task)
    except UnavailableError as error:
        fault = SetAside(name, choice.to_json(), (str(error),), is_unfinished=True)
        return _Outcome(fault=fault)
    last = attempts[-1].checked
    if last is None or last.target is None:
        return _Outcome(fault=_failed(name, choice.to_json(), attempts))
    return _Outcome(last.target, was_escalated=attempts[-1].model != attempts[0].model)


def _best(attempts: Sequence[Attempt[Choices]]) -> Choices:
    """The answer with most usable spans; of equals, the later one, which heard more complaints."""
    found = [attempt.checked for attempt in attempts if attempt.checked is not None]
    return max(reversed(found), key=lambda c: len(c.good), default=Choices())


def _failed(
    task: str, target: Any, attempts: Sequence[Attempt[Choices]] | Sequence[Attempt[Graph]]
) -> SetAside:
    last = attempts[-1]
    record = tuple(attempt.to_json() for attempt in attempts)
    return SetAside(task, target, last.complaints, record, last.answer)
