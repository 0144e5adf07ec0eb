"""One contender in a process of its own: `python -m benchmarks.peers.timing NAME QUESTION_FILE`.

Prints seconds and peak memory as JSON. Runs under the peers' interpreter as well as under ours, so
it imports nothing of Tokengeist.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory import peak_of_this_process
from benchmarks.peers.contenders import CONTENDERS
from benchmarks.peers.question import Question

ENOUGH = 60.0
"""Seconds after which an answer is not timed again."""
REPEATS = 3


@dataclass(frozen=True)
class Timing:
    """What a contender needed, or why there is no figure."""

    seconds: float
    """CPU seconds of the quickest answer; imports and loading are not counted."""
    peak: float
    """Of the whole process, in MiB."""
    scores: int
    problem: str = ""


def time_contender(
    name: str, python: Path, question: Path, *, threads: int, limit_gib: int
) -> Timing:
    """Run a contender under an interpreter that has its library, within some memory."""
    root = Path(__file__).parents[2]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
        "OMP_NUM_THREADS": str(threads),
        "HF_HUB_OFFLINE": "1",
    }
    result = subprocess.run(
        [str(python), "-m", "benchmarks.peers.timing", name, str(question), str(limit_gib)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
        env=environment,
    )
    if result.returncode:
        return Timing(0.0, 0.0, 0, _reason(result, limit_gib))
    return Timing(**json.loads(result.stdout.splitlines()[-1]))


def _reason(result: subprocess.CompletedProcess[str], limit_gib: int) -> str:
    if "can't allocate memory" in result.stderr or "MemoryError" in result.stderr:
        return f"needs more than {limit_gib} GiB"
    lines = result.stderr.strip().splitlines()
    return lines[-1] if lines else f"ended with code {result.returncode}"


def _run(name: str, question: Path, limit_gib: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limit_gib << 30, limit_gib << 30))
    answer = CONTENDERS[name](Question.load(question))
    best = spent = 0.0
    for _ in range(REPEATS):
        begun = time.process_time()
        scores = answer()
        seconds = time.process_time() - begun
        best = min(best or seconds, seconds)
        spent += seconds
        if spent > ENOUGH:
            break
    print(json.dumps({"seconds": best, "peak": peak_of_this_process(), "scores": len(scores)}))


if __name__ == "__main__":
    _run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
