"""The recorded benchmark as a folder of its own, and its review."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bench.annotation.servers import RECORDED
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.review.desk import ReviewDesk


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    for name in ("conversations", "gold"):
        shutil.copytree(RECORDED / name, tmp_path / "recorded" / name)
    return Dataset(tmp_path / "recorded")


@pytest.fixture
def desk(dataset: Dataset) -> ReviewDesk:
    return ReviewDesk.over(dataset, size=100, seed=3)
