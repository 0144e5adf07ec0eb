"""A contender in a process of its own, which answers whenever it is asked.

`python -m benchmarks.peers.timing NAME QUESTION_FILE GIB` loads the contender, and for every line
on its standard input answers the question once and prints what that took as JSON. It runs under
the peers' interpreter as well as under ours, so it imports nothing of Tokengeist.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.memory import peak_of_this_process
from benchmarks.peers.contenders import CONTENDERS
from benchmarks.peers.question import Question


@dataclass(frozen=True)
class Answered:
    """What one answer took."""

    seconds: float
    """Of the CPU, from the loaded model to the scores."""
    peak: float
    """Of the whole process so far, imports and weights included, in MiB."""
    scores: int


class ContenderError(Exception):
    """A contender gave up; the message says why."""


Ask = Callable[[], Answered]
"""Has a contender answer once more.

Raises `ContenderError` where its library is missing, fails or needs too much memory.
"""


@contextmanager
def contender(
    name: str, python: Path, question: Path, *, threads: int, limit_gib: int
) -> Iterator[Ask]:
    """A process for a contender under an interpreter that has its library, within some memory."""
    root = Path(__file__).parents[2]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
        "OMP_NUM_THREADS": str(threads),
        "HF_HUB_OFFLINE": "1",
    }
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
        subprocess.Popen(
            [str(python), "-m", "benchmarks.peers.timing", name, str(question), str(limit_gib)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            cwd=root,
            env=environment,
        ) as process,
    ):

        def ask() -> Answered:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(BrokenPipeError):  # it has ended, and said why
                os.write(process.stdin.fileno(), b"again\n")
            line = process.stdout.readline()
            if not line:
                code = process.wait()
                said.seek(0)
                raise ContenderError(_reason(said.read(), code, limit_gib))
            return Answered(**json.loads(line))

        try:
            yield ask
        finally:
            process.kill()


def _reason(said: str, code: int, limit_gib: int) -> str:
    if "can't allocate memory" in said or "MemoryError" in said:
        return f"needs more than {limit_gib} GiB"
    lines = said.strip().splitlines()
    return lines[-1] if lines else f"ended with code {code}"


def _serve(name: str, question: Path, limit_gib: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limit_gib << 30, limit_gib << 30))
    # Standard output is for the answers: what a library prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer = CONTENDERS[name](Question.load(question))
    for _ in sys.stdin:
        begun = time.process_time()
        scores = answer()
        seconds = time.process_time() - begun
        answered = Answered(seconds, peak_of_this_process(), len(scores))
        print(json.dumps(asdict(answered)), file=answers, flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
