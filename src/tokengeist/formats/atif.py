"""ATIF, the agent trajectory interchange format: steps that hold what the agent said and saw.

An agent's step becomes an assistant turn and a turn for every result that it observed. Feedback
that answers no call (an environment complaining about unreadable output, say) came from outside,
and is a user turn by `environment`. Sub-agents' trajectories are conversations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.content import content_text
from tokengeist.formats.conversation import Conversation, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    optional_id,
    optional_text,
    role_named,
    verbatim,
)
from tokengeist.transcript import Role, ToolCall, Turn

SOURCES = {"system": Role.SYSTEM, "user": Role.USER, "agent": Role.ASSISTANT}


def recognises(document: Document) -> bool:
    """Whether the file says so in its `schema_version`."""
    first = document.records[0].value
    return isinstance(first, dict) and str(first.get("schema_version")).startswith("ATIF")


def conversations(document: Document) -> Iterator[Conversation]:
    """The trajectory, then those of its sub-agents."""
    for record in document.records:
        name = document.name if record.line is None else f"line-{record.line}"
        yield from _trajectories(record.value, name, record.place)


def _trajectories(value: object, name: str, place: Place) -> Iterator[Conversation]:
    trajectory = as_object(value, place, "a trajectory")
    steps = as_list(trajectory.get("steps"), place, "'steps'")
    id = (
        optional_id(trajectory.get("trajectory_id"), place, "'trajectory_id'")
        or optional_id(trajectory.get("session_id"), place, "'session_id'")
        or name
    )
    agent = trajectory.get("agent")
    speaker = agent.get("name") if isinstance(agent, dict) else None
    agent_name = optional_text(speaker, place, "the agent's 'name'")
    yield Conversation(id, place, lambda: numbered(_turns(steps, agent_name, place)))
    nested = trajectory.get("subagent_trajectories")
    if nested is not None:
        for number, inner in enumerate(as_list(nested, place, "'subagent_trajectories'")):
            inside = place.inside(f"sub-agent {number}")
            yield from _trajectories(inner, f"{id}-{number}", inside)


def _turns(steps: Sequence[object], agent: str | None, place: Place) -> Iterator[Turn]:
    for number, value in enumerate(steps):
        inside = place.inside(f"step {number}")
        step = as_object(value, inside, "a step")
        role = role_named(step.get("source"), SOURCES, inside, "source")
        calls = _calls(step.get("tool_calls"), inside)
        yield Turn(
            0,
            role,
            content_text(step.get("message"), inside),
            calls=calls,
            name=agent if role is Role.ASSISTANT else None,
        )
        yield from _results(step.get("observation"), bool(calls), inside)


def _calls(value: object, place: Place) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    calls = [
        as_object(call, place, "a tool call") for call in as_list(value, place, "'tool_calls'")
    ]
    return tuple(
        ToolCall(
            as_text(call.get("function_name"), place, "the called tool's 'function_name'"),
            verbatim(call.get("arguments", {})),
            optional_id(call.get("tool_call_id"), place, "'tool_call_id'"),
        )
        for call in calls
    )


def _results(value: object, has_calls: bool, place: Place) -> Iterator[Turn]:
    if value is None:
        return
    observation = as_object(value, place, "'observation'")
    for number, item in enumerate(as_list(observation.get("results", []), place, "'results'")):
        inside = place.inside(f"result {number}")
        result = as_object(item, inside, "a result")
        yield _result(result, has_calls, inside)


def _result(result: Mapping[str, object], has_calls: bool, place: Place) -> Turn:
    text = content_text(result.get("content"), place)
    call_id = optional_id(result.get("source_call_id"), place, "'source_call_id'")
    if call_id is None and not has_calls:
        return Turn(0, Role.USER, text, name="environment")
    return Turn(0, Role.TOOL, text, call_id=call_id)
