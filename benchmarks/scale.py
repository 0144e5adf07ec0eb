"""Memory by the size of a benchmark: `python -m benchmarks.scale [COUNT …]`.

For each count, a fresh process generates that many synthetic conversations, validates them, traces
every target with the lexical backend, scores the run and prints its peak.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory import peak_of_this_process
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.run import run
from tokengeist.bench.scoring import score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.synth import generate, write
from tokengeist.bench.validation import validate
from tokengeist.bench.worker import Method

COUNTS = (1_000, 10_000)
_CHILD = "--in-this-process"


@dataclass(frozen=True, slots=True)
class ScaleFigures:
    """What so many conversations take."""

    targets: int
    peak: float
    """In MiB."""
    seconds: float


def measure(count: int) -> ScaleFigures:
    """The whole way from generation to scores, in a process of its own."""
    root = Path(__file__).parents[1]
    path = os.pathsep.join([str(root / "src"), str(root)])
    result = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", _CHILD, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
    )
    targets, peak, seconds = result.stdout.split()
    return ScaleFigures(int(targets), float(peak), float(seconds))


def _measure_here(count: int) -> ScaleFigures:
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "data", Path(folder) / "run"
        write(data, generate(count, seed=1))
        dataset = Dataset(data)
        for problem in validate(dataset):
            raise SystemExit(f"the generator broke a rule: {problem}")
        run(dataset, out, Method("lexical"))
        scores = score(dataset, RunFolder(out))
    if scores.errors or scores.missing:
        raise SystemExit(f"{scores.errors} targets failed, {scores.missing} are missing")
    return ScaleFigures(scores.targets, peak_of_this_process(), time.perf_counter() - begun)


def main() -> None:
    if sys.argv[1:2] == [_CHILD]:
        found = _measure_here(int(sys.argv[2]))
        print(found.targets, found.peak, found.seconds)
        return
    for count in map(int, sys.argv[1:] or COUNTS):
        found = measure(count)
        print(
            f"{count:>7,} conversations, {found.targets:>7,} targets: "
            f"{found.peak:.0f} MiB at most, {found.seconds:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
