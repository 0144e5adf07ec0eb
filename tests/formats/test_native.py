"""Native JSON: it holds all that a transcript holds, and refuses what it does not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokengeist.formats
from tokengeist.errors import FormatError
from tokengeist.formats import Document, dumps, example_names, example_path, load, to_native
from tokengeist.formats.native import conversations
from tokengeist.transcript import Role, ToolCall, Transcript, Turn

SCHEMA = json.loads(
    (Path(tokengeist.formats.__file__).parent / "transcript.schema.json").read_text("utf-8")
)
TEXT = st.text(max_size=20) | st.sampled_from(["\ud800", "\u2028", "a\r\nb", "{}", "\x1b[31m"])


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    """Any transcript whose results answer a call, with unique call ids."""
    turns: list[Turn] = []
    ids: list[str] = []
    for index in range(draw(st.integers(1, 6))):
        role = draw(st.sampled_from([r for r in Role if r is not Role.TOOL or ids]))
        calls = []
        if role is Role.ASSISTANT:
            for name, arguments in draw(st.lists(st.tuples(TEXT, TEXT), max_size=3)):
                ids.append(f"call {len(ids)}")
                calls.append(ToolCall(name, arguments, ids[-1]))
        turns.append(
            Turn(
                index,
                role,
                draw(TEXT),
                calls=tuple(calls),
                call_id=draw(st.sampled_from([*ids, None])) if role is Role.TOOL else None,
                name=draw(st.none() | TEXT),
                is_summary=draw(st.booleans()),
            )
        )
    return Transcript(tuple(turns), id=draw(TEXT))


@given(transcripts())
def test_what_is_written_is_read_back(transcript: Transcript) -> None:
    document = Document("memory", "memory", dumps(transcript).encode())
    (found,) = conversations(document)
    assert found.read() == transcript
    jsonschema.validate(to_native(transcript), SCHEMA)


@pytest.mark.parametrize("name", example_names())
def test_examples_survive_conversion(name: str, tmp_path: Path) -> None:
    transcript = load(example_path(name))
    file = tmp_path / "native.json"
    file.write_text(dumps(transcript), encoding="utf-8")
    assert load(file) == transcript


def native(*turns: object, **more: object) -> dict[str, object]:
    return {"format": "tokengeist.transcript", "version": 1, "turns": list(turns), **more}


HI = {"role": "user", "content": "hi"}
FAULTS: list[tuple[dict[str, Any], str]] = [
    (native(HI, version=2), "this Tokengeist reads version 1 of the format, not 2"),
    (native(HI, version=None), "reads version 1 of the format, not null"),
    (native(), "has no turns"),
    (native(HI, extra=1), "unknown key 'extra'"),
    (native({**HI, "contents": 1}), "turn 0: unknown key 'contents'. Did you mean 'content'?"),
    (native({"role": "developer"}), "turn 0: unknown role 'developer'; the roles are system, user"),
    (native({}), "turn 0: unknown role null"),
    (native(HI, 5), "turn 1: a turn should be an object but is a number"),
    (native({**HI, "is_summary": 1}), "'is_summary' should be true or false but is a number"),
    (native({**HI, "calls": [{"name": "f"}]}), "turn 0, call 0: 'arguments' should be a string"),
    (native({**HI, "content": None}), "turn 0: 'content' should be a string but is null"),
    (native(HI, id=3), "'id' should be a string but is a number"),
]


@pytest.mark.parametrize(("value", "message"), FAULTS)
def test_faults_are_told_with_their_place(
    tmp_path: Path, value: dict[str, Any], message: str
) -> None:
    file = tmp_path / "native.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        load(file)
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [value for value, _ in FAULTS])
def test_the_schema_refuses_the_same_faults(value: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, SCHEMA)


def test_without_an_id_the_file_names_the_conversation(tmp_path: Path) -> None:
    file = tmp_path / "spring.json"
    file.write_text(json.dumps(native(HI)), encoding="utf-8")
    assert load(file).id == "spring"
