"""Some targets of a benchmark as a benchmark of its own, for methods that cost minutes a target.

A folder with fewer targets needs nothing new of runs, scores and reports. Conversations stay whole
and gold entries stay as they are.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from tokengeist.bench.dataset import Dataset
from tokengeist.errors import DatasetError


def write_subset(
    dataset: Dataset, folder: Path, *, targets: int, before_turn: int | None = None, seed: int = 0
) -> int:
    """Draw `targets` targets at random and write a folder with them; returns how many there were.

    `before_turn` draws only from targets before that turn: they have less context, and so cost
    less. The same data and seed give the same targets.
    """
    if folder.exists() and any(folder.iterdir()):
        raise DatasetError(f"{folder} is not empty; choose another folder")
    drawn = _draw(dataset, targets, before_turn, seed)
    for name in ("conversations", "gold"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for id, names in drawn.items():
        conversation, gold = dataset.files(id)
        (folder / "conversations" / f"{id}.json").write_bytes(conversation)
        raw = json.loads(gold)
        raw["targets"] = [entry for entry in raw["targets"] if entry["name"] in names]
        text = json.dumps(raw, ensure_ascii=False, indent=1) + "\n"
        path = folder / "gold" / f"{id}.json"
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return sum(map(len, drawn.values()))


def _draw(
    dataset: Dataset, targets: int, before_turn: int | None, seed: int
) -> dict[str, set[str]]:
    """The names of the targets drawn, by conversation."""
    found = [
        (conversation.id, target.name)
        for conversation in dataset
        for target in conversation.targets
        if before_turn is None or target.turn < before_turn
    ]
    if not found:
        raise DatasetError(f"{dataset.folder} has no target before turn {before_turn}")
    drawn: dict[str, set[str]] = {}
    random.Random(seed).shuffle(found)  # so that a smaller draw is part of a larger one
    for id, name in found[:targets]:
        drawn.setdefault(id, set()).add(name)
    return drawn
