"""`python -m benchmarks.default`: what the default method takes, without a model, a span at a time.

Milliseconds of processor time to read a conversation and trace one of its targets, over all
conversations, with their turns. A fresh reading for every target: nothing is shared.
"""

from __future__ import annotations

import statistics
import time

from benchmarks.conversations import conversations
from tokengeist.api import open_tracer
from tokengeist.attribution.registry import BackendOptions
from tokengeist.bench.dataset import Conversation
from tokengeist.bench.gold import GoldTarget


def main() -> None:
    chosen = conversations()
    _trace(chosen[0], chosen[0].targets[0])  # imports
    taken = []
    for conversation in chosen:
        for gold in conversation.targets:
            begun = time.process_time()
            _trace(conversation, gold)
            milliseconds = 1000 * (time.process_time() - begun)
            taken.append((milliseconds, len(conversation.transcript.turns)))
    slowest, turns = max(taken)
    print(f"{len(taken)} targets: {statistics.median(t for t, _ in taken):.0f} ms in the middle")
    print(f"slowest: {slowest:.0f} ms, {turns} turns")


def _trace(conversation: Conversation, gold: GoldTarget) -> None:
    options = BackendOptions(model="none")
    open_tracer(conversation.transcript, backend="blend", options=options).trace(gold.target)


if __name__ == "__main__":
    main()
