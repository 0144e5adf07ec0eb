"""`python -m benchmarks.default`: what the default method takes, without a model, a span at a time.

Milliseconds of processor time to read a conversation and trace one of its targets, over all
conversations, with their turns. A fresh reading for every target: nothing is shared.
"""

from __future__ import annotations

import statistics
import time

from benchmarks.conversations import conversations
from tokengeist.api import open_tracer


def main() -> None:
    chosen = conversations()
    open_tracer(chosen[0].transcript, backend="blend").trace(chosen[0].targets[0].target)  # imports
    taken = []
    for conversation in chosen:
        for gold in conversation.targets:
            begun = time.process_time()
            open_tracer(conversation.transcript, backend="blend").trace(gold.target)
            milliseconds = 1000 * (time.process_time() - begun)
            taken.append((milliseconds, len(conversation.transcript.turns)))
    slowest, turns = max(taken)
    print(f"{len(taken)} targets: {statistics.median(t for t, _ in taken):.0f} ms in the middle")
    print(f"slowest: {slowest:.0f} ms, {turns} turns")


if __name__ == "__main__":
    main()
