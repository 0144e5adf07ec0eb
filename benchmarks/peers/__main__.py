"""`python -m benchmarks.peers`: one table for every size of text, each contender in a process.

Seconds are CPU seconds of one thread from the loaded model to the scores of the span, the best of
up to three answers; peak memory is that of the whole process, imports and weights included.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.peers.contenders import CONTENDERS
from benchmarks.peers.question import make_question
from benchmarks.peers.timing import Timing, time_contender

PEERS = ("at2", "inseq", "context-cite")
OURS = "tokengeist attention"
SAME_METHOD = {"context-cite": "tokengeist ablation"}
"""Whom a peer is compared with, where it is not our attention."""


def main() -> None:
    root = Path(__file__).parents[2]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", type=Path, default=root / ".venv-peers" / "bin" / "python")
    parser.add_argument("--tokens", type=int, nargs="+", default=[1000, 3000])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit-gib", type=int, default=12, help="memory each contender may use")
    parser.add_argument("--only", nargs="*", choices=CONTENDERS, default=list(CONTENDERS))
    options = parser.parse_args()
    if not options.python.is_file():
        sys.exit(f"{options.python} is missing: `make bench-peers` makes it")

    for tokens in options.tokens:
        question = make_question(tokens)
        print(head(tokens, question.response[question.start : question.end]), flush=True)
        timings: dict[str, Timing] = {}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "question.json"
            question.save(file)
            for name in options.only:
                is_peer = name.startswith(PEERS)
                timings[name] = time_contender(
                    name,
                    options.python if is_peer else Path(sys.executable),
                    file,
                    threads=options.threads,
                    limit_gib=options.limit_gib,
                )
                print(line(name, timings[name], timings), flush=True)


def head(tokens: int, span: str) -> str:
    """What was asked, and the names of the columns."""
    columns = f"{'':<24}{'seconds':>9}{'MiB':>8}{'scores':>8}   against ours"
    return f"5. some {tokens:,} tokens of context, the span “{span}”\n{columns}"


def line(name: str, timing: Timing, timings: dict[str, Timing]) -> str:
    """One contender."""
    if timing.problem:
        return f"{name:<24}{timing.problem}"
    text = f"{name:<24}{timing.seconds:>9.1f}{timing.peak:>8.0f}{timing.scores:>8}"
    for rival in (SAME_METHOD.get(name, OURS), OURS):
        ours = timings.get(rival)
        if ours and not ours.problem and rival != name and rival not in text:
            text += f"   {timing.seconds / ours.seconds:.2f}x the time, "
            text += f"{timing.peak / ours.peak:.2f}x the memory of {rival}"
    return text


if __name__ == "__main__":
    main()
