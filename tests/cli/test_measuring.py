"""`--verify`, `faithfulness`, `probe train` and `cache`, with the real model on the refund."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import Run
from tokengeist.formats import example_path

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

REFUND = example_path("refund")


def test_verify_puts_the_shown_edges_to_the_test(run: Run) -> None:
    done = run("trace", REFUND, "--span", "full refund", "--turn", "4", "--paper", "--verify")
    assert done.code == 0
    assert "confirmed turn 3" in done.out
    data = json.loads(
        run("trace", REFUND, "--span", "on its way", "--paper", "--verify", "--json").out
    )
    tested = [e for e in data["edges"] if e["kind"] == "attribution" and e["kept"]]
    assert tested
    assert all(isinstance(e["drop"], float) and e["confirmation"] for e in tested)
    assert all(e["drop"] is None for e in data["edges"] if e not in tested)


def test_verify_names_the_model_that_did_it(
    run: Run, tiny: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokengeist.attribution.cached.load_judge", lambda _: tiny)
    span = ("--span", "full refund", "--turn", "3")
    done = run("trace", REFUND, *span, "--verify", "--render", "plain")
    assert f"blend with minilm; verified with {tiny.name}." in done.out


def faithfulness_of(run: Run, backend: str) -> dict[str, Any]:
    arguments = ["--span", "full refund", "--turn", "3", "--backend", backend, "--json"]
    data = json.loads(run("faithfulness", REFUND, *arguments).out)
    assert data["backend"] == backend
    assert -1 <= data["lds"] <= 1
    assert set(data["top_k_drop"]) == {"1", "3", "5"}
    return dict(data)


def test_faithfulness_with_the_real_model(run: Run) -> None:
    assert faithfulness_of(run, "attention")["model"] == "smollm2"


def test_faithfulness_of_a_backend_without_a_model(
    run: Run, tiny: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge, which takes its time, is the same for all backends: here a tiny one."""
    monkeypatch.setattr("tokengeist.attribution.cached.load_judge", lambda _: tiny)
    assert faithfulness_of(run, "lexical")["model"] == "tiny"


def test_a_probe_is_trained_and_used_and_training_resumes(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "probe"
    first = run("probe", "train", REFUND, "--out", out, "--masks", "4", "--json")
    assert first.code == 0, first.err
    checkpoints = {p: p.stat().st_mtime_ns for p in (out / "checkpoints").iterdir()}
    assert checkpoints
    again = run("probe", "train", REFUND, "--out", out, "--masks", "4", "--json")
    assert {p: p.stat().st_mtime_ns for p in (out / "checkpoints").iterdir()} == checkpoints
    assert json.loads(again.out)["train"] == json.loads(first.out)["train"]
    traced = run("trace", REFUND, "--turn", "4", "--backend", "at2", "--probe", out, "--json")
    assert json.loads(traced.out)["method"]["backend"] == "at2"


def test_an_empty_folder_is_no_training_set(run: Run, tmp_path: Path) -> None:
    done = run("probe", "train", tmp_path, "--out", tmp_path / "probe")
    assert done.code == 2
    assert "holds no .json or .jsonl file" in done.err


def test_the_cache_is_shown_and_cleared(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tokengeist.attribution.cached.readings_directory", lambda: tmp_path / "readings"
    )
    assert "0 readings" in run("cache").out
    run("trace", REFUND, "--turn", "4", "--paper")
    assert json.loads(run("cache", "--json").out)["readings"] == 1
    run("trace", REFUND, "--turn", "3", "--paper", "--no-cache")
    assert "1 readings" in run("cache", "--clear").out
    assert json.loads(run("cache", "--json").out)["readings"] == 0
