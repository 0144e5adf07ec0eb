"""Detection, choice of a conversation, the registry, the examples; and that nothing crashes."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokengeist.errors import FormatError, TokengeistError, UnknownNameError
from tokengeist.formats import (
    Conversation,
    Document,
    detect,
    example_names,
    example_path,
    format_names,
    list_conversations,
    load,
    load_all,
    registry,
)
from tokengeist.transcript import Role, Turn

RUNS = [
    {"task_id": 5, "trial": trial, "reward": 0.0, "info": {}, "traj": [{"role": "user"}]}
    for trial in range(7)
]


def write(file: Path, value: object) -> Path:
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def test_tau_bench_runs_are_named_by_task_and_trial(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.json", RUNS)
    assert detect(file) == "tau-bench"
    assert list_conversations(file)[:2] == ("5-0", "5-1")
    assert load(file, conversation="5-6").id == "5-6"


def test_tau_bench_runs_one_a_line_or_alone_or_unnamed(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(map(json.dumps, RUNS)), encoding="utf-8")
    assert len(list(load_all(file))) == 7
    assert load(write(tmp_path / "one.json", RUNS[0])).id == "5-0"
    unnamed = [{"traj": [{"role": "user"}]}, {"traj": [{"role": "user"}], "task_id": "x"}]
    assert list_conversations(write(tmp_path / "un.json", unnamed)) == ("run0", "x")


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([*RUNS, {}], "runs.json, run 7: the run has no 'traj'; it is an empty object"),
        ([{"traj": 3}], "run 0: 'traj' should be a list but is a number"),
        ([{"traj": []}], "run 0: the conversation has no messages"),
        ([{"traj": [{"role": "x"}]}], "run 0, message 0: unknown role 'x'"),
    ],
)
def test_tau_bench_faults(tmp_path: Path, runs: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(load_all(write(tmp_path / "runs.json", runs)))
    assert message in str(caught.value)


def test_several_conversations_need_a_choice(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(tmp_path / "runs.json", RUNS))
    assert str(caught.value).endswith(
        "the file holds 7 conversations (5-0, 5-1, 5-2, 5-3, 5-4, …); "
        "say which one with --conversation ID. `tokengeist turns FILE` lists them all"
    )


def test_a_conversation_nobody_has(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load(write(tmp_path / "runs.json", RUNS), conversation="5-66")
    assert "has no conversation '5-66'. Did you mean '5-6'? It holds 7: 5-0" in str(caught.value)


def test_a_file_without_conversations(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no conversation"):
        load(write(tmp_path / "runs.json", []), format="tau-bench")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": 1, "b": 2}, "an object with the keys 'a', 'b'"),
        ({str(n): n for n in range(10)}, "'7' and 2 more"),
        ({"k" * 100: 1}, "an object with the key 'kkk"),
        ([1, 2], "a list of 2, first a number"),
        ([[[]]], "a list of 1, first a list"),
        ("text", "a string"),
        (None, "null"),
        (True, "true"),
        ({}, "an empty object"),
    ],
)
def test_json_of_no_known_format(tmp_path: Path, value: object, found: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(write(tmp_path / "x.json", value))
    message = str(caught.value)
    assert "x.json: this is JSON but no known kind of transcript: " in message
    assert found in message
    assert "Known formats: " in message
    assert all(name in message for name in format_names())
    assert len(message) < 500


def test_a_format_nobody_has() -> None:
    with pytest.raises(UnknownNameError, match=r"'openia'\. Did you mean 'openai'\?"):
        load(example_path("refund"), format="openia")


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    assert load(example_path("refund"), format="openai").id == "refund"
    with pytest.raises(FormatError, match=r"refund\.json: 'format' should be 'tokengeist\.trans"):
        load(example_path("refund"), format="native")


def _point(target: object) -> EntryPoint:
    class Point(EntryPoint):
        def load(self) -> object:
            if isinstance(target, Exception):
                raise target
            return target

    return Point("plain", "elsewhere:reader", registry.GROUP)


def _conversations(document: Document) -> list[Conversation]:
    return [Conversation("only", document.place, lambda: (Turn(0, Role.USER, document.text),))]


def _recognises(document: Document) -> bool:
    return document.data.startswith(b"> ")


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> dict[str, EntryPoint]:
    points: dict[str, EntryPoint] = {}
    monkeypatch.setattr(registry, "_outside", lambda: points)
    return points


def test_an_outside_reader_is_found_by_name(outside: dict[str, EntryPoint], tmp_path: Path) -> None:
    reader = SimpleNamespace(recognises=_recognises, conversations=_conversations)
    outside["plain"] = _point(reader)
    file = tmp_path / "x.txt"
    file.write_text("> hi")
    assert "plain" in format_names()
    assert load(file, format="plain").turns[0].text == "> hi"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (ImportError("no module named x"), "cannot be loaded: no module named x"),
        (SimpleNamespace(), "needs the functions 'recognises' and 'conversations'"),
    ],
)
def test_a_broken_outside_reader_is_named(
    outside: dict[str, EntryPoint], target: object, message: str
) -> None:
    outside["plain"] = _point(target)
    with pytest.raises(FormatError) as caught:
        load(example_path("refund"), format="plain")
    assert f"the reader of format 'plain' (elsewhere:reader) {message}" in str(caught.value)
    assert load(example_path("refund")).id == "refund"


def test_the_refund_walk_through() -> None:
    transcript = load(example_path("refund"))
    roles = [turn.role.value for turn in transcript.turns]
    assert roles == ["user", "assistant", "tool", "assistant", "assistant"]
    assert transcript.call_sites[2].turn == 1


def test_examples_have_names() -> None:
    assert example_names() == ("observatory", "refund")
    with pytest.raises(UnknownNameError, match=r"'refnd'\. Did you mean 'refund'\?"):
        example_path("refnd")


# Keys and words that readers look for, so that random values get past the first check.
_WORDS = st.sampled_from(
    re.findall(
        r"\S+",
        """role content messages traj turns format version type text tool_calls function name
        arguments id tool_call_id request response choices message user assistant tool system
        task_id trial function_call error tokengeist.transcript calls body custom is_summary
        call_id simulations policy tool_messages steps source agent schema_version ATIF-v1.8
        observation results contents parts functionCall functionResponse args model data kwargs lc
        ai human tool_use tool_result input additional_kwargs output
        instructions function_call_output web_search_call reasoning eval samples attachments
        uuid parentUuid isSidechain spans attributes traceId trace_id gen_ai.operation.name chat
        gen_ai.input.messages gen_ai.output.messages llm.input_messages.0.message.role tool_call
        execute_tool gen_ai.tool.name gen_ai.output observations GENERATION TOOL run_type llm
        inputs outputs info mlflow.spanType CHAT_MODEL mlflow.spanInputs payload response_item
        session_meta compacted conversations from value gpt function_call history message_type
        action cause event conversation apis""",
    )
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("format", [None, *format_names()])
@given(value=JSON)
def test_no_json_crashes_a_reader(format: str | None, value: object) -> None:
    document = Document("x.json", "x", json.dumps(value).encode())
    with suppress(TokengeistError):
        name = registry.detect_format(document) if format is None else format
        for conversation in registry.reader(name).conversations(document):
            conversation.read()


@given(st.binary(max_size=40))
def test_no_bytes_crash_detection(data: bytes) -> None:
    with suppress(FormatError):
        registry.detect_format(Document("x.json", "x", data))


def test_every_format_is_on_its_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    named = re.findall(r"`([a-z0-9-]+)`", "".join(re.findall(r"^\| (`.*?`) \|", page, re.M)))
    assert sorted(named) == sorted(format_names())
