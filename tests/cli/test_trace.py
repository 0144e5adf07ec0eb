"""`tokengeist trace` and `turns`: what a user sees, and what a user is told when it cannot be."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import Run
from tokengeist.errors import TokengeistError
from tokengeist.export.graph_file import from_json, schema
from tokengeist.formats import example_path

Write = Callable[..., Path]
REFUND = example_path("refund")


def lexical(run: Run, *arguments: str | Path) -> Any:
    return run("trace", REFUND, "--backend", "lexical", *arguments)


def test_the_tree_goes_from_the_claim_to_the_user(run: Run) -> None:
    done = lexical(run, "--span", "full refund", "--turn", "4")
    assert done.code == 0
    turns = re.findall(r"turn (\d)", done.out)
    assert turns == ["4", "3", "2", "1", "0"]
    assert "╌╌ call turn 1" in done.out
    assert "turn 0 · user ■ source" in done.out
    assert "lexical, no model." in done.out
    assert "not proof" in done.out


def test_flat_stops_after_one_hop(run: Run) -> None:
    done = lexical(run, "--span", "full refund", "--turn", "4", "--flat")
    assert re.findall(r"turn (\d)", done.out) == ["4", "3"]
    assert "depth limit" in done.out


def test_json_is_the_unpruned_graph_by_its_schema(run: Run) -> None:
    done = lexical(run, "--span", "full refund", "--turn", "4", "--json")
    data = json.loads(done.out)
    jsonschema.validate(data, schema())
    graph, view = from_json(data)
    assert graph.target.turn == 4
    assert view.alpha == 0.85
    assert data["method"] == {"backend": "lexical", "model": None, "options": {}}


def test_options_reach_the_trace(run: Run) -> None:
    done = lexical(
        run, "--json", "--top-k", "1", "--max-depth", "2", "--min-score", "0.1", "--alpha", "0.5"
    )
    data = json.loads(done.out)
    assert data["trace"]["top_k"] == 1
    assert data["trace"]["max_depth"] == 2
    assert data["trace"]["min_score"] == 0.1
    assert data["view"]["alpha"] == 0.5
    words = json.loads(lexical(run, "--json", "--granularity", "word").out)
    attributed = [edge for edge in words["edges"] if edge["kind"] == "attribution"]
    assert all(" " not in e["text"] for edge in attributed for e in edge["evidence"])


def test_half_an_emoji_is_escaped_in_json(run: Run, tmp_path: Path) -> None:
    file, target = tmp_path / "chat.json", tmp_path / "graph.json"
    messages = [
        {"role": "user", "content": "My fee \ud83d is 12."},
        {"role": "assistant", "content": "The fee is 12 \ud83d."},
    ]
    file.write_text(json.dumps({"messages": messages}))
    asked = ("trace", file, "--span", "12 \ud83d", "--backend", "lexical")
    shown = run(*asked, "--json")
    assert (shown.code, run(*asked, "-o", target).code) == (0, 0)
    for text in (shown.out, target.read_text("utf-8")):
        assert json.loads(text)["target"]["spans"][0]["text"] == "12 \ud83d"


def test_a_file_is_written_whole(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "graph.json"
    assert lexical(run, "-o", target).code == 0
    assert from_json(json.loads(target.read_text("utf-8")))
    assert [path.name for path in tmp_path.iterdir()] == ["graph.json"]


@pytest.mark.parametrize("option", ["-o", "--html"])
def test_the_transcript_is_never_the_output(run: Run, tmp_path: Path, option: str) -> None:
    file, link = tmp_path / "refund.json", tmp_path / "link.json"
    shutil.copy(REFUND, file)
    link.symlink_to(file)
    for output in (file, link):
        done = run("trace", file, "--backend", "lexical", option, output)
        assert done.code == 2
        assert f"writing to {output} would destroy the transcript" in done.err
    assert file.read_bytes() == REFUND.read_bytes()


def test_an_output_stays_the_link_and_keeps_the_mode_that_it_has(run: Run, tmp_path: Path) -> None:
    target, link = tmp_path / "graph.json", tmp_path / "link.json"
    target.touch(0o600)
    link.symlink_to(target)
    assert lexical(run, "-o", link).code == 0
    assert link.is_symlink()
    assert from_json(json.loads(target.read_text("utf-8")))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_pipe_is_written_to(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as received:
        assert lexical(run, "-o", pipe).code == 0
        assert from_json(json.loads(received.read()))
    assert pipe.is_fifo()


def test_mermaid_and_dot(run: Run, tmp_path: Path) -> None:
    assert lexical(run, "--mermaid").out.startswith("flowchart TD\n")
    lexical(run, "--dot", "-o", tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text("utf-8").startswith("digraph provenance {")


def test_a_transcript_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(Path(REFUND).read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    done = run("trace", "-", "--backend", "lexical")
    assert done.code == 0
    assert "turn 4" in done.out


def test_a_character_range(run: Run) -> None:
    done = lexical(run, "--turn", "4", "--chars", "6:22", "--json")
    assert json.loads(done.out)["target"]["spans"][0]["text"] == "Your full refund"


def test_escape_sequences_never_reach_the_terminal(run: Run, write: Write) -> None:
    messages = [
        {"role": "user", "content": "clear \x1b[2J screen \x9b31m now"},
        {"role": "assistant", "content": "clear \x1b[2J screen now \u202e"},
    ]
    for command in (["trace", write(messages), "--backend", "lexical"], ["turns", write(messages)]):
        done = run(*command)
        assert done.code == 0
        assert not set(done.out) & set("\x1b\x9b\u202e")
    failed = run("trace", write(messages), "--span", "\x1b[2J nope")
    assert "\x1b" not in failed.err


def test_turns_lists_indices_roles_and_links(run: Run) -> None:
    lines = run("turns", REFUND).out.splitlines()
    assert lines[0].split() == ["turn", "role", "answers", "text"]
    assert lines[3].split()[:4] == ["2", "tool", "look_up_order", "1"]
    data = json.loads(run("turns", REFUND, "--json").out)
    assert [turn["role"] for turn in data["turns"]][:3] == ["user", "assistant", "tool"]
    assert data["turns"][2]["answers"] == 1


def test_turns_lists_the_conversations_of_a_file_with_several(run: Run, write: Write) -> None:
    runs = [{"task_id": 5, "trial": n, "traj": chat("user", "assistant")} for n in range(7)]
    file = write(runs)
    ids = [f"5-{n}" for n in range(7)]
    listed = run("turns", file)
    assert (listed.code, listed.out.splitlines()) == (0, ids)
    assert json.loads(run("turns", file, "--json").out) == ids
    assert "assistant speaks" in run("turns", file, "--conversation", "5-6").out
    refused = run("trace", file)
    assert refused.code == 2
    assert "--conversation ID. `tokengeist turns FILE` lists them all" in refused.err


def test_backends_are_listed(run: Run) -> None:
    names = {entry["name"] for entry in json.loads(run("backends", "--json").out)}
    assert {"lexical", "attention"} <= names
    assert "lexical" in run("backends").out


def chat(*roles: str) -> list[dict[str, str]]:
    return [{"role": role, "content": f"{role} speaks"} for role in roles]


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
BAD_TRANSCRIPTS: dict[str, tuple[Any, str]] = {
    "empty file": ("", r"empty"),
    "not JSON": ("Hello there", r"not JSON.*line 1"),
    "no known format": ({"weather": "fine"}, r"weather"),
    "unknown role": (chat("user", "narrator"), r"message 1.*'narrator'.*assistant"),
    "result without a call": (
        [*chat("user"), {"role": "tool", "tool_call_id": "x", "content": "42"}],
        r"1 .*'x'",
    ),
    "duplicate call ids": (
        [
            *chat("user"),
            {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
        ],
        r"turn 1 reuses tool call id 'c'",
    ),
    "assistant without text": (
        [*chat("user"), {"role": "assistant", "content": ""}],
        r"no assistant turn with text",
    ),
}


@pytest.mark.parametrize("name", BAD_TRANSCRIPTS)
def test_bad_transcripts_get_a_clear_error(run: Run, write: Write, name: str) -> None:
    content, message = BAD_TRANSCRIPTS[name]
    done = run("trace", write(content))
    assert done.code == 2
    assert re.search(message, done.err, re.DOTALL), done.err
    assert done.err.startswith("error: ")
    assert done.out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--span", "My trip is off"], "turn 0, a user turn; only assistant turns can be traced"),
        (["--span", "full refund"], "occurs in 2 turns; say which one with --turn"),
        (["--span", "a fulll refnd"], "the nearest is in turn"),
        (["--turn", "2"], "turn 2 is a tool turn; only assistant turns can be traced"),
        (["--turn", "4", "--chars", "oops"], "--chars takes a range such as 10:42"),
        (["--backend", "lexcal"], "no attributor named 'lexcal'. Did you mean 'lexical'?"),
        (["--format", "opnai"], "no format named 'opnai'"),
        (["-o", "/no/such/folder/graph.json", "--backend", "lexical"], "cannot write"),
        (["--flat", "--max-depth", "3"], "--flat means --max-depth 1"),
        (["--json", "--dot"], "choose one of"),
        (["-o", "page.html"], "-o page.html would hold something else; say --html FILE"),
        (["-o", "graph.dot", "--json"], "say --dot"),
        (["--paper", "--backend", "blend"], "--paper means --backend attention; give one of them"),
        (["-o", "-"], "give the name of a file"),
        (["--html", "-"], "give the name of a file"),
        (["--alpha", "2"], "--alpha"),
    ],
)
def test_bad_questions_get_a_clear_error(run: Run, arguments: list[str], message: str) -> None:
    done = run("trace", REFUND, *arguments)
    assert done.code == 2
    assert message in " ".join(done.err.replace("│", " ").split())


def test_a_file_that_is_not_there(run: Run) -> None:
    done = run("trace", "nowhere.json")
    assert (done.code, "nowhere.json" in done.err) == (2, True)


def test_what_the_encoding_cannot_carry_is_escaped(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, "ascii", write_through=True))
    assert lexical(run, "--turn", "4").code == 0
    assert rb"\u2514\u2500\u2500" in shown.getvalue()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("is_buffered", [True, False])
def test_a_full_disk_is_an_error_without_a_traceback(is_buffered: bool) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": "" if is_buffered else "1"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tokengeist", "turns", REFUND, "--json"],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "error: cannot write: No space left on device\n")


def test_interruption_leaves_nothing_half_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    done = lexical(run, "-o", tmp_path / "graph.json")
    assert done.code == 130
    assert list(tmp_path.iterdir()) == []


def test_errors_of_the_library_have_one_root() -> None:
    from tokengeist import errors

    own = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, Exception)]
    strangers = {v.__name__ for v in own if not issubclass(v, TokengeistError)}
    assert strangers == {"TokengeistWarning"}
