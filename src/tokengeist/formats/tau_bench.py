"""tau-bench result files: a list of runs, each with its chat messages in `traj`.

A run is one trial of one task, and its id is `TASK-TRIAL`, for instance `5-0`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tokengeist.formats import openai_chat
from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_list, as_object, describe, optional_id


def recognises(document: Document) -> bool:
    """Whether the first run, in a list or on a line, has a `traj`."""
    first = document.records[0].value
    if isinstance(first, list) and first:
        first = first[0]
    return isinstance(first, dict) and "traj" in first


def conversations(document: Document) -> Iterator[Conversation]:
    """Every run of the file."""
    for record in document.records:
        if isinstance(record.value, list):
            for number, run in enumerate(record.value):
                yield _run(run, number, record.place.inside(f"run {number}"))
        else:
            yield _run(record.value, (record.line or 1) - 1, record.place)


def _run(value: object, number: int, place: Place) -> Conversation:
    run = as_object(value, place, "a run")
    if "traj" not in run:
        raise place.error(f"the run has no 'traj'; it is {describe(run)}")
    messages = as_list(run["traj"], place, "'traj'")
    task = optional_id(run.get("task_id"), place, "'task_id'") or f"run{number}"
    trial = optional_id(run.get("trial"), place, "'trial'")
    return Conversation(
        task if trial is None else f"{task}-{trial}",
        place,
        lambda: openai_chat.turns(messages, place),
    )
