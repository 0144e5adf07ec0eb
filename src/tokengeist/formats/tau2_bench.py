"""tau2-bench results: simulations in which the user, too, may call tools.

The result of a user's call belongs to the user's turn; ids see to that. The policy that the agent
was given is recorded beside the messages, not among them, and becomes the first turn: without it
nothing that the agent took from its policy could be traced there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats import openai_chat
from tokengeist.formats.conversation import Conversation, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_list, as_object, describe, optional_id, optional_text
from tokengeist.transcript import Role, Turn


def recognises(document: Document) -> bool:
    """Whether the file is a results file, or one simulation of a run stored as a directory."""
    first = document.records[0].value
    if not isinstance(first, dict):
        return False
    return "simulations" in first or {"task_id", "trial", "messages"} <= first.keys()


def conversations(document: Document) -> Iterator[Conversation]:
    """Every simulation, named `TASK-TRIAL`."""
    for record in document.records:
        value = as_object(record.value, record.place, "a results file")
        if "simulations" not in value:
            yield _simulation(value, document.name, record.place)
            continue
        found = as_list(value["simulations"], record.place, "'simulations'")
        for number, simulation in enumerate(found):
            place = record.place.inside(f"simulation {number}")
            yield _simulation(simulation, f"{document.name}-{number}", place)


def _simulation(value: object, name: str, place: Place) -> Conversation:
    run = as_object(value, place, "a simulation")
    if run.get("messages") is None:
        raise place.error(f"the simulation has no 'messages'; it is {describe(run)}")
    messages = as_list(run["messages"], place, "'messages'")
    task = optional_id(run.get("task_id"), place, "'task_id'") or name
    trial = optional_id(run.get("trial"), place, "'trial'")
    policy = optional_text(run.get("policy"), place, "'policy'")
    return Conversation(
        task if trial is None else f"{task}-{trial}",
        place,
        lambda: numbered(_turns(policy, messages, place)),
    )


def _turns(policy: str | None, messages: Sequence[object], place: Place) -> Iterator[Turn]:
    if not messages:
        raise place.error("the conversation has no messages")
    is_told = isinstance(messages[0], dict) and messages[0].get("role") == "system"
    if policy and not is_told:
        yield Turn(0, Role.SYSTEM, policy)
    for number, value in enumerate(messages):
        inside = place.inside(f"message {number}")
        message = as_object(value, inside, "a message")
        if message.get("tool_messages") is None:
            yield openai_chat.turn(0, _as_chat(message), inside)
            continue
        for part in as_list(message["tool_messages"], inside, "'tool_messages'"):
            yield openai_chat.turn(0, _as_chat(as_object(part, inside, "a tool message")), inside)


def _as_chat(message: Mapping[str, object]) -> Mapping[str, object]:
    """The message in chat dress: a result's own id is the id of the call that it answers."""
    return {**message, "tool_call_id": message.get("id")}
