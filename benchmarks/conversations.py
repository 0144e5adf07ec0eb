"""What the benchmarks read: the annotated conversations if they are here, else synthetic ones."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.synth import generate, write

ANNOTATED = Path(__file__).resolve().parents[2] / "shared" / "data" / "mtca-dev"

SYNTHETIC = 22
"""As many as there are annotated ones."""


def conversations(limit: int = 0, only: Sequence[str] = ()) -> list[Conversation]:
    """Conversations with targets, short ones first: `only` some ids, at most `limit` if not 0."""
    found = Dataset(ANNOTATED) if ANNOTATED.is_dir() else synthetic(SYNTHETIC)
    chosen = [conversation for conversation in found if not only or conversation.id in only]
    return sorted(chosen, key=_length)[: limit or None]


def spread(chosen: Sequence[Conversation], count: int) -> list[Conversation]:
    """`count` of them by length, at even distances, beginning with the shortest."""
    by_length = sorted(chosen, key=_length)
    count = min(count, len(by_length))
    return [by_length[number * len(by_length) // count] for number in range(count)]


def synthetic(count: int, *, turns: tuple[int, int] = (20, 44)) -> Iterator[Conversation]:
    """Generated conversations, the same ones every time."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, generate(count, seed=0, turns=turns))
        yield from Dataset(folder)


def _length(conversation: Conversation) -> int:
    return sum(len(turn.text) for turn in conversation.transcript.turns)
