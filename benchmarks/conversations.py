"""What the benchmarks read: the annotated conversations if they are here, else the examples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tokengeist.bench.dataset import Dataset
from tokengeist.formats import example_names, example_path, load
from tokengeist.transcript import Role, Target, Transcript

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "mtca-dev"


def conversations(limit: int) -> Iterator[tuple[Transcript, list[Target]]]:
    """Transcripts with the targets to trace in each; at most `limit` of them, 0 for all."""
    if SHARED.is_dir():
        dataset = Dataset(SHARED)
        for id in dataset.ids[: limit or None]:
            conversation = dataset.conversation(id)
            yield conversation.transcript, [gold.target for gold in conversation.targets]
        return
    for name in example_names()[: limit or None]:
        transcript = load(example_path(name))
        written = [t for t in transcript.turns if t.role is Role.ASSISTANT and t.text]
        yield transcript, [Target.whole(turn) for turn in written]
