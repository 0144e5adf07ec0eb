"""Many conversations: memory stays where it was, and recursion stays ahead."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tokengeist.api import settings_for
from tokengeist.bench.compare import compare
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.metrics import METRICS
from tokengeist.bench.run import run
from tokengeist.bench.store import RunFolder
from tokengeist.bench.synth import generate, write
from tokengeist.bench.worker import Method

_PIPELINE = """
import resource, sys
from pathlib import Path
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.run import run
from tokengeist.bench.scoring import score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.synth import generate, write
from tokengeist.bench.validation import validate
from tokengeist.bench.worker import Method

out, count = Path(sys.argv[1]), int(sys.argv[2])
write(out / "data", generate(count, seed=1))
dataset = Dataset(out / "data")
assert not any(validate(dataset))
run(dataset, out / "run", Method("lexical"))
scores = score(dataset, RunFolder(out / "run"))
assert scores.targets > 5 * count and not scores.errors and not scores.missing
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_kilobytes(out: Path, count: int) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _PIPELINE, str(out), str(count)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


def test_memory_does_not_grow_with_the_data(tmp_path: Path) -> None:
    few, many = peak_kilobytes(tmp_path / "few", 50), peak_kilobytes(tmp_path / "many", 500)
    assert many - few < 6_000  # ten times the conversations; one of them is about 100 kB in memory


@pytest.mark.parametrize("backend", ["lexical", "blend"])
def test_recursion_is_ahead_on_synthetic_worlds(tmp_path: Path, backend: str) -> None:
    write(tmp_path / "data", generate(60, seed=1))
    dataset = Dataset(tmp_path / "data")
    deep = settings_for(backend)
    flat = replace(deep, trace=replace(deep.trace, max_depth=1))
    run(dataset, tmp_path / "deep", Method(backend, settings=deep))
    run(dataset, tmp_path / "flat", Method(backend, settings=flat))
    found = compare(dataset, RunFolder(tmp_path / "flat"), RunFolder(tmp_path / "deep"))
    for metric in METRICS:
        assert found.differences[metric].low > 0, metric
