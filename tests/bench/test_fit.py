"""Fitting the blend backend's weights, and testing them on a domain they have not seen."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.tau import __main__ as tau
from tests.bench.worlds import make_dataset
from tokengeist.attribution.blend import revision
from tokengeist.attribution.blend.model import BIAS, Weights, shipped_data, starting_weights
from tokengeist.attribution.blend.revision import Revision
from tokengeist.bench import links
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.fit import (
    CUT,
    Example,
    examples,
    fit,
    weights_json,
)
from tokengeist.bench.links import links_digest
from tokengeist.bench.revision import revision_json
from tokengeist.cli.main import app
from tokengeist.models.sentences import SentenceModel

REVISION = Path(revision.__file__).with_name("revision.json")
GROUP = "call/assistant"
NAMES = [name for name in starting_weights()[GROUP] if name != BIAS]


def example(is_source: bool, **values: float) -> Example:
    return Example(GROUP, {name: values.get(name, 0.0) for name in NAMES}, is_source)


def test_without_examples_weights_stay_where_they_start() -> None:
    assert fit([]) == starting_weights()


def test_weights_follow_the_data() -> None:
    start = starting_weights()[GROUP]
    for is_source, sign in ((True, 1), (False, -1)):
        moved = fit([example(is_source, wrote_argument=1.0)] * 40)[GROUP]
        assert sign * (moved["wrote_argument"] - start["wrote_argument"]) > 0.1
        assert moved["thought_near"] == pytest.approx(start["thought_near"])


def test_the_fit_is_at_the_optimum() -> None:
    data = [example(n % 3 == 0, wrote_argument=1.0, wrote_share=n / 10) for n in range(10)]
    data += [example(n % 4 == 0, chose_argument=1.0) for n in range(10)]
    stiffness = 2.0
    weights = fit(data, stiffness=stiffness)[GROUP]
    start = starting_weights()[GROUP]
    model = Weights({GROUP: weights}, CUT)
    for name in (BIAS, *NAMES):
        pull = stiffness * (0.1 if name == BIAS else 1.0) * (weights[name] - start[name])
        slope = sum(
            (model.probability(GROUP, e.features) - e.is_source) * e.features.get(name, 1.0)
            for e in data
        )
        assert math.isclose(pull + slope, 0.0, abs_tol=1e-6)


def test_examples_name_every_gold_source_once(mtca_dev: Dataset) -> None:
    conversation = mtca_dev.conversation("tau-airline-005-0")
    found = list(examples(conversation))
    assert sum(e.is_source for e in found) == 25
    assert {e.group for e in found} <= starting_weights().keys()
    for e in found:
        assert e.features.keys() | {BIAS} == starting_weights()[e.group].keys()


HANDWRITTEN = Path(__file__).parents[2] / "benchmarks" / "handwritten"


def test_the_shipped_weights_come_from_this_command(
    mtca_dev: Dataset, shared_data: Path, tmp_path: Path
) -> None:
    runs = list(tau.runs(shared_data / "tau"))
    for gold in tau.sets():
        tau.assemble(gold, runs, tmp_path / gold.name)
    folders = [*sorted(tmp_path.iterdir()), *sorted(HANDWRITTEN.glob("*/"))]
    made = weights_json([mtca_dev, *map(Dataset, folders)])
    shipped = shipped_data()
    assert made["fitted_on"] == shipped["fitted_on"]
    for group, entries in shipped["weights"].items():
        for name, entry in entries.items():
            assert made["weights"][group][name]["fitted"] == pytest.approx(
                entry["fitted"], abs=1e-3
            )


def test_the_shipped_revision_says_which_data_it_was_made_from(
    mtca_dev: Dataset, shared_data: Path, tmp_path: Path
) -> None:
    """Making it again takes too long for a test; that the data are those can be seen at once."""
    runs = list(tau.runs(shared_data / "tau"))
    for gold in tau.sets():
        tau.assemble(gold, runs, tmp_path / gold.name)
    tau.assemble(tau.GOLD / "hops", runs, tmp_path / "tau-hops", links.FOLDER)
    folders = [*tmp_path.iterdir(), *HANDWRITTEN.glob("*/"), HANDWRITTEN.parent / "hops"]
    shipped = json.loads(REVISION.read_text())["fitted_on"]
    assert shipped["digests"] == {
        dataset.name: {"benchmark": dataset.digest(), "links": links_digest(dataset)}
        for dataset in (mtca_dev, *map(Dataset, folders))
    }
    assert shipped["weights"] == shipped_data()["fitted_on"]["name"]


def test_the_command_writes_weights(tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "data", ["x-sea-1", "x-air-1"])
    out = tmp_path / "weights.json"
    assert CliRunner().invoke(app, ["fit", str(folder), "-o", str(out)]).exit_code == 0
    assert Weights.from_json(json.loads(out.read_text())).name == "data (2)"
    other = make_dataset(tmp_path / "other", ["y-land-1"])
    both = CliRunner().invoke(app, ["fit", str(folder), str(other), "-o", str(out)])
    assert both.exit_code == 0
    assert Weights.from_json(json.loads(out.read_text())).name == "data (2), other (1)"


def test_several_data_sets_are_named_and_all_count(tmp_path: Path) -> None:
    small, large = (
        Dataset(make_dataset(tmp_path / name, ids))
        for name, ids in (("small", ["x-sea-1"]), ("large", ["y-air-1", "y-air-2", "y-air-3"]))
    )
    model = SentenceModel.find("a test")
    both, revision = revision_json([small, large], model)
    assert both["fitted_on"]["name"] == revision.name == "small (1), large (3)"
    digests = both["fitted_on"]["digests"]
    assert {name: found["benchmark"] for name, found in digests.items()} == {
        "small": small.digest(),
        "large": large.digest(),
    }
    assert both["weights"] != revision_json([small], model)[0]["weights"]


def test_the_command_fits_what_the_model_adds(tmp_path: Path) -> None:
    one = make_dataset(tmp_path / "one", ["x-sea-1"])
    two = make_dataset(tmp_path / "two", ["y-air-1"])
    out = tmp_path / "revision.json"
    done = CliRunner().invoke(app, ["fit", str(one), str(two), "--model", "minilm", "-o", str(out)])
    assert done.exit_code == 0
    made = Revision.from_files(
        json.loads(out.read_text()), out.with_suffix(".safetensors").read_bytes()
    )
    assert made.name == "one (1), two (1)"
    tested = CliRunner().invoke(
        app, ["fit", str(one), "--model", "minilm", "--test", str(two), "--json"]
    )
    (row,) = json.loads(tested.stdout)
    assert (row["fitted_on"], row["tested_on"], row["targets"]) == (["one"], "two", 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "smollm2"], "not 'smollm2'"),
        (["--model", "minilm", "--test", "SAME"], "test on another"),
    ],
)
def test_what_cannot_be_fitted_is_said(tmp_path: Path, arguments: list[str], message: str) -> None:
    folder = make_dataset(tmp_path / "data", ["x-sea-1"])
    given = (str(folder) if a == "SAME" else a for a in arguments)
    done = CliRunner().invoke(app, ["fit", str(folder), *given])
    assert done.exit_code != 0
    assert message in " ".join(str(done.exception or "").split() + done.output.split())
