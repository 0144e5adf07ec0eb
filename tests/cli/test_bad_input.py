"""What no command can work with: said in a sentence, exit code 2, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.worlds import make_dataset
from tests.cli.conftest import Outcome, Run
from tokengeist.formats import example_path

REFUND = example_path("refund")
SERVER = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m")


@pytest.fixture
def call(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call a command in a folder of its own; DATA is a benchmark, RUN a run over it."""
    data = make_dataset(tmp_path / "data", ["x-air-1", "x-sea-1"])
    monkeypatch.chdir(tmp_path)

    def refused(*arguments: str | Path) -> Outcome:
        if "RUN" in arguments:
            run("bench", "run", data, "--backend", "lexical", "--out", "RUN")
        before = sorted(tmp_path.rglob("*"))
        done = run(*(data if argument == "DATA" else argument for argument in arguments))
        assert (done.code, done.out) == (2, "")
        assert sorted(tmp_path.rglob("*")) == before
        return done

    return refused


@pytest.mark.parametrize(
    "arguments",
    [
        ("bench", "run", "DATA"),
        ("bench", "synth", "--n", "1"),
        ("bench", "gold", "DATA"),
        ("bench", "subset", "DATA", "--targets", "1"),
        ("bench", "import", "tau-bench", "runs.json"),
        ("annotate", REFUND, *SERVER),
        ("probe", "train", REFUND),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:2])),
)
def test_a_file_where_a_folder_should_be_made(
    call: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "runs.json").write_text('[{"traj": [{"role": "user", "content": "hi"}]}]')
    (tmp_path / "taken.json").write_text("mine")
    done = call(*arguments, "--out", "taken.json")
    assert done.err.startswith("error: taken.json")
    assert "there is a file where a folder is needed" in done.err
    assert (tmp_path / "taken.json").read_text() == "mine"


def test_a_cache_that_is_a_file(call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("")
    monkeypatch.setenv("TOKENGEIST_CACHE", str(tmp_path / "cache"))
    assert "TOKENGEIST_CACHE is" in call("trace", REFUND, "--paper").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("trace", REFUND, "--backend", "attention"),
        ("trace", REFUND, "--paper"),
        ("faithfulness", REFUND),
        ("probe", "train", REFUND, "--out", "probe"),
        ("bench", "run", "DATA", "--out", "run"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:2])),
)
def test_a_rendering_that_does_not_exist(call: Run, arguments: tuple[str, ...]) -> None:
    done = call(*arguments, "--render", "foo")
    assert "'foo' is not one of 'plain', 'chat'" in " ".join(done.err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bench", "synth", "--out", "x", "--max-depth", "0"), "between 1 and 14, not 0"),
        (("bench", "synth", "--out", "x", "--max-depth", "99"), "between 1 and 14, not 99"),
        (("bench", "synth", "--out", "x", "--turns", "5:3"), "turns is a range"),
        (("bench", "synth", "--out", "x", "--mix", "direct=-1"), "not negative"),
        (("bench", "synth", "--out", "x", "--mix", "direct=nan"), "finite"),
        (("bench", "ablate", "alpha", "RUN", "--values", "2"), "alpha lies between 0 and 1"),
        (("bench", "ablate", "k", "RUN", "--values", "0"), "whole numbers from 1 up"),
        (("bench", "ablate", "k", "RUN", "--values", "1.5"), "whole numbers from 1 up"),
        (("bench", "ablate", "depth", "RUN", "--values", "0,99"), "whole numbers from 1 up"),
        (("fit", "DATA", "--across", "--domain", "("), "'(' is no pattern"),
        (("fit", "DATA", "--across", "--domain", "x"), "has no group"),
    ],
)
def test_values_that_cannot_be(call: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in call(*arguments).err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("[trace]\nalpha = 5", "alpha lies between 0 and 1, not 5"),
        ("[trace]\nalpha = 'high'", "not supported between"),
        ("[trace]\nmax_depth = 0", "max_depth is at least 1, not 0"),
        ("[trace]\ntop_k = 0", "top_k is at least 1, not 0"),
        ("[trace]\ngranularity = 'page'", "'page' is not a valid Granularity"),
        ("[options]\nrender = 'foo'", "a rendering is 'plain' or 'chat', not 'foo'"),
        ("limit = 0", "'limit' is a whole number from 1 up, not 0"),
        ("runs = 'two'", "'runs' is a whole number from 1 up, not 'two'"),
    ],
)
def test_a_sweep_with_values_that_cannot_be(
    call: Run, tmp_path: Path, setting: str, message: str
) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(f'data = ["data"]\nbackends = ["lexical"]\n{setting}\n')
    done = call("bench", "sweep", file)
    assert done.err.startswith(f"error: {file}: ")
    assert message in done.err
