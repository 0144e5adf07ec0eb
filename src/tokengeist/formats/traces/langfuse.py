"""Langfuse exports: a trace with its observations, or a list of observations.

Generations are the model calls. Keys are camelCase in downloads and snake_case in the SDK's dumps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document, Place, Record
from tokengeist.formats.fields import as_list, as_object, optional_id, verbatim
from tokengeist.formats.traces import steps
from tokengeist.formats.traces.recorded import arguments_of, model_calls
from tokengeist.formats.traces.spans import nanoseconds
from tokengeist.formats.traces.steps import ModelCall, ToolRun


def recognises(document: Document) -> bool:
    """Whether the file holds observations."""
    first = document.records[0].value
    if isinstance(first, Mapping) and "observations" in first:
        return True
    return any(map(_is_observation, first if isinstance(first, list) else [first]))


def _is_observation(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and "type" in value
        and _get(value, "traceId") is not None
        and ("input" in value or "output" in value)
    )


def _get(value: Mapping[str, object], key: str) -> object:
    """The value under a camelCase key or its snake_case twin."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    return value.get(key, value.get(snake))


def conversations(document: Document) -> Iterator[Conversation]:
    """The conversations of every trace of the file."""
    traces: dict[str, list[tuple[Mapping[str, object], Place]]] = {}
    for observation, place in _observations(document.records):
        id = optional_id(_get(observation, "traceId"), place, "'traceId'") or document.name
        traces.setdefault(id, []).append((observation, place))
    for trace, members in traces.items():
        members.sort(key=lambda member: nanoseconds(_get(member[0], "startTime")))
        taken = [step for found, place in members for step in _steps(found, place)]
        yield from steps.conversations(trace, taken, document.place.inside(f"trace {trace}"))


def _observations(records: Sequence[Record]) -> Iterator[tuple[Mapping[str, object], Place]]:
    for record in records:
        value = record.value
        if isinstance(value, Mapping) and "observations" in value:
            value = as_list(value["observations"], record.place, "'observations'")
        for number, entry in enumerate(value if isinstance(value, list) else [value]):
            place = record.place.inside(f"observation {number}")
            yield as_object(entry, place, "an observation"), place


def _steps(observation: Mapping[str, object], place: Place) -> Sequence[ModelCall | ToolRun]:
    kind = observation.get("type")
    if kind == "GENERATION":
        return model_calls(observation.get("input"), observation.get("output"), place)
    if kind == "TOOL" and observation.get("output") is not None:
        arguments = arguments_of(observation.get("input"))
        return [ToolRun(str(observation.get("name")), verbatim(observation["output"]), arguments)]
    return []
