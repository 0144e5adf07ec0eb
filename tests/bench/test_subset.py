"""Smaller benchmarks made of larger ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.run import run
from tokengeist.bench.scoring import score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.subset import write_subset
from tokengeist.bench.worker import Method
from tokengeist.errors import DatasetError


def names(dataset: Dataset) -> list[tuple[str, str]]:
    return [(c.id, target.name) for c in dataset for target in c.targets]


def test_a_subset_is_a_benchmark_of_the_same_targets(dataset: Dataset, tmp_path: Path) -> None:
    assert write_subset(dataset, tmp_path / "some", targets=5) == 5
    some = Dataset(tmp_path / "some")
    assert len(names(some)) == 5
    assert set(names(some)) < set(names(dataset))
    for id in some.ids:
        assert some.conversation_path(id).read_bytes() == dataset.conversation_path(id).read_bytes()
        whole = json.loads(dataset.gold_path(id).read_bytes())["targets"]
        assert all(e in whole for e in json.loads(some.gold_path(id).read_bytes())["targets"])
    run(some, tmp_path / "run", Method("lexical"))
    found = score(some, RunFolder(tmp_path / "run"))
    assert (found.targets, found.missing) == (5, 0)


def test_the_seed_decides(dataset: Dataset, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_subset(dataset, tmp_path / name, targets=4, seed=seed)
    a, b, c = (names(Dataset(tmp_path / name)) for name in "abc")
    assert a == b
    assert a != c
    write_subset(dataset, tmp_path / "d", targets=7, seed=1)
    assert set(a) < set(names(Dataset(tmp_path / "d")))


def test_early_targets_only(dataset: Dataset, tmp_path: Path) -> None:
    assert write_subset(dataset, tmp_path / "early", targets=100, before_turn=6) == 6
    assert {name for _, name in names(Dataset(tmp_path / "early"))} == {"order_argument"}
    with pytest.raises(DatasetError, match="no target before turn 2"):
        write_subset(dataset, tmp_path / "none", targets=1, before_turn=2)


def test_a_folder_in_use_is_left_alone(dataset: Dataset) -> None:
    with pytest.raises(DatasetError, match="is not empty"):
        write_subset(dataset, dataset.folder, targets=1)
