"""`python -m benchmarks.peers`: one table for every size of text, each contender in a process.

Everybody takes turns with the method of ours that asks the same: up to three rounds, of which the
median counts. Seconds are CPU seconds of one thread from the loaded model to the scores of the
span; peak memory is that of the whole process, imports and weights included.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from benchmarks.peers.match import Match, play
from benchmarks.peers.question import make_question
from benchmarks.peers.timing import Ask, ContenderError, contender

RIVALS = {
    "tokengeist attention": ("bare pass", "at2 uniform", "inseq attention"),
    "tokengeist ablation": ("context-cite",),
}
PEERS = ("at2 uniform", "inseq attention", "context-cite")


def main() -> None:
    root = Path(__file__).parents[2]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", type=Path, default=root / ".venv-peers" / "bin" / "python")
    parser.add_argument("--tokens", type=int, nargs="+", default=[1000, 3000])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit-gib", type=int, default=12, help="memory each contender may use")
    options = parser.parse_args()
    if not options.python.is_file():
        sys.exit(f"{options.python} is missing: `make bench-peers` makes it")

    for tokens in options.tokens:
        question = make_question(tokens)
        print(head(tokens, question.response[question.start : question.end]), flush=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "question.json"
            question.save(file)
            start = partial(
                contender, question=file, threads=options.threads, limit_gib=options.limit_gib
            )
            for line in lines(start, options.python):
                print(line, flush=True)


def lines(start: Callable[[str, Path], AbstractContextManager[Ask]], peers: Path) -> Iterator[str]:
    """One for every contender that is not ours."""
    here = Path(sys.executable)
    for ours, rivals in RIVALS.items():
        with start(ours, here) as ask_ours:
            for rival in rivals:
                with start(rival, peers if rival in PEERS else here) as ask_rival:
                    try:
                        yield row(rival, play(ask_rival, ask_ours), ours)
                    except ContenderError as error:
                        yield f"{rival:<18}{error}"


def head(tokens: int, span: str) -> str:
    """What was asked, and the names of the columns."""
    columns = f"{'':<18}{'seconds':>9}{'MiB':>7}{'scores':>8}   ours: seconds, MiB; ratios"
    return f"5. some {tokens:,} tokens of context, the span “{span}”\n{columns}"


def row(name: str, match: Match, ours: str) -> str:
    """One contender, and ours in the same rounds."""
    seconds, our_seconds = match.seconds
    last, our_last = match.rounds[-1]
    rounds = len(match.rounds)
    return (
        f"{name:<18}{seconds:>9.1f}{last.peak:>7.0f}{last.scores:>8}   "
        f"{ours}: {our_seconds:.1f} s, {our_last.peak:.0f} MiB; "
        f"{match.time:.2f}x the time, {match.memory:.2f}x the memory "
        f"({rounds} round{'s' if rounds > 1 else ''})"
    )


if __name__ == "__main__":
    main()
