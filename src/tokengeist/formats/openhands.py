"""OpenHands event streams: actions of the user and the agent, and what came of them.

An action of the agent other than a message is a call; the observation that names it as its cause
is the result. Events of the harness (a change of the agent's state) are no turns. What the
environment says unasked came from outside, and is a user turn by `environment`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.conversation import Conversation, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_list, as_object, optional_id, verbatim
from tokengeist.transcript import Role, ToolCall, Turn

_HARNESS = ("agent_state_changed", "change_agent_state", "null")
_THOUGHTS = ("thought", "final_thought")


def recognises(document: Document) -> bool:
    """Whether the file holds events that have a source and are an action or an observation."""
    first = document.records[0].value
    listed = first if isinstance(first, list) else [first]
    return any(map(_is_event, listed[:5]))


def _is_event(value: object) -> bool:
    return (
        isinstance(value, dict)
        and "source" in value
        and ("action" in value or "observation" in value)
        and "step_id" not in value
    )


def conversations(document: Document) -> Iterator[Conversation]:
    """The one conversation of the file."""
    events: list[tuple[Mapping[str, object], Place]] = []
    for record in document.records:
        listed = record.value if isinstance(record.value, list) else [record.value]
        for number, value in enumerate(as_list(listed, record.place, "the events")):
            place = record.place.inside(f"event {number}") if len(listed) > 1 else record.place
            events.append((as_object(value, place, "an event"), place))
    yield Conversation(document.name, document.place, lambda: numbered(_turns(events)))


def _turns(events: Sequence[tuple[Mapping[str, object], Place]]) -> Iterator[Turn]:
    called: dict[str, str] = {}  # the call's id, by the event that made it
    for event, place in events:
        kind = event.get("action", event.get("observation"))
        if kind in _HARNESS:
            continue
        if "observation" in event:
            cause = optional_id(event.get("cause"), place, "'cause'")
            text = verbatim(event.get("content") or "")
            if cause in called:
                yield Turn(0, Role.TOOL, text, call_id=called[cause])
            elif text:
                yield Turn(0, Role.USER, text, name="environment")
            continue
        arguments = as_object(event.get("args") or {}, place, "'args'")
        said = verbatim(arguments.get("content") or event.get("message") or "")
        if kind == "system":
            yield Turn(0, Role.SYSTEM, said)
        elif kind == "message":
            yield Turn(0, Role.ASSISTANT if event.get("source") == "agent" else Role.USER, said)
        elif event.get("source") == "agent":
            id = optional_id(event.get("id"), place, "'id'")
            call = _call(event, str(kind), arguments, id)
            if id is not None and call.id is not None:
                called[id] = call.id
            thought = next((arguments[key] for key in _THOUGHTS if arguments.get(key)), "")
            if kind == "finish":
                thought = thought or event.get("message") or ""
            yield Turn(0, Role.ASSISTANT, verbatim(thought), calls=(call,))


def _call(
    event: Mapping[str, object], kind: str, arguments: Mapping[str, object], id: str | None
) -> ToolCall:
    """The call as the model wrote it, where the event tells, else the action and its arguments."""
    metadata = event.get("tool_call_metadata")
    if isinstance(metadata, dict):
        for call in _model_calls(metadata.get("model_response")):
            function = call.get("function")
            if call.get("id") == metadata.get("tool_call_id") and isinstance(function, dict):
                name, written = str(function.get("name")), function.get("arguments", "")
                return ToolCall(name, verbatim(written), str(call["id"]))
    own = {key: value for key, value in arguments.items() if key not in _THOUGHTS and value}
    return ToolCall(kind, verbatim(own), id)


def _model_calls(response: object) -> Iterator[Mapping[str, object]]:
    choices = response.get("choices") if isinstance(response, dict) else None
    for choice in choices if isinstance(choices, list) else []:
        message = choice.get("message") if isinstance(choice, dict) else None
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        yield from (call for call in calls or [] if isinstance(call, dict))
