"""MLflow traces: spans whose attributes are all written as JSON inside JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document, Place, Record
from tokengeist.formats.fields import as_list, as_object, optional_id, parsed, verbatim
from tokengeist.formats.traces import steps
from tokengeist.formats.traces.recorded import arguments_of, model_calls
from tokengeist.formats.traces.spans import nanoseconds
from tokengeist.formats.traces.steps import ModelCall, ToolRun

_MODELS = ("CHAT_MODEL", "LLM")


def recognises(document: Document) -> bool:
    """Whether the first value has a trace's `info` and its `data` with spans."""
    first = document.records[0].value
    first = first[0] if isinstance(first, list) and first else first
    data = first.get("data") if isinstance(first, Mapping) and "info" in first else None
    return isinstance(data, Mapping) and "spans" in data


def conversations(document: Document) -> Iterator[Conversation]:
    """The conversations of every trace of the file."""
    for record in document.records:
        listed = record.value if isinstance(record.value, list) else [record.value]
        for number, value in enumerate(listed):
            place = record.place.inside(f"trace {number}") if len(listed) > 1 else record.place
            yield from _trace(Record(value, place), document.name)


def _trace(record: Record, name: str) -> Iterator[Conversation]:
    trace = as_object(record.value, record.place, "a trace")
    info = as_object(trace.get("info") or {}, record.place, "'info'")
    data = as_object(trace.get("data") or {}, record.place, "'data'")
    id = optional_id(info.get("trace_id", info.get("request_id")), record.place, "'trace_id'")
    found = []
    for number, value in enumerate(as_list(data.get("spans"), record.place, "'spans'")):
        place = record.place.inside(f"span {number}")
        found.append((as_object(value, place, "a span"), place))
    found.sort(key=lambda pair: nanoseconds(pair[0].get("start_time_unix_nano")))
    taken = [step for span, place in found for step in _steps(span, place)]
    yield from steps.conversations(id or name, taken, record.place)


def _steps(span: Mapping[str, object], place: Place) -> Sequence[ModelCall | ToolRun]:
    attributes = as_object(span.get("attributes") or {}, place, "'attributes'")
    kind = parsed(attributes.get("mlflow.spanType"))
    given, made = (attributes.get(f"mlflow.span{side}") for side in ("Inputs", "Outputs"))
    if kind in _MODELS:
        return model_calls(given, made, place)
    if kind == "TOOL" and made is not None:
        return [ToolRun(str(span.get("name")), verbatim(parsed(made)), arguments_of(given))]
    return []
