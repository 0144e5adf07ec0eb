"""A transcript in the form of a benchmark's conversation files: OpenAI chat messages."""

from __future__ import annotations

from typing import Any

from tokengeist.transcript import CallSite, Role, Transcript


def messages(transcript: Transcript) -> list[dict[str, Any]]:
    """A transcript as OpenAI chat messages, one for each turn."""
    ids: dict[CallSite, str] = {}
    found = []
    for turn in transcript.turns:
        message: dict[str, Any] = {"role": str(turn.role), "content": turn.content}
        if turn.name is not None:
            message["name"] = turn.name
        calls = []
        for number, (call, span) in enumerate(zip(turn.calls, turn.call_spans, strict=True)):
            id = call.id or f"call_{turn.index}_{number}"
            ids[CallSite(turn.index, span)] = id
            function = {"name": call.name, "arguments": call.arguments}
            calls.append({"id": id, "type": "function", "function": function})
        if calls:
            message["tool_calls"] = calls
        if turn.role is Role.TOOL and turn.index in transcript.call_sites:
            message["tool_call_id"] = ids[transcript.call_sites[turn.index]]
        found.append(message)
    return found
