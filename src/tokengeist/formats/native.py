"""Tokengeist's own transcript JSON: exactly what a `Transcript` holds, and nothing else.

It is what other formats are converted to, and what to write from a recorder that has no format
yet. `transcript.schema.json` beside this file describes it. Unlike the other readers this one is
strict: a key that it does not know is a mistake, not somebody's extension.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping

from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document, Place, Record
from tokengeist.formats.fields import (
    as_list,
    as_object,
    as_text,
    describe,
    role_named,
)
from tokengeist.transcript import Role, ToolCall, Transcript, Turn

FORMAT = "tokengeist.transcript"
VERSION = 1

_KEYS = ("format", "version", "id", "turns")
_TURN_KEYS = ("role", "content", "calls", "call_id", "name", "is_summary")
_CALL_KEYS = ("name", "arguments", "id")


def to_native(transcript: Transcript) -> dict[str, object]:
    """A transcript as native JSON; fields that say nothing are left out."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "id": transcript.id,
        "turns": [_turn_json(turn) for turn in transcript.turns],
    }


def dumps(transcript: Transcript) -> str:
    """A transcript as native JSON text that UTF-8 can always carry."""
    text = json.dumps(to_native(transcript), ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair


def _turn_json(turn: Turn) -> dict[str, object]:
    found: dict[str, object] = {"role": str(turn.role), "content": turn.content}
    if turn.calls:
        found["calls"] = [_call_json(call) for call in turn.calls]
    if turn.call_id is not None:
        found["call_id"] = turn.call_id
    if turn.name is not None:
        found["name"] = turn.name
    if turn.is_summary:
        found["is_summary"] = True
    return found


def _call_json(call: ToolCall) -> dict[str, object]:
    found: dict[str, object] = {"name": call.name, "arguments": call.arguments}
    if call.id is not None:
        found["id"] = call.id
    return found


def recognises(document: Document) -> bool:
    """Whether the file says that it is ours."""
    first = document.records[0].value
    return isinstance(first, dict) and first.get("format") == FORMAT


def conversations(document: Document) -> Iterator[Conversation]:
    """The transcript of the file, or one a line."""
    for record in document.records:
        yield _conversation(record, document.name)


def _conversation(record: Record, name: str) -> Conversation:
    place = record.place
    value = as_object(record.value, place, "a transcript")
    if value.get("format") != FORMAT:
        raise place.error(f"'format' should be {FORMAT!r}; this is {describe(value)}")
    version = value.get("version")
    if version != VERSION or isinstance(version, bool):
        shown = version if isinstance(version, int) else describe(version)
        raise place.error(
            f"this Tokengeist reads version {VERSION} of the format, not {shown}; "
            "a newer Tokengeist may read it"
        )
    _refuse_unknown(value, _KEYS, place)
    id = as_text(value["id"], place, "'id'") if "id" in value else name
    turns = as_list(value.get("turns"), place, "'turns'")
    return Conversation(
        id,
        place,
        lambda: tuple(
            _turn(index, turn, place.inside(f"turn {index}")) for index, turn in enumerate(turns)
        ),
    )


def _turn(index: int, value: object, place: Place) -> Turn:
    turn = as_object(value, place, "a turn")
    _refuse_unknown(turn, _TURN_KEYS, place)
    role = role_named(turn.get("role"), {role.value: role for role in Role}, place)
    is_summary = turn.get("is_summary", False)
    if not isinstance(is_summary, bool):
        raise place.error(f"'is_summary' should be true or false but is {describe(is_summary)}")
    calls = as_list(turn.get("calls", []), place, "'calls'")
    return Turn(
        index,
        Role(role),
        as_text(turn.get("content", ""), place, "'content'"),
        calls=tuple(
            _call(call, place.inside(f"call {number}")) for number, call in enumerate(calls)
        ),
        call_id=_optional(turn, "call_id", place),
        name=_optional(turn, "name", place),
        is_summary=is_summary,
    )


def _call(value: object, place: Place) -> ToolCall:
    call = as_object(value, place, "a call")
    _refuse_unknown(call, _CALL_KEYS, place)
    return ToolCall(
        as_text(call.get("name"), place, "'name'"),
        as_text(call.get("arguments"), place, "'arguments'"),
        _optional(call, "id", place),
    )


def _optional(value: Mapping[str, object], key: str, place: Place) -> str | None:
    return None if value.get(key) is None else as_text(value[key], place, f"'{key}'")


def _refuse_unknown(value: Mapping[str, object], known: tuple[str, ...], place: Place) -> None:
    for key in value:
        if key not in known:
            nearest = difflib.get_close_matches(key, known, n=1)
            hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
            raise place.error(f"unknown key {key!r}.{hint} The keys are {', '.join(known)}")
