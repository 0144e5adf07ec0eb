"""OpenAI Responses items: one list in which messages, calls and results are items of their own.

An assistant's message and the calls right after it are one answer of the model, so they become
one turn, as the same answer would be in chat messages; every other item is a turn of its own.
Tools that OpenAI runs leave their call and its outcome in one item, which becomes two turns. A
reasoning item is no turn. Calls and results are linked by `call_id`, never by the item's `id`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tokengeist.formats import openai_chat
from tokengeist.formats.content import content_text
from tokengeist.formats.conversation import Conversation, entries, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_list, as_object, describe, optional_id, verbatim
from tokengeist.transcript import Role, ToolCall, Turn

_PARTS = ("input_text", "output_text")
# What an item calls the arguments of its call, and what came of it.
_ARGUMENTS = ("arguments", "input", "action", "code", "queries")
_OUTCOMES = ("output", "outputs", "results", "error")


def recognises(document: Document) -> bool:
    """Whether the first conversation is a request, a response, or a list with typed items."""
    _, first = next(entries(document, _is_conversation))
    return _is_conversation(first.value) or (isinstance(first.value, list) and _ours(first.value))


def _is_conversation(value: object) -> bool:
    if not isinstance(value, dict) or "messages" in value:
        return False
    request, response = value.get("request", value), value.get("response", value)
    given = request.get("input") if isinstance(request, dict) else None
    made = response.get("output") if isinstance(response, dict) else None
    return any(isinstance(items, list) and _ours(items) for items in (given, made))


def _ours(items: Sequence[object]) -> bool:
    return any(_is_item(item) for item in items)


def _is_item(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    kind, content = value.get("type"), value.get("content")
    if kind in ("message", "reasoning") or str(kind).endswith(("_call", "_call_output")):
        return "data" not in value and "kwargs" not in value
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") in _PARTS for part in content
    )


def conversations(document: Document) -> Iterator[Conversation]:
    """Every conversation: a list of items, or a request's `input` and a response's `output`."""
    for name, record in entries(document, _is_conversation):
        value = {"input": record.value} if isinstance(record.value, list) else record.value
        yield _conversation(as_object(value, record.place, "a conversation"), name, record.place)


def _conversation(wrapper: Mapping[str, object], name: str, place: Place) -> Conversation:
    request = as_object(wrapper.get("request", wrapper), place, "'request'")
    response = as_object(wrapper.get("response") or wrapper, place, "'response'")
    if "input" not in request and "output" not in response:
        raise place.error(f"'input' or 'output' is missing; this is {describe(wrapper)}")
    items: list[object] = []
    instructions = request.get("instructions", response.get("instructions"))
    if instructions:
        items.append({"role": "system", "content": instructions})
    given = request.get("input") or []
    items += (
        [{"role": "user", "content": given}]
        if isinstance(given, str)
        else as_list(given, place, "'input'")
    )
    items += as_list(response.get("output") or [], place, "'output'")
    id = optional_id(wrapper.get("id"), place, "'id'") or name
    return Conversation(id, place, lambda: numbered(turns(items, place)))


def turns(items: Sequence[object], place: Place) -> Iterator[Turn]:
    """The turns of a list of items. Other formats that hold such items read them with this."""
    answer: Turn | None = None  # the assistant's turn that calls still may join
    for number, value in enumerate(items):
        inside = place.inside(f"item {number}")
        item = as_object(value, inside, "an item")
        kind = item.get("type", "message" if "role" in item else None)
        if not isinstance(kind, str):
            raise inside.error(
                f"the item has neither a 'type' nor a 'role'; it is {describe(item)}"
            )
        if kind == "reasoning":
            continue
        if kind == "item_reference":
            raise inside.error(
                "the item is only a reference to one stored elsewhere; export the item itself"
            )
        if kind.endswith("_call"):
            answer = answer or Turn(0, Role.ASSISTANT)
            answer = replace(answer, calls=(*answer.calls, _call(item, kind, inside)))
            outcome = _outcome(item)
            if outcome is not None:
                yield answer
                yield Turn(0, Role.TOOL, outcome, call_id=_call_id(item, inside))
                answer = None
            continue
        if answer is not None:
            yield answer
        answer = None
        turn = _turn(item, kind, inside)
        if turn.role is Role.ASSISTANT:
            answer = turn
        else:
            yield turn
    if answer is not None:
        yield answer


def _turn(item: Mapping[str, object], kind: str, place: Place) -> Turn:
    """A turn for an item that is not a call; one of an unheard-of type stays visible."""
    if kind == "message":
        return openai_chat.turn(0, item, place)
    if kind.endswith("_output"):
        output = item.get("output")
        text = content_text(output, place) if isinstance(output, list) else verbatim(output or "")
        return Turn(0, Role.TOOL, text, call_id=_call_id(item, place))
    if kind == "compaction":
        summary = content_text(item.get("content"), place) or "[compaction]"
        return Turn(0, Role.ASSISTANT, summary, is_summary=True)
    return Turn(0, Role.SYSTEM, f"[{kind}]")


def _call(item: Mapping[str, object], kind: str, place: Place) -> ToolCall:
    name = item.get("name")
    arguments = next((item[key] for key in _ARGUMENTS if item.get(key) is not None), "")
    return ToolCall(
        name if isinstance(name, str) else kind.removesuffix("_call"),
        verbatim(arguments),
        _call_id(item, place),
    )


def _outcome(item: Mapping[str, object]) -> str | None:
    told = [verbatim(item[key]) for key in _OUTCOMES if item.get(key)]
    return "\n".join(told) if told else None


def _call_id(item: Mapping[str, object], place: Place) -> str | None:
    """The call's id; the item's own where a tool that OpenAI ran has no other."""
    return optional_id(item.get("call_id", item.get("id")), place, "'call_id'")
