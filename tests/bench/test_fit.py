"""Fitting the blend backend's weights, and testing them on a domain they have not seen."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.bench.worlds import make_dataset
from tokengeist.attribution.blend.model import BIAS, Weights, shipped_data, starting_weights
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.fit import CUT, Example, examples, fit, weights_json
from tokengeist.cli.main import app

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


def test_the_shipped_weights_come_from_this_command(mtca_dev: Dataset) -> None:
    made = weights_json(mtca_dev, mtca_dev.ids)
    shipped = shipped_data()
    assert made["fitted_on"] == shipped["fitted_on"]
    for group, entries in shipped["weights"].items():
        for name, entry in entries.items():
            assert made["weights"][group][name]["fitted"] == pytest.approx(
                entry["fitted"], abs=1e-3
            )


def test_the_command_writes_weights(tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "data", ["x-sea-1", "x-air-1"])
    out = tmp_path / "weights.json"
    assert CliRunner().invoke(app, ["fit", str(folder), "-o", str(out)]).exit_code == 0
    assert Weights.from_json(json.loads(out.read_text())).name == "data, 2 conversations"
