"""Missed and spurious edges: every edge is counted once, under what it joins."""

from __future__ import annotations

from pathlib import Path

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.mistakes import EdgeCounts, Mistakes
from tokengeist.bench.run import run
from tokengeist.bench.scoring import pairs, score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.worker import Method


def test_edges_are_counted_by_what_they_join(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    gold = conversation.targets[1]  # 6 → 3 → 2 → 1 and 6 → 0
    found = Mistakes()
    found.count({(6, 3), (6, 5), (3, 2)}, gold, conversation.transcript)
    assert found.kinds() == [
        "call → user",
        "statement → result",
        "statement → system",
        "result → call",
    ]
    assert found.by_kind["call → user"] == EdgeCounts(missed=1)
    assert found.by_kind["statement → result"] == EdgeCounts(found=1, spurious=1)
    assert found.by_kind["statement → system"] == EdgeCounts(missed=1)
    assert found.by_kind["result → call"] == EdgeCounts(found=1)
    both = EdgeCounts(found=2, missed=2, spurious=1)
    assert found.by_tag == {"chained": both, "multi_source": both}


def test_a_run_counts_every_edge_once(mtca_dev: Dataset, tmp_path: Path) -> None:
    run(mtca_dev, tmp_path / "run", Method("lexical"))
    folder = RunFolder(tmp_path / "run")
    counted = score(mtca_dev, folder).mistakes.by_kind.values()
    scored = list(pairs(mtca_dev, folder))
    assert sum(c.gold for c in counted) == sum(len(p.gold.edges) for p in scored)
    assert sum(c.found + c.spurious for c in counted) == sum(
        len(p.prediction.edges) for p in scored
    )
