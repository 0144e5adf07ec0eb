"""The commands: thin, with JSON everywhere, and errors that end in exit code 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tokengeist.bench.dataset import Dataset
from tokengeist.cli.bench import app
from tokengeist.errors import DatasetError, TokengeistWarning

runner = CliRunner()


def call(*arguments: object, code: int = 0) -> str:
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def read(*arguments: object, code: int = 0) -> Any:
    return json.loads(call(*arguments, "--json", code=code))


def test_from_synthesis_to_report(tmp_path: Path) -> None:
    data = tmp_path / "synth"
    assert read("synth", "--n", 4, "--seed", 3, "--out", data)["conversations"] == 4
    valid = read("validate", data)
    assert (valid["conversations"], valid["is_valid"], valid["problems"]) == (4, True, [])
    for name, flat in (("deep", ()), ("flat", ("--flat",))):
        (summary,) = read("run", data, "--out", tmp_path / name, "--backend", "lexical", *flat)
        assert summary["errors"] == 0
    scores = read("score", data, tmp_path / "deep")
    assert set(scores["overall"]) >= {"edge_f1", "node_f1", "source_recall", "span_f1"}
    (comparison,) = read("compare", tmp_path / "flat", tmp_path / "deep")
    assert comparison["differences"]["source_recall"]["mean"] > 0
    (curve,) = read("ablate", "alpha", tmp_path / "deep", "--values", "0.5,0.85")
    stored = curve["points"][1]["edge_f1"]["mean"]
    assert stored == pytest.approx(scores["overall"]["edge_f1"]["mean"])
    pytest.importorskip("matplotlib")
    page = tmp_path / "report.html"
    assert read("report", tmp_path / "flat", tmp_path / "deep", "-o", page) == [str(page)]
    assert page.read_text().startswith("<!doctype html>")


def test_tables_are_readable(dataset: Dataset, tmp_path: Path) -> None:
    call("run", dataset.folder, "--out", tmp_path / "run", "--runs", 2)
    shown = call("score", dataset.folder, tmp_path / "run")
    assert "Edge F1" in shown
    assert "over 2 runs" in shown
    assert "95 % interval" in shown
    assert "Annotation targets" in call("stats", dataset.folder)
    assert "18 targets of 6 conversations" in call(
        "run", dataset.folder, "--out", tmp_path / "one", "--workers", 2
    )
    for what in ("alpha", "k", "depth", "granularity"):
        assert "Edge F1" in call("ablate", what, tmp_path / "one")
    assert "better, worse, same" in call("compare", tmp_path / "one", tmp_path / "one")


def test_a_run_with_failures_says_why_and_ends_with_1(dataset: Dataset, tmp_path: Path) -> None:
    dataset.conversation_path("c1").write_text("{]")
    asked = ["run", str(dataset.folder), "--out", str(tmp_path / "run"), "--backend", "lexical"]
    done = runner.invoke(app, asked)
    assert done.exit_code == 1
    assert "18 targets of 6 conversations, 3 failed" in done.stdout
    assert done.stderr.startswith("failed: c1: ")
    assert "not JSON" in done.stderr
    assert done.stderr.endswith("(2 more failed)\n")
    assert read(*asked, code=1)[0]["errors"] == 3


@pytest.mark.parametrize("what", ["alpha", "k", "depth", "granularity"])
def test_an_ablation_can_be_drawn(dataset: Dataset, tmp_path: Path, what: str) -> None:
    pytest.importorskip("matplotlib")
    call("run", dataset.folder, "--out", tmp_path / "run")
    call("ablate", what, tmp_path / "run", "--figure", tmp_path / "figure.svg")
    drawn = (tmp_path / "figure.svg").read_text()
    assert {"alpha": "α", "k": "without α", "depth": "maximum depth", "granularity": "word"}[
        what
    ] in drawn


def test_gold_can_be_rewritten(dataset: Dataset, tmp_path: Path) -> None:
    assert read("gold", dataset.folder, "--out", tmp_path / "offsets")["files"] == 6
    assert "target_span" in (tmp_path / "offsets" / "c0.json").read_text()


def test_gold_is_not_rewritten_in_place(dataset: Dataset) -> None:
    before = dataset.gold_path("c0").read_text()
    done = runner.invoke(
        app, ["gold", str(dataset.folder), "--out", f"{dataset.folder}/../data/gold"]
    )
    assert isinstance(done.exception, DatasetError)
    assert "holds the gold that is read" in str(done.exception)
    assert dataset.gold_path("c0").read_text() == before


def test_conversations_longer_than_asked_for_are_noted(tmp_path: Path) -> None:
    with pytest.warns(TokengeistWarning, match="^3 conversations have more than 3 turns"):
        call("synth", "--n", 3, "--turns", "1:3", "--out", tmp_path / "short")
    call("synth", "--n", 3, "--turns", "20:99", "--out", tmp_path / "long")


def test_a_broken_folder_fails_validation(dataset: Dataset) -> None:
    path = dataset.gold_path("c1")
    path.write_text(path.read_text().replace("north hall", "south hall"))
    said = call("validate", dataset.folder, code=1)
    assert "c1.json, target 'hall', turn 6: the target text is not verbatim" in said
    assert read("validate", dataset.folder, code=1)["is_valid"] is False


def test_a_sweep_prints_the_main_table(dataset: Dataset, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "sweep.toml"
    file.write_text(f'data = ["{dataset.folder}"]\nbackends = ["lexical"]\n')
    assert "Tg + Lexical" in call("sweep", file)
    assert (tmp_path / "results" / "report.html").is_file()


def test_imports_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    file.write_text(json.dumps([{"task_id": 1, "trial": 0, "traj": messages}]))
    found = read("import", "tau-bench", file, "--out", tmp_path / "out")
    assert found == {"conversations": 1}


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "DATA", "--out", "x", "--flat", "--max-depth", "3"),
        ("run", "DATA", "--out", "x", "--engine", "inline", "--workers", "2"),
        ("run", "DATA", "--out", "x", "--address", "auto"),
        ("compare", "x"),
        ("synth", "--out", "x", "--turns", "9"),
        ("synth", "--out", "x", "--mix", "direct"),
    ],
)
def test_contradictions_are_usage_errors(dataset: Dataset, arguments: tuple[str, ...]) -> None:
    call(*(str(dataset.folder) if part == "DATA" else part for part in arguments), code=2)


def test_help_stays_light() -> None:
    """Asking for help must not load what only some commands need."""
    script = (
        "import sys; from tokengeist.cli.bench import app; "
        "print([m for m in ('torch', 'ray', 'matplotlib', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
