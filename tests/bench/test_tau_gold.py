"""The gold graphs of tau-bench conversations, which come from elsewhere, are put together right."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.tau import __main__ as tau
from tests.bench.worlds import messages, targets
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.validation import validate

RESULTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "tau"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A result file with two runs of one task."""
    folder = tmp_path / "results"
    folder.mkdir()
    made = [
        {"task_id": 7, "trial": trial, "traj": messages(f"O-{trial}", f"B{trial}")}
        for trial in (0, 1)
    ]
    (folder / "some-model-warehouse.json").write_text(json.dumps(made))
    return folder


@pytest.fixture
def gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One annotator's graphs of the second run."""
    folder = tmp_path / "gold" / "tau-z"
    folder.mkdir(parents=True)
    id = "tau-warehouse-007-some-model-1"
    text = json.dumps({"conversation_id": id, "targets": targets("O-1", "B1")})
    (folder / f"{id}.json").write_text(text)
    monkeypatch.setattr(tau, "GOLD", folder.parent)
    return folder


def test_conversations_stand_beside_their_gold(
    results: Path, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["tau", str(results), str(tmp_path / "out")])
    tau.main()
    made = Dataset(tmp_path / "out" / "tau-z")
    assert made.ids == ("tau-warehouse-007-some-model-1",)
    conversation = made.conversation(made.ids[0])
    assert "O-1" in conversation.transcript.turns[1].text
    assert len(conversation.targets) == len(targets("O-1", "B1"))


def test_a_missing_conversation_is_named(results: Path, gold: Path, tmp_path: Path) -> None:
    (results / "some-model-warehouse.json").unlink()
    with pytest.raises(SystemExit, match="tau-warehouse-007-some-model-1"):
        tau.assemble(gold, tau.runs(results), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not RESULTS.is_dir(), reason="no tau-bench result files here")
def test_the_shipped_gold_fits_the_real_conversations(tmp_path: Path) -> None:
    """Offsets and fingerprints are those of the conversations; every rule of gold is kept."""
    runs = list(tau.runs(RESULTS))
    for gold in tau.sets():
        assert tau.assemble(gold, runs, tmp_path / gold.name) == len(list(gold.glob("*.json")))
        assert [p for p in validate(Dataset(tmp_path / gold.name)) if not p.is_advice] == []
