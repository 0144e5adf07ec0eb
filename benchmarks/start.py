"""Figure 6: how much of a warm start goes into imports and loading.

`python -m benchmarks.start` does what `tokengeist trace --backend attention` does without a cache,
and prints the seconds until the model was ready and the seconds in all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

WORDS = 2000
"""About 3,000 tokens of a transcript that says the same in many ways."""


def warm_start() -> tuple[float, float]:
    """Seconds until the model is ready, and until the trace is done, in a fresh process."""
    root = Path(__file__).parents[1]
    path = os.pathsep.join([str(root / "src"), str(root)])
    result = subprocess.run(
        [sys.executable, "-m", "benchmarks.start"],
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
    )
    ready, done = map(float, result.stdout.split())
    return ready, done


def _run() -> None:
    begun = time.perf_counter()
    from tokengeist.attribution.registry import BackendOptions, create_attributor
    from tokengeist.segmentation import segment
    from tokengeist.tracer import Tracer
    from tokengeist.transcript import Role, Transcript, Turn, locate_target

    attributor = create_attributor("attention", BackendOptions(cache=False))
    ready = time.perf_counter() - begun
    turns: list[Turn] = []
    while sum(len(turn.text.split()) for turn in turns) < WORDS:
        number = len(turns)
        turns.append(Turn(number, Role.USER, f"What did station {number} report? " * 8))
        answer = f"Station {number} reported {number * 7} travellers and rain from the west. " * 8
        turns.append(Turn(number + 1, Role.ASSISTANT, answer))
    transcript = Transcript(tuple(turns))
    tracer = Tracer.reading(transcript, attributor, sources=segment(transcript))
    tracer.trace(locate_target(transcript))
    print(ready, time.perf_counter() - begun)


if __name__ == "__main__":
    _run()
