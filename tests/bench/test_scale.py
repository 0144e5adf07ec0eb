"""Many conversations: memory stays where it was, and recursion stays ahead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.scale import measure
from tokengeist.api import settings_for
from tokengeist.attribution.registry import BackendOptions
from tokengeist.bench.compare import compare
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.metrics import METRICS
from tokengeist.bench.run import run
from tokengeist.bench.store import RunFolder
from tokengeist.bench.synth import generate, write
from tokengeist.bench.worker import Method


def test_memory_does_not_grow_with_the_data() -> None:
    few, many = measure(50), measure(500)
    assert many.targets > 5 * 500
    assert many.peak - few.peak < 6  # MiB, for ten times the conversations


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Enough conversations for a difference to show, and no more: chance is the wider for it."""
    folder = tmp_path_factory.mktemp("synthetic") / "data"
    write(folder, generate(80, seed=1))
    return Dataset(folder)


@pytest.mark.parametrize("backend", ["lexical", "blend"])
def test_recursion_is_ahead_on_synthetic_worlds(
    synthetic: Dataset, tmp_path: Path, backend: str
) -> None:
    deep = settings_for(backend)
    flat = replace(deep, trace=replace(deep.trace, max_depth=1))
    alone = BackendOptions(model="none")
    run(synthetic, tmp_path / "deep", Method(backend, alone, deep))
    run(synthetic, tmp_path / "flat", Method(backend, alone, flat))
    found = compare(synthetic, RunFolder(tmp_path / "flat"), RunFolder(tmp_path / "deep"))
    for metric in METRICS:
        assert found.differences[metric].low > 0, metric
