"""`python -m benchmarks`: the speed figures, as ratios, in one table.

Ratios are of CPU seconds of one thread by default: on a machine that others use too, they say the
same from day to day, which seconds on the clock do not. What is compared runs in the same process,
one right after the other. A further span and a warm start are measured on the clock, because that
is what somebody waits for. Figure 5, the comparison with other libraries, is `make bench-peers`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.conversations import conversations, spread
from benchmarks.finished import Finished
from benchmarks.memory import peak
from benchmarks.reading import Clock, ReadingFigures, measure
from benchmarks.start import warm_start
from benchmarks.table import note, print_reading, progress, row
from tokengeist.bench.dataset import Conversation
from tokengeist.models.loading import LoadedModel, load_model


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=0, help="conversations to read; 0 for all")
    parser.add_argument("--only", nargs="*", default=[], help="conversations by their ids")
    parser.add_argument(
        "--closely", type=int, default=2, help="how many of them also hop by hop, of all lengths"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true", help="seconds on the clock, not CPU seconds")
    parser.add_argument("--memory", type=int, nargs="*", default=[8000, 16000, 32000])
    parser.add_argument(
        "--out", type=Path, help="keep the figures of each conversation here, and go on from them"
    )
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    clock = time.perf_counter if options.wall else time.process_time
    chosen = conversations(options.limit, options.only)
    model = load_model()
    figures = read_all(
        model,
        chosen,
        closely={conversation.id for conversation in spread(chosen, options.closely)},
        clock=clock,
        finished=Finished(options.out),
    )
    print_reading(figures, window=model.window)
    for tokens in options.memory:
        bare, reading = peak("bare", tokens), peak("reading", tokens)
        row(f"4. peak memory at {tokens:,} tokens", f"{reading / bare - 1:+.1%}", "<= +20%")
        note(f"{reading:.0f} MiB against {bare:.0f} MiB")
    row("5. other libraries", "", "make bench-peers")
    ready, done = warm_start()
    row("6. warm start: imports and loading", f"{ready / done:.0%}", "< 33%")
    note(f"{ready:.1f} of {done:.1f} s")


def read_all(
    model: LoadedModel,
    chosen: Sequence[Conversation],
    *,
    closely: set[str],
    clock: Clock,
    finished: Finished,
) -> list[ReadingFigures]:
    """Measure what is not finished yet, and say how it went."""
    result = []
    for number, conversation in enumerate(chosen, 1):
        figures = finished.get(conversation.id)
        if figures is None:
            figures = measure(model, conversation, closely=conversation.id in closely, clock=clock)
            finished.add(figures)
        print(f"{number}/{len(chosen)} {progress(figures)}", file=sys.stderr, flush=True)
        result.append(figures)
    return result


if __name__ == "__main__":
    main()
