"""The spans of an OpenTelemetry file, whichever exporter wrote it.

OTLP nests them under resources and scopes and writes attributes as typed pairs; the SDK's console
form, Phoenix and others write a list of plain objects, some with their children inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from tokengeist.formats.document import Document, Place, Record
from tokengeist.formats.fields import as_list, as_object

_ATTRIBUTES = ("attributes", "span_attributes")
_NAMES = ("name", "span_name")
_STARTS = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "timestamp", "startTime")
_GROUPS = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans", "child_spans")


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """One span, with plain attributes."""

    trace: str
    start: float
    attributes: Mapping[str, object]
    events: tuple[tuple[str, Mapping[str, object]], ...]
    place: Place


def looks_like_span(value: object) -> bool:
    """Whether this has a span's name, attributes and trace."""
    return (
        isinstance(value, Mapping)
        and any(key in value for key in _ATTRIBUTES)
        and any(key in value for key in _NAMES)
        and _trace_of(value) is not None
    )


def looks_like_spans(value: object) -> bool:
    """Whether this is a span, or what holds some."""
    if isinstance(value, list):
        return any(looks_like_span(entry) for entry in value)
    if not isinstance(value, Mapping):
        return False
    if any(key in value for key in _GROUPS[:2]) or looks_like_span(value):
        return True
    return isinstance(value.get("spans"), list) and any(map(looks_like_span, value["spans"]))


def spans(document: Document) -> list[SpanRecord]:
    """Every span of the file, by the time it began; those of equal time as they are written."""
    found = [span for record in document.records for span in _spans(record)]
    return sorted(found, key=lambda span: span.start)


def _spans(record: Record) -> Iterator[SpanRecord]:
    value, place = record.value, record.place
    if isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _spans(Record(entry, place.inside(f"entry {number}")))
        return
    holder = as_object(value, place, "a span or a holder of spans")
    if looks_like_span(holder):
        yield _span(holder, place)
    for key in _GROUPS:
        if holder.get(key) is not None:
            for number, entry in enumerate(as_list(holder[key], place, f"'{key}'")):
                yield from _spans(Record(entry, place.inside(f"{key} {number}")))


def _span(value: Mapping[str, object], place: Place) -> SpanRecord:
    attributes = next(value[key] for key in _ATTRIBUTES if key in value)
    start = next((value[key] for key in _STARTS if key in value), None)
    listed = value.get("events")
    events = tuple(
        (str(event.get("name")), plain(event.get("attributes") or {}))
        for event in (listed if isinstance(listed, list) else [])
        if isinstance(event, Mapping)
    )
    return SpanRecord(
        str(_trace_of(value)), nanoseconds(start), plain(attributes or {}), events, place
    )


def _trace_of(value: Mapping[str, object]) -> object:
    context = value.get("context")
    if isinstance(context, Mapping):
        return context.get("trace_id", context.get("traceId"))
    return value.get("traceId", value.get("trace_id"))


def nanoseconds(value: object) -> float:
    """A time as a number: nanoseconds, or an ISO date; 0 where it says nothing."""
    if isinstance(value, str) and not value.isdigit():
        try:
            return datetime.fromisoformat(value).timestamp() * 1e9
        except ValueError:
            return 0.0
    return float(value) if isinstance(value, int | float | str) else 0.0


def plain(attributes: object) -> Mapping[str, object]:
    """Attributes as an object, out of OTLP's list of typed pairs."""
    if isinstance(attributes, Mapping):
        return attributes
    if not isinstance(attributes, list):
        return {}
    return {
        str(pair["key"]): _typed(pair.get("value"))
        for pair in attributes
        if isinstance(pair, Mapping) and "key" in pair
    }


def _typed(value: object) -> object:
    """An OTLP value: an object whose only key names its type."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "arrayValue" and isinstance(inner, Mapping):
        return [_typed(entry) for entry in inner.get("values") or []]
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        return plain(inner.get("values") or [])
    return inner
