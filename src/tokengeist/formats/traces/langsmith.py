"""LangSmith runs, as an array, one a line, or under `runs` or `data`: the model and tool runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_list, as_object, optional_id, verbatim
from tokengeist.formats.traces import steps
from tokengeist.formats.traces.recorded import arguments_of, model_calls
from tokengeist.formats.traces.steps import ModelCall, ToolRun


def recognises(document: Document) -> bool:
    """Whether the first value is a run, or holds runs."""
    first = _runs(document.records[0].value)
    return any(isinstance(run, Mapping) and "run_type" in run for run in first)


def _runs(value: object) -> list[object]:
    if isinstance(value, Mapping) and "run_type" not in value:
        value = value.get("runs", value.get("data"))
    return value if isinstance(value, list) else [value]


def conversations(document: Document) -> Iterator[Conversation]:
    """The conversations of every trace of the file."""
    traces: dict[str, list[tuple[Mapping[str, object], Place]]] = {}
    for record in document.records:
        for number, value in enumerate(_runs(record.value)):
            place = record.place.inside(f"run {number}")
            for run in _with_children(as_object(value, place, "a run"), place):
                id = optional_id(run.get("trace_id"), place, "'trace_id'") or document.name
                traces.setdefault(id, []).append((run, place))
    for trace, members in traces.items():
        # The dotted order begins with the time of a run's first ancestor, and ends with its own.
        members.sort(key=lambda m: (str(m[0].get("start_time")), str(m[0].get("dotted_order"))))
        taken = [step for run, place in members for step in _steps(run, place)]
        yield from steps.conversations(trace, taken, document.place.inside(f"trace {trace}"))


def _with_children(run: Mapping[str, object], place: Place) -> Iterator[Mapping[str, object]]:
    yield run
    for child in as_list(run.get("child_runs") or [], place, "'child_runs'"):
        yield from _with_children(as_object(child, place, "a child run"), place)


def _steps(run: Mapping[str, object], place: Place) -> Sequence[ModelCall | ToolRun]:
    kind, given, made = run.get("run_type"), run.get("inputs"), run.get("outputs")
    if kind == "llm":
        return model_calls(given, made, place)
    if kind == "tool" and made is not None:
        output = made.get("output", made) if isinstance(made, Mapping) else made
        if isinstance(output, Mapping):  # a ToolMessage in one of LangChain's shapes
            fields = output.get("kwargs", output)
            output = fields.get("content", output) if isinstance(fields, Mapping) else output
        return [ToolRun(str(run.get("name")), verbatim(output), arguments_of(given))]
    return []
