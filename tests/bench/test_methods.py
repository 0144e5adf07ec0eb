"""The table of all methods: it says what scoring says, and finds its place in the docs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.methods import BEGIN, END, main, put_into
from tests.bench.worlds import make_dataset
from tokengeist.attribution import attntrace, cached
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.scoring import score
from tokengeist.bench.store import RunFolder

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel


@pytest.fixture
def tiny_attntrace(tiny: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`attntrace` with a tiny model: what it finds does not matter here, and takes a minute."""
    monkeypatch.setattr(attntrace, "load_for", lambda _: tiny)
    monkeypatch.setattr(cached, "readings_directory", lambda: tmp_path / "readings")


@pytest.mark.usefixtures("tiny_attntrace")
def test_the_tables_say_what_scoring_says(tmp_path: Path) -> None:
    data = make_dataset(tmp_path / "data", ["x-sea-1", "x-air-1", "x-air-2"])
    synth = make_dataset(tmp_path / "synth", ["y-land-1"])
    beside = make_dataset(tmp_path / "beside", ["z-moon-1"])
    page = tmp_path / "page.md"
    page.write_text(f"# Results\n\n{BEGIN}\nstale\n{END}\n\nThe end.\n")
    asked = [str(data), str(synth), "--out", str(tmp_path / "runs"), "--docs", str(page)]
    asked += ["--beside", str(beside), "--only", "lexical", "blend"]
    main([*asked, "--attntrace", "1"])
    text = page.read_text()
    assert text.startswith("# Results")
    assert text.endswith("The end.\n")
    assert "stale" not in text
    rows = {line.split(" | ")[0][2:]: line for line in text.splitlines() if "|" in line}
    for name in (
        "blend, no model, fitted on synthetic worlds",
        "attntrace, flat",
        "attntrace, recursive",
    ):
        assert name in rows
    assert "blend with minilm, fitted on other domains" in rows
    fitted_on = RunFolder(tmp_path / "runs" / "blend-minilm").meta()["made_by"]["options"]
    assert fitted_on == {
        "model": "minilm",
        "weights": "the other domains of data, beside",
        "revision": "the other domains of data, beside",
    }
    flat = score(Dataset(data), RunFolder(tmp_path / "runs" / "flat-lexical"))
    first = next(line for line in text.splitlines() if line.startswith("| lexical, flat"))
    assert f"| {100 * flat.overall['edge_f1'].mean:.1f} [" in first
    missed = flat.mistakes.by_kind["result → call"]
    assert f"| result → call | 9 | {missed.missed} / {missed.spurious} |" in text


def test_a_page_without_a_place_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Results\n")
    with pytest.raises(SystemExit, match="no place"):
        put_into(page, "x")
    assert page.read_text() == "# Results\n"


def test_runs_of_blend_are_made_anew(tmp_path: Path) -> None:
    """Its features may have changed since; those of other methods are resumed."""
    data = make_dataset(tmp_path / "data", ["x-sea-1", "x-air-1"])
    synth = make_dataset(tmp_path / "synth", ["y-land-1"])
    asked = [str(data), str(synth), "--out", str(tmp_path / "runs"), "--beside", str(synth)]
    names = ("flat-lexical", "blend-synthetic", "blend-across", "blend-minilm")
    folders = [RunFolder(tmp_path / "runs" / name) for name in names]
    for _ in range(2):
        main([*asked, "--only", "lexical", "blend"])
    assert [len(folder.meta()["sessions"]) for folder in folders] == [2, 1, 1, 1]
