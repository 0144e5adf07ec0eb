"""`python -m benchmarks`: the speed figures, as ratios, in one table.

Ratios are of CPU seconds of one thread by default: on a machine that others use too, they say the
same from day to day, which seconds on the clock do not.
"""

from __future__ import annotations

import argparse
import sys
import time

import torch

from benchmarks.conversations import conversations
from benchmarks.memory import peak
from benchmarks.reading import ReadingFigures, measure
from benchmarks.start import warm_start
from tokengeist.models.loading import load_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=0, help="conversations to read; 0 for all")
    parser.add_argument("--only", nargs="*", default=[], help="conversations by their ids")
    parser.add_argument("--per-hop", type=int, default=2, help="how many of them also hop by hop")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true", help="seconds on the clock, not CPU seconds")
    parser.add_argument("--memory", type=int, nargs="*", default=[8000, 16000, 32000])
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    clock = time.perf_counter if options.wall else time.process_time
    model = load_model()
    figures = ReadingFigures()
    for number, (transcript, targets) in enumerate(conversations(options.limit, options.only)):
        measure(
            model,
            transcript,
            targets,
            figures=figures,
            per_hop=number < options.per_hop,
            clock=clock,
        )
        ratio = figures.read_and_trace / figures.bare
        print(f"{transcript.id}: {ratio:.2f}x so far", file=sys.stderr, flush=True)
    print_reading(figures)
    for tokens in options.memory:
        bare, reading = peak("bare", tokens), peak("reading", tokens)
        row(f"4. peak memory at {tokens:,} tokens", f"{reading / bare - 1:+.1%}", "<= +20%")
        print(f"   {reading:.0f} MiB against {bare:.0f} MiB")
    ready, done = warm_start()
    row("6. warm start: imports and loading", f"{ready / done:.0%}", "< 33%")
    print(f"   {ready:.1f} of {done:.1f} s")


def print_reading(figures: ReadingFigures) -> None:
    """The figures that come from reading conversations."""
    read = figures.read_and_trace
    print(f"{figures.tokens:,} tokens, {figures.targets} targets")
    row("1. reading and all traces / bare pass", f"{read / figures.bare:.2f}x", "<= 1.20x")
    print(f"   {read / figures.bare_without_head:.2f}x of a pass without the language-model head")
    row("2. slowest further span", f"{figures.slowest_span * 1000:.0f} ms", "< 50 ms")
    if figures.hops:
        speedup = figures.per_hop / figures.read_and_trace_same_targets
        row("3. a pass per hop / one reading", f"{speedup:.1f}x", ">= 12x")
        print(f"   {figures.hops} passes, counted without their arithmetic")


def row(what: str, value: str, goal: str) -> None:
    """One line of the table."""
    print(f"{what:<42}{value:>10}   {goal}")


if __name__ == "__main__":
    main()
