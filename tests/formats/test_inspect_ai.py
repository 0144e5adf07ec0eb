"""Inspect AI logs: samples in JSON or in an archive, with attachments put back."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tokengeist.errors import FormatError
from tokengeist.formats import Document, detect, list_conversations, load, registry
from tokengeist.transcript import Transcript

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

Write = Callable[[object], Path]
Outline = Callable[[Transcript], list[tuple[str, str]]]

LONG, LOST = "0" * 32, "f" * 32
SAMPLE = {
    "id": "knot",
    "epoch": 2,
    "messages": [
        {"id": "m1", "role": "user", "content": f"attachment://{LONG}"},
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "reasoning": "hm"},
                {"type": "text", "text": "I tie."},
                {"type": "tool_use", "name": "search", "arguments": "knots", "result": "bowline"},
            ],
            "tool_calls": [{"id": "c1", "function": "tie", "arguments": {"ends": 2}}],
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "function": "tie",
            "content": f"attachment://{LOST}",
            "error": {"type": "timeout", "message": "slow"},
        },
    ],
    "attachments": {LONG: "Tie a knot."},
}
TURNS = [
    ("user", "Tie a knot."),
    ("assistant", 'I tie.\nsearch(knots)\nbowline\ntie({"ends": 2})'),
    ("tool", f'attachment://{LOST}\n{{"type": "timeout", "message": "slow"}}'),
]


def archive(members: Mapping[str, object], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as file:
        for name, value in members.items():
            file.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return data.getvalue()


MEMBERS = {"header.json": {}, "samples/knot%2F7_epoch_2.json": SAMPLE, "summaries.json": []}
LOG = archive(MEMBERS)


def test_a_json_log(write: Write, outline: Outline) -> None:
    file = write({"version": 2, "eval": {}, "samples": [SAMPLE]})
    assert detect(file) == "inspect"
    transcript = load(file)
    assert transcript.id == "knot-2"
    assert outline(transcript) == TURNS
    assert transcript.turns[2].name == "tie"


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_an_archive(tmp_path: Path, outline: Outline, compression: int) -> None:
    file = tmp_path / "log.eval"
    file.write_bytes(archive(MEMBERS, compression))
    assert detect(file) == "inspect"
    assert list_conversations(file) == ("knot/7-2",)
    assert outline(load(file)) == TURNS


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"eval": {}, "samples": None}, "chat.json: the log has no 'samples'"),
        ({"eval": {}, "samples": [3]}, "sample 0: a sample should be an object but is a number"),
        ({"eval": {}, "samples": [{}]}, "sample 0: 'messages' should be a list but is null"),
        (
            {"eval": {}, "samples": [{"messages": [{"role": "judge"}]}]},
            "sample 0, message 0: unknown role 'judge'",
        ),
    ],
)
def test_faults_are_told_with_their_place(write: Write, value: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(value))
    assert message in str(caught.value)


def refusal(tmp_path: Path, data: bytes) -> str:
    file = tmp_path / "log.eval"
    file.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        load(file)
    return str(caught.value)


def test_a_sample_that_is_not_json(tmp_path: Path) -> None:
    data = archive({"header.json": {}, "samples/a_epoch_1.json": "oops"})
    message = "log.eval, samples/a_epoch_1.json: not JSON: Expecting value at line 1, column 1"
    assert message in refusal(tmp_path, data)


def test_a_compression_that_python_lacks(tmp_path: Path) -> None:
    """The method stands in each member's two headers; 97 is one that no Python reads."""
    data = LOG.replace(b"\x00\x08\x00", b"\x00\x61\x00")
    assert "convert it with: inspect log convert --to json" in refusal(tmp_path, data)


def test_an_archive_of_something_else(tmp_path: Path) -> None:
    assert "the file is a zip archive; unpack it first" in refusal(tmp_path, archive({"a": 1}))


def test_no_damage_to_an_archive_goes_unexplained() -> None:
    for cut in range(4, len(LOG), 3):
        for data in (LOG[:cut], LOG[:cut] + bytes([LOG[cut] ^ 0xFF]) + LOG[cut + 1 :]):
            document = Document("log.eval", "log", data)
            with suppress(FormatError):
                for conversation in registry.reader("inspect").conversations(document):
                    conversation.read()
