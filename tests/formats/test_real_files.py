"""Real recordings, read where they lie: skipped where the shared data is absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tokengeist.formats import detect, list_conversations, load, load_all
from tokengeist.transcript import Role, Transcript

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not at hand")


def assert_linked(transcript: Transcript) -> None:
    """Every tool result follows the turn that made its call."""
    for turn in transcript.turns:
        if turn.role is Role.TOOL:
            site = transcript.call_sites[turn.index]
            made = transcript.turns[site.turn]
            assert site.turn < turn.index
            assert turn.call_id in {call.id for call in made.calls}


@pytest.mark.parametrize("file", sorted((DATA / "tau").glob("*.json")), ids=lambda file: file.stem)
def test_tau_bench_runs(file: Path) -> None:
    runs = json.loads(file.read_text("utf-8"))
    assert detect(file) == "tau-bench"
    transcripts = list(load_all(file))
    assert list_conversations(file) == tuple(f"{r['task_id']}-{r['trial']}" for r in runs)
    assert len(transcripts) == len(runs) >= 115
    for run, transcript in zip(runs, transcripts, strict=True):
        assert len(transcript.turns) == len(run["traj"])
        for message, turn in zip(run["traj"], transcript.turns, strict=True):
            assert (turn.role, turn.content) == (message["role"], message["content"] or "")
            written = [call["function"] for call in message.get("tool_calls") or []]
            assert [(c.name, c.arguments) for c in turn.calls] == [
                (function["name"], function["arguments"]) for function in written
            ]
        assert_linked(transcript)


@pytest.mark.parametrize(
    "file", sorted((DATA / "mtca-dev" / "conversations").glob("*.json")), ids=lambda file: file.stem
)
def test_annotated_conversations(file: Path) -> None:
    transcript = load(file)
    assert transcript.id == file.stem
    assert len(transcript.turns) == len(json.loads(file.read_text("utf-8"))["messages"])
    assert_linked(transcript)


def test_tau2_bench_results() -> None:
    file = DATA / "traces" / "tau2" / "results.json"
    (run,) = json.loads(file.read_text("utf-8"))["simulations"]
    assert detect(file) == "tau2-bench"
    transcript = load(file)
    assert transcript.id == "0-0"
    assert transcript.turns[0].content == run["policy"]
    assert [turn.content for turn in transcript.turns[1:]] == [
        message["content"] or "" for message in run["messages"]
    ]
    assert_linked(transcript)


@pytest.mark.parametrize(
    "file", sorted((DATA / "traces" / "inspect").glob("*.*")), ids=lambda file: file.stem
)
def test_inspect_logs(file: Path) -> None:
    assert detect(file) == "inspect"
    transcripts = list(load_all(file))
    assert [transcript.id for transcript in transcripts] == list(list_conversations(file))
    for transcript in transcripts:
        assert "attachment://" not in "".join(turn.text for turn in transcript.turns)
        assert transcript.turns[-1].role in (Role.ASSISTANT, Role.TOOL)
        assert_linked(transcript)


TRACES = DATA / "traces"


@pytest.mark.parametrize(
    ("folder", "format"),
    [
        ("langfuse", "langfuse"),
        ("otel-genai", "otel"),
        ("trail", "otel"),
        ("swe-agent", "swe-agent"),
        ("openhands", "openhands"),
        ("tooltalk", "tooltalk"),
    ],
)
def test_exported_traces(folder: str, format: str) -> None:
    files = [file for file in (TRACES / folder).iterdir() if "chatml" not in file.name]
    assert files
    for file in files:
        assert detect(file) == format
        for transcript in load_all(file):
            assert any(turn.role is Role.ASSISTANT and turn.text for turn in transcript.turns)
            assert not any(turn.text.startswith("[{") and turn.calls for turn in transcript.turns)
            for turn in transcript.turns:
                if turn.role is Role.TOOL:
                    site = transcript.call_sites[turn.index]
                    assert turn.name in (None, *(c.name for c in transcript.turns[site.turn].calls))


@pytest.mark.parametrize(
    "file", sorted((TRACES / "langfuse").glob("*.trace.json")), ids=lambda file: file.stem
)
def test_what_langfuse_shows_is_in_the_transcripts(file: Path) -> None:
    """Every message that Langfuse's own code finds in a generation."""
    shown = json.loads(file.with_name(file.name.replace(".trace.", ".chatml.")).read_text("utf-8"))
    observations = json.loads(file.read_text("utf-8"))["observations"]
    generations = {o["id"] for o in observations if o["type"] == "GENERATION"}
    said = {
        "".join(turn.content.split()) for transcript in load_all(file) for turn in transcript.turns
    }
    for id in generations & shown.keys():
        for side in ("input", "output"):
            for message in shown[id].get(side, {}).get("data", []):
                content = message.get("content")
                if message.get("role") in list(Role) and isinstance(content, str) and content:
                    assert "".join(content.split()) in said
