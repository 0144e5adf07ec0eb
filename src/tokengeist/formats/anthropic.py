"""Anthropic Messages: content blocks, with tool results inside user messages.

One message may become several turns, because a user message can hold what tools returned beside
what the user said, and only the latter is exogenous. Likewise a tool that ran on the server
leaves its call and its result in one assistant message. Blocks are never reordered: text that
follows a call begins a new turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokengeist.formats.content import content_text, part_text
from tokengeist.formats.conversation import Conversation, entries, numbered
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    optional_id,
    role_named,
    verbatim,
)
from tokengeist.transcript import Role, ToolCall, Turn

ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


def recognises(document: Document) -> bool:
    """Whether a conversation has its system prompt apart, or a message has tool blocks."""
    return any(_is_ours(record.value) for _, record in entries(document, _is_conversation))


def _is_conversation(value: object) -> bool:
    return isinstance(value, dict) and ("messages" in value or "request" in value)


def _is_ours(value: object) -> bool:
    if isinstance(value, dict):
        request, response = value.get("request", value), value.get("response")
        if isinstance(response, dict) and _has_tool_blocks([response]):
            return True
        return (
            isinstance(request, dict)
            and isinstance(request.get("messages"), list)
            and ("system" in request or _has_tool_blocks(request["messages"]))
        )
    return isinstance(value, list) and _has_tool_blocks(value)


def _has_tool_blocks(messages: Sequence[object]) -> bool:
    blocks = (
        block
        for message in messages
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for block in message["content"]
        if isinstance(block, dict)
    )
    return any(_is_call(block) or _is_result(block) for block in blocks)


def _is_call(block: Mapping[str, object]) -> bool:
    return block.get("type") in _CALLS


def _is_result(block: Mapping[str, object]) -> bool:
    return str(block.get("type")).endswith("tool_result")


def conversations(document: Document) -> Iterator[Conversation]:
    """Every conversation of the file: a bare list of messages, a request, or a recorded one."""
    for name, record in entries(document, _is_conversation):
        value = {"messages": record.value} if isinstance(record.value, list) else record.value
        yield _conversation(value, name, record.place)


def _conversation(value: object, name: str, place: Place) -> Conversation:
    """A request, alone or with the response that ends the conversation."""
    wrapper = as_object(value, place, "a conversation")
    request = as_object(wrapper.get("request", wrapper), place, "'request'")
    messages = as_list(request.get("messages"), place, "'messages'")
    if wrapper.get("response") is not None:
        messages = [*messages, wrapper["response"]]
    id = optional_id(wrapper.get("id"), place, "'id'") or name
    return Conversation(id, place, lambda: numbered(_turns(request.get("system"), messages, place)))


def _turns(system: object, messages: Sequence[object], place: Place) -> Iterator[Turn]:
    if not messages:
        raise place.error("the conversation has no messages")
    if system:
        yield Turn(0, Role.SYSTEM, content_text(system, place.inside("system prompt")))
    for number, message in enumerate(messages):
        yield from message_turns(message, place.inside(f"message {number}"))


def message_turns(value: object, place: Place) -> Iterator[Turn]:
    """The turns of one message. Other formats that hold such messages read them with this."""
    message = as_object(value, place, "a message")
    role = role_named(message.get("role"), ROLES, place)
    content = message.get("content")
    if not isinstance(content, list) or not content:
        yield Turn(0, role, content_text(content, place))
        return
    yield from _block_turns(role, content, place)


def _block_turns(role: Role, blocks: Sequence[object], place: Place) -> Iterator[Turn]:
    """The turns of one message's blocks, in the order of the blocks."""
    texts: list[Mapping[str, object]] = []
    calls: list[ToolCall] = []
    open_turn = False  # whether blocks were seen that belong to a turn not yet yielded
    for number, value in enumerate(blocks):
        inside = place.inside(f"block {number}")
        found = _block(value, inside)
        if _is_result(found):
            if open_turn:
                yield Turn(0, role, _joined(texts, place), calls=tuple(calls))
            texts, calls, open_turn = [], [], False
            yield _result(found, inside)
            continue
        if _is_call(found):
            calls.append(_call(found, inside))
        else:
            if calls and _block_text(found, inside):
                yield Turn(0, role, _joined(texts, place), calls=tuple(calls))
                texts, calls = [], []
            texts.append(found)
        open_turn = True
    if open_turn:
        yield Turn(0, role, _joined(texts, place), calls=tuple(calls))


def _block(value: object, place: Place) -> Mapping[str, object]:
    block = {"type": "text", "text": value} if isinstance(value, str) else value
    return as_object(block, place, "a content block")


def _joined(blocks: Sequence[Mapping[str, object]], place: Place) -> str:
    """The text of consecutive blocks: lines of their own, but cited prose is one piece of prose."""
    # Documents and search results have citations, too: an object that switches them on.
    cited = any(block.get("citations") for block in blocks if block.get("type") == "text")
    texts = [_block_text(block, place) for block in blocks]
    return ("" if cited else "\n").join(text for text in texts if text)


def _block_text(block: Mapping[str, object], place: Place) -> str:
    source = block.get("source")
    if (
        block.get("type") == "document"
        and isinstance(source, dict)
        and source.get("type") == "text"
    ):
        return as_text(source.get("data"), place, "the document's 'data'")
    if block.get("type") in ("search_result", "compaction"):
        return content_text(block.get("content"), place)
    return part_text(block, place)


def _call(block: Mapping[str, object], place: Place) -> ToolCall:
    name = as_text(block.get("name"), place, "the called tool's 'name'")
    return ToolCall(
        name, verbatim(block.get("input", {})), optional_id(block.get("id"), place, "'id'")
    )


def _result(block: Mapping[str, object], place: Place) -> Turn:
    """What a tool returned. Results of server tools have types of their own and become JSON."""
    content = block.get("content")
    is_plain = block.get("type") in ("tool_result", "mcp_tool_result")
    return Turn(
        0,
        Role.TOOL,
        _plain_result(content, place) if is_plain else verbatim(content),
        call_id=optional_id(block.get("tool_use_id"), place, "'tool_use_id'"),
    )


def _plain_result(content: object, place: Place) -> str:
    if not isinstance(content, list):
        return content_text(content, place)
    texts = []
    for number, value in enumerate(content):
        inside = place.inside(f"content part {number}")
        texts.append(_block_text(_block(value, inside), inside))
    return "\n".join(text for text in texts if text)
