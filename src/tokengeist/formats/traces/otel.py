"""OpenTelemetry traces of agents: GenAI conventions, OpenInference (Phoenix) and OpenLLMetry.

They differ in the names of the attributes that hold messages, and agree in the rest. A span that
runs an agent, embeds or retrieves is passed over: what it did stands in the model calls below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document
from tokengeist.formats.fields import parsed, verbatim
from tokengeist.formats.traces import steps
from tokengeist.formats.traces.recorded import arguments_of, model_calls, turns_of
from tokengeist.formats.traces.spans import SpanRecord, looks_like_spans, spans
from tokengeist.formats.traces.steps import ModelCall, ToolRun
from tokengeist.transcript import Role

_CALLS = ("chat", "generate_content", "text_completion", "call_llm", "response")
_DETAILS = "gen_ai.client.inference.operation.details"
# Events of the conventions before version 1.37, one a message.
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def recognises(document: Document) -> bool:
    """Whether the file holds spans."""
    return looks_like_spans(document.records[0].value)


def conversations(document: Document) -> Iterator[Conversation]:
    """The conversations of every trace of the file."""
    found = spans(document)
    order = {trace: number for number, trace in enumerate(dict.fromkeys(s.trace for s in found))}
    for trace, members in groupby(
        sorted(found, key=lambda s: order[s.trace]), key=lambda s: s.trace
    ):
        taken = [step for span in members for step in _steps(span)]
        yield from steps.conversations(trace, taken, document.place.inside(f"trace {trace}"))


def _steps(span: SpanRecord) -> Sequence[ModelCall | ToolRun]:
    attributes = dict(span.attributes)
    for name, content in span.events:
        if name == _DETAILS:
            attributes |= content
    operation = attributes.get("gen_ai.operation.name")
    kind = attributes.get("openinference.span.kind") or _at(attributes, "openinference.span.kind")
    if operation == "execute_tool" or kind == "TOOL":
        return _tool_runs(attributes)
    if (operation and operation not in _CALLS) or (kind and kind != "LLM"):
        return []
    given = _first(attributes, "gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt")
    made = _first(
        attributes,
        "gen_ai.output.messages",
        "llm.output_messages",
        "gen_ai.completion",
        "gen_ai.output",
    )
    if given is None and made is None:
        given, made = _told_by_events(span)
    if given is None and made is None:
        return []
    system = turns_of(
        _instructions(attributes.get("gen_ai.system_instructions")), Role.SYSTEM, span.place
    )
    calls = model_calls(given, made, span.place)
    return [replace(call, given=system + call.given) for call in calls]


def _tool_runs(attributes: Mapping[str, object]) -> Sequence[ToolRun]:
    name = _first(attributes, "gen_ai.tool.name", "tool.name")
    result = _first(attributes, "gen_ai.tool.call.result", "gen_ai.output", "output.value")
    if name is None or result is None:
        return []
    id = _first(attributes, "gen_ai.tool.call.id", "tool.id", "tool_call.id")
    arguments = _first(attributes, "gen_ai.tool.call.arguments", "gen_ai.tool.args", "input.value")
    call_id = None if id is None else str(id)
    return [ToolRun(str(name), verbatim(result), arguments_of(arguments), call_id)]


def _first(attributes: Mapping[str, object], *keys: str) -> object:
    return next((found for key in keys if (found := _at(attributes, key)) is not None), None)


def _at(attributes: Mapping[str, object], key: str) -> object:
    """What stands under a key: as one value, as a list spread over numbered keys, or nested.

    Other keys below it are not its content: `gen_ai.output.type` says nothing of what was said.
    """
    if attributes.get(key) is not None:
        return _nested(attributes[key])
    below = {k[len(key) + 1 :]: v for k, v in attributes.items() if k.startswith(f"{key}.")}
    if below and all(rest.partition(".")[0].isdigit() for rest in below):
        return _nested(below)
    value: object = attributes
    for step in key.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return _nested(value)


def _nested(value: object) -> object:
    """Messages out of dotted keys: `0.message.role` becomes a list of objects with `role`."""
    if isinstance(value, list):
        return [_nested(entry) for entry in value]
    if not isinstance(value, Mapping):
        return value
    tree: dict[str, object] = {}
    for key, entry in value.items():
        head, _, rest = str(key).partition(".")
        if not rest:
            tree[head] = entry
            continue
        branch = tree.setdefault(head, {})
        if isinstance(branch, dict):
            branch[rest] = entry
    if tree and all(key.isdigit() for key in tree):
        return [_nested(tree[key]) for key in sorted(tree, key=int)]
    if set(tree) in ({"message"}, {"tool_call"}, {"message_content"}):  # OpenInference's wrappers
        return _nested(*tree.values())
    found = {key: _nested(entry) for key, entry in tree.items()}
    if "contents" in found and "role" in found:
        found["content"] = found.pop("contents")
    return found


def _instructions(value: object) -> object:
    """System instructions as a message: they are parts without a role around them."""
    found = parsed(value)
    return {"role": "system", "parts": found} if isinstance(found, list) else found


def _told_by_events(span: SpanRecord) -> tuple[object, object]:
    given: list[object] = []
    made: list[object] = []
    for name, content in span.events:
        body = _nested(content)
        if not isinstance(body, Mapping):
            continue
        if name in _ROLES:
            # A tool's message names its call by a bare `id`.
            link = {"tool_call_id": body["id"]} if _ROLES[name] == "tool" and "id" in body else {}
            given.append({"role": _ROLES[name], **link, **body})
        elif name == "gen_ai.choice":
            message = body.get("message")
            made.append(
                {"role": "assistant", **(message if isinstance(message, Mapping) else body)}
            )
    return given or None, {"choices": made} if made else None
