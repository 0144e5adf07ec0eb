"""Files that cannot be read at all: each fault is told with its place and its remedy."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.growth import growth
from tokengeist.errors import FormatError
from tokengeist.formats import Conversation, load, packed
from tokengeist.formats.document import Place
from tokengeist.transcript import Turn

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HI = '{"role": "user", "content": "hi"}'


def refusal(tmp_path: Path, data: bytes | str) -> str:
    file = tmp_path / "run.json"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(FormatError) as caught:
        load(file)
    return str(caught.value).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize("data", ["", " \n\t\n", "\ufeff"])
def test_an_empty_file(tmp_path: Path, data: str) -> None:
    assert refusal(tmp_path, data) == "run.json: the file is empty; a transcript is expected"


def test_a_missing_file_and_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "refund.json").write_text("[]")
    with pytest.raises(
        FormatError, match=r"there is no file .*refud\.json'\. Did you mean .*refund"
    ):
        load(tmp_path / "refud.json")
    with pytest.raises(FormatError, match=r"There is no directory '.*nowhere' either"):
        load(tmp_path / "nowhere" / "x.json")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a directory; name a transcript file in it"):
        load(tmp_path)


def test_a_path_that_no_system_has() -> None:
    with pytest.raises(FormatError, match="cannot be read: embedded null byte"):
        load("a\0b")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("hello there", "run.json: not JSON: Expecting value at line 1, column 1"),
        ('[\n{"role": "user",}\n]', "run.json: not JSON: Illegal trailing comma"),
        ('[{"role": "user"', "run.json: not JSON: Expecting ',' delimiter at line 1, column 17"),
        (f"{HI} {HI}", "run.json: not JSON: Extra data at line 1, column 35"),
        (f"{HI}\n{HI[:-1]}\n", "run.json, line 2: not JSON: Expecting ',' delimiter at column 33"),
        (f"{HI}\n\noops\n", "run.json, line 3: not JSON: Expecting value at column 1"),
    ],
)
def test_not_json(tmp_path: Path, data: str, message: str) -> None:
    if "trailing" in message and sys.version_info < (3, 13):
        message = "run.json: not JSON: Expecting property name enclosed in double quotes at line 2"
    assert refusal(tmp_path, data).startswith(message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'[\n"caf\xe9"]',
            "run.json: line 2 is not UTF-8 (byte 0xe9 at offset 6); save the file as UTF-8",
        ),
        ("[]".encode("utf-16"), "run.json: the text is UTF-16; save it as UTF-8"),
        (b"PK\x03\x04", "run.json: the archive is damaged: File is not a zip file"),
    ],
)
def test_not_text(tmp_path: Path, data: bytes, message: str) -> None:
    assert refusal(tmp_path, data) == message


def test_compressed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b'[{"role": "user", "content": "hi"}]'
    for suffix, pack in ((".gz", gzip.compress), (".zst", zstd.compress)):
        file = tmp_path / f"run.json{suffix}"
        file.write_bytes(pack(content))
        assert (load(file).id, load(file).turns[0].text) == ("run", "hi")
        file.write_bytes(pack(content)[:-9])
        with pytest.raises(FormatError, match="the compressed file is damaged"):
            load(file)
        monkeypatch.setattr(packed, "LIMIT", 20)
        file.write_bytes(pack(content))
        with pytest.raises(FormatError, match="unpacked, this is more than"):
            load(file)
        monkeypatch.undo()


@pytest.mark.parametrize("data", ["[" * 100_000, '{"messages":' * 50_000])
def test_nested_beyond_reason(tmp_path: Path, data: str) -> None:
    assert "the JSON is nested too deeply to be a transcript" in refusal(tmp_path, data)


def test_nested_too_deeply_to_write_again() -> None:
    """Some arguments can be parsed, but not written as text: writing needs more of the stack."""

    def exhausted() -> tuple[Turn, ...]:
        raise RecursionError

    with pytest.raises(FormatError, match=r"run\.json, line 4: the JSON is nested too deeply"):
        Conversation("deep", Place("run.json, line 4"), exhausted).read()


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_json_lacks(tmp_path: Path, constant: str) -> None:
    data = f'[\n{{"role": "user", "content": "NaN \\" NaN", "cost": {constant}}}]'
    assert refusal(tmp_path, data) == (
        f"run.json: {constant} at line 2, column 51 is not JSON; write null or a string"
    )


def test_a_constant_in_a_later_line(tmp_path: Path) -> None:
    message = refusal(tmp_path, f'{HI}\n{{"role": "user", "cost": NaN}}')
    assert message.startswith("run.json, line 2: NaN at column 26 is not JSON")


@pytest.mark.parametrize(
    ("number", "message"),
    [("1e999", "the number 1e999 is too large"), ("1" * 5000, "a number is too long to read")],
)
def test_numbers_that_python_cannot_hold(tmp_path: Path, number: str, message: str) -> None:
    assert message in refusal(tmp_path, f'[{{"role": "user", "cost": {number}}}]')


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    message = refusal(tmp_path, f'{HI}\n{{"role": "user", "content": "a", "content": "b"}}')
    assert message.startswith("run.json, line 2: the key 'content' stands twice in one object")


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(f"[{HI}]", encoding="utf-8-sig")
    assert load(file).turns[0].text == "hi"


def test_line_separators_inside_strings_are_text(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    text = "a\u2028b\x85c"
    file.write_text(HI.replace("hi", text) + f"\n{HI}\n", encoding="utf-8")
    assert load(file).turns[0].text == text


def test_work_grows_with_a_line_and_not_with_its_square(tmp_path: Path) -> None:
    def reading(count: int) -> Callable[[], object]:
        content = 'say "NaN" \\ ' * count
        good, bad = tmp_path / f"good-{count}.json", tmp_path / f"bad-{count}.json"
        good.write_text(json.dumps([{"role": "user", "content": content}]), encoding="utf-8")
        bad.write_text(good.read_text()[:-1] + ", NaN]", encoding="utf-8")

        def work() -> None:
            assert load(good).turns[0].content == content
            with pytest.raises(FormatError, match="NaN at column"):
                load(bad)

        return work

    assert growth(reading(40_000), reading(200_000)) < 15


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"[{HI}]".encode())))
    transcript = load("-")
    assert (transcript.id, transcript.origin) == ("stdin", "standard input")


def test_faults_on_standard_input_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(FormatError, match="standard input: the file is empty"):
        load("-")
