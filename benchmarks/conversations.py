"""What the benchmarks read: the annotated conversations if they are here, else the examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tokengeist.bench.dataset import Dataset
from tokengeist.formats import example_names, example_path, load
from tokengeist.transcript import Role, Target, Transcript

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "mtca-dev"


def conversations(
    limit: int, only: Sequence[str] = ()
) -> Iterator[tuple[Transcript, list[Target]]]:
    """Transcripts with the targets to trace in each: `only` some ids, at most `limit` if not 0."""
    if SHARED.is_dir():
        dataset = Dataset(SHARED)
        chosen = [id for id in dataset.ids if not only or id in only]
        for id in chosen[: limit or None]:
            conversation = dataset.conversation(id)
            yield conversation.transcript, [gold.target for gold in conversation.targets]
        return
    for name in example_names()[: limit or None]:
        transcript = load(example_path(name))
        written = [t for t in transcript.turns if t.role is Role.ASSISTANT and t.text]
        yield transcript, [Target.whole(turn) for turn in written]
