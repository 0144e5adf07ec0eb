"""Weights on conversations whose domain they have not seen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.bench.worlds import make_dataset
from tokengeist.attribution.blend.model import Weights
from tokengeist.attribution.blend.revision import Revision
from tokengeist.attribution.registry import BackendOptions
from tokengeist.bench.calibration import bands, scored_links
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.fit import CUT, all_examples, fit
from tokengeist.bench.revision import Talk, fit_revision, read_datasets, read_talks
from tokengeist.bench.run import run
from tokengeist.bench.scoring import score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.synth import generate, write
from tokengeist.bench.transfer import across, domains, each, elsewhere, transfer
from tokengeist.bench.worker import Method
from tokengeist.cli.main import app
from tokengeist.errors import DatasetError, RunError
from tokengeist.models.sentences import SentenceModel


@pytest.fixture
def two(tmp_path: Path) -> Dataset:
    return Dataset(make_dataset(tmp_path / "two", ["x-sea-1", "x-sea-2", "x-air-1"]))


@pytest.fixture
def other(tmp_path: Path) -> Dataset:
    return Dataset(make_dataset(tmp_path / "other", ["y-land-1"]))


def test_a_transfer_tests_where_it_did_not_fit(mtca_dev: Dataset, tmp_path: Path) -> None:
    rows = transfer(mtca_dev, across(mtca_dev), tmp_path / "run")
    assert {(row.fitted_on, row.tested_on) for row in rows} == {
        (("airline",), "retail"),
        (("retail",), "airline"),
    }
    assert sum(row.scores.targets for row in rows) == 156
    for row in rows:  # well below what was measured, well above every other method
        assert row.scores.overall["edge_f1"].mean > 0.75
        assert row.scores.overall["node_f1"].mean > 0.78
        assert row.scores.overall["span_f1"].mean > 0.52
    whole = score(mtca_dev, RunFolder(tmp_path / "run")).overall["edge_f1"]
    parts = [row.scores.overall["edge_f1"] for row in rows]
    assert whole.mean == pytest.approx(sum(part.mean * part.n for part in parts) / 156)


def test_synthetic_worlds_teach_about_real_ones(mtca_dev: Dataset, tmp_path: Path) -> None:
    write(tmp_path / "synth", generate(12, seed=5))
    rows = transfer(mtca_dev, elsewhere([Dataset(tmp_path / "synth")], mtca_dev))
    assert [(row.fitted_on, row.tested_on) for row in rows] == [
        (("synth",), "airline"),
        (("synth",), "retail"),
    ]
    assert all(row.scores.overall["edge_f1"].mean > 0.6 for row in rows)


def test_every_division_leaves_its_own_domain_out(
    two: Dataset, other: Dataset, tmp_path: Path
) -> None:
    assert [(part.fitted_on, part.tested_on, part.ids) for part in across(two)] == [
        (("sea",), "air", ("x-air-1",)),
        (("air",), "sea", ("x-sea-1", "x-sea-2")),
    ]
    air, sea = across(two)
    assert air.weights != sea.weights
    assert [part.tested_on for part in elsewhere([other], two)] == ["air", "sea"]
    with pytest.raises(DatasetError, match="test on another"):
        elsewhere([other, two], two)
    more = Dataset(make_dataset(tmp_path / "more", ["z-sea-1", "nowhere"]))
    with pytest.raises(DatasetError, match="share the domain sea;"):
        elsewhere([other, more], two)


def test_other_data_sets_are_fitted_on_as_well(two: Dataset, other: Dataset) -> None:
    alone, beside = across(two), across(two, others=[other])
    assert [part.fitted_on for part in beside] == [("sea", "other"), ("air", "other")]
    for one, more in zip(alone, beside, strict=True):
        assert one.weights.groups != more.weights.groups


@pytest.mark.parametrize("id", ["z-air-1", "z-air"])
def test_what_other_data_sets_have_of_the_tested_domain_is_left_out(
    two: Dataset, tmp_path: Path, id: str
) -> None:
    mixed = Dataset(make_dataset(tmp_path / "mixed", [id, "z-land-1"]))
    land = Dataset(make_dataset(tmp_path / "land", ["z-land-1"]))
    air, sea = across(two, others=[mixed])
    without_air, without_sea = across(two, others=[land])
    assert air.weights.groups == without_air.weights.groups
    assert sea.weights.groups != without_sea.weights.groups


def test_every_folder_is_tested_without_itself(two: Dataset, other: Dataset) -> None:
    parts = dict(each([two, other]))
    assert parts[two].weights == fitted([other])
    assert parts[other].weights == fitted([two])
    assert parts[two].ids == two.ids
    for wrong, message in (([two], "two or more"), ([two, Dataset(two.folder)], "test on another")):
        with pytest.raises(DatasetError, match=message):
            list(each(wrong))
    asked = ["fit", str(two.folder), str(other.folder), "--each", "--json"]
    found = json.loads(CliRunner().invoke(app, asked).stdout)
    assert [(s["tested_on"], s["targets"]) for s in found["sets"]] == [("two", 9), ("other", 3)]
    scored = [pair for d, part in parts.items() for pair in scored_links(d, part.attributor)]
    assert found["calibration"] == [band.json() for band in bands(scored)]
    shown = CliRunner().invoke(app, asked[:-1]).stdout
    assert "the other folders" in shown
    last = bands(scored)[-1]
    assert f"0.9 to 1     {last.links}     {100 * last.sources / last.links:.0f} %" in shown


def test_every_folder_is_tested_with_a_model_fitted_without_it(
    two: Dataset, other: Dataset
) -> None:
    model = SentenceModel.find("a test")
    free, both = dict(each([two, other])), dict(each([two, other], model=model))
    for tested, beside in ((two, other), (other, two)):
        assert both[tested].weights == free[tested].weights
        data = read_datasets([beside], model)
        same(both[tested].revision, fit_revision(data, beside.name, both[tested].weights))
        assert both[tested].attributor.spec.model == "minilm"
        assert free[tested].attributor.spec.model is None


def test_a_test_of_every_folder_goes_on_where_it_stopped(
    two: Dataset, other: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the model adds takes minutes to fit for a folder, and there may be thirty."""
    kept, model = tmp_path / "kept", SentenceModel.find("a test")
    _, first = next(each([two, other], model=model, kept=kept))  # and no further
    fits: list[str] = []

    def counted(talks: list[Talk], name: str, free: Weights) -> Revision:
        fits.append(name)
        return fit_revision(talks, name, free)

    monkeypatch.setattr("tokengeist.bench.transfer.fit_revision", counted)
    parts = dict(each([two, other], model=model, kept=kept))
    assert fits == ["two"]
    same(parts[two].revision, first.revision)
    assert parts[two].revision.nameless() == first.revision.nameless()  # type: ignore[union-attr]
    again = dict(each([two, other], model=model, kept=kept))
    assert fits == ["two"]
    same(again[other].revision, parts[other].revision)


def test_what_was_kept_of_other_data_is_refused(
    two: Dataset, other: Dataset, tmp_path: Path
) -> None:
    kept, model = tmp_path / "kept", SentenceModel.find("a test")
    next(each([two, other], model=model, kept=kept))
    renewed = make_dataset(tmp_path / "new" / "other", ["y-land-1", "y-land-2"])
    with pytest.raises(RunError, match=r"two\.json was fitted to other data"):
        next(each([two, Dataset(renewed)], model=model, kept=kept))
    (kept / "two.json").write_text("{")
    with pytest.raises(RunError, match="remove it to fit it again"):
        next(each([two, other], model=model, kept=kept))
    namesake = Dataset(make_dataset(tmp_path / "new" / "two", ["y-land-1"]))
    with pytest.raises(DatasetError, match="two folders are called two"):
        next(each([two, namesake], kept=kept))


def test_every_folder_has_a_run_of_its_own(two: Dataset, other: Dataset, tmp_path: Path) -> None:
    asked = ["fit", str(two.folder), str(other.folder), "--each", "--json"]
    asked += ["--model", "minilm", "--run", str(tmp_path / "runs")]
    first, second = (CliRunner().invoke(app, asked) for _ in range(2))
    assert json.loads(first.stdout) == json.loads(second.stdout)
    assert score(two, RunFolder(tmp_path / "runs" / "two")).targets == 9
    assert score(other, RunFolder(tmp_path / "runs" / "other")).targets == 3


def same(found: Revision | None, wanted: Revision | None) -> None:
    assert found
    assert wanted
    assert found.name == wanted.name
    for role, weights in wanted.weights.items():
        assert found.weights[role] == pytest.approx(weights, abs=1e-4)


def fitted(datasets: list[Dataset]) -> Weights:
    return Weights(fit(all_examples(datasets)), CUT, ", ".join(d.name for d in datasets))


def test_what_a_model_adds_is_fitted_without_the_tested_domain(
    two: Dataset, other: Dataset
) -> None:
    model = SentenceModel.find("a test")
    free = across(two, others=[other])
    both = across(two, model=model, others=[other])
    assert [(part.fitted_on, part.tested_on) for part in both] == [
        (("sea", "other"), "air"),
        (("air", "other"), "sea"),
    ]
    assert [part.weights for part in both] == [part.weights for part in free]
    for part, seen in zip(both, (("x-sea-1", "x-sea-2"), ("x-air-1",)), strict=True):
        talks = read_talks([*map(two.conversation, seen), *other], (), model)
        same(part.revision, fit_revision(talks, "the other domains of two, other", part.weights))
    with pytest.raises(DatasetError, match="test on another"):
        across(two, model=model, others=[two])


def test_a_trial_is_a_run_of_its_own(two: Dataset, other: Dataset, tmp_path: Path) -> None:
    transfer(two, across(two), tmp_path / "run")
    assert score(two, RunFolder(tmp_path / "run")).targets == 9
    with pytest.raises(RunError, match="holds a run with other weights"):
        transfer(two, elsewhere([other], two), tmp_path / "run")
    run(two, tmp_path / "shipped", Method("blend", BackendOptions(model="none")))
    with pytest.raises(RunError, match="holds a run with other weights"):
        transfer(two, across(two), tmp_path / "shipped")


def test_domains_are_named_by_the_ids(two: Dataset) -> None:
    assert domains(two) == {"air": ("x-air-1",), "sea": ("x-sea-1", "x-sea-2")}
    with pytest.raises(DatasetError, match="names no domain"):
        domains(two, r"(\d+)$")


def test_one_domain_cannot_be_transferred(other: Dataset) -> None:
    with pytest.raises(DatasetError, match="needs two"):
        across(other)


def test_the_command_prints_a_table(two: Dataset, other: Dataset, tmp_path: Path) -> None:
    table = CliRunner().invoke(app, ["fit", str(two.folder), "--across"])
    assert table.exit_code == 0
    assert re.search(r"sea\s+air\s+\d", table.stdout)
    asked = ["fit", str(two.folder), str(other.folder), "--model", "minilm", "--across"]
    assert re.search(r"sea, other\s+air\s+\d", CliRunner().invoke(app, asked).stdout)
    asked = ["fit", str(other.folder), "--test", str(two.folder), "--json"]
    found = CliRunner().invoke(app, [*asked, "--run", str(tmp_path / "run")])
    rows = json.loads(found.stdout)
    assert [(row["fitted_on"], row["tested_on"]) for row in rows] == [
        (["other"], "air"),
        (["other"], "sea"),
    ]
    assert len((tmp_path / "run" / "predictions.jsonl").read_text().splitlines()) == 9


def test_a_test_that_makes_no_sense_is_refused(two: Dataset) -> None:
    folder = str(two.folder)
    for said in (["--across", "--test", folder], ["--run", "x"], ["--across", "-o", "w.json"]):
        assert CliRunner().invoke(app, ["fit", folder, *said]).exit_code == 2
