"""Counting which hallucinations are noted, by kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.diagnosis import diagnose
from tokengeist.bench.synth import generate, write
from tokengeist.cli.main import app


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worlds")
    write(folder, generate(24, seed=5))
    return folder


def test_every_wrong_target_is_counted_under_its_kind(worlds: Path) -> None:
    rows = {row.kind: row for row in diagnose(iter(Dataset(worlds)))}
    wrong = [t for c in Dataset(worlds) for t in c.targets if "hallucination" in t.tags]
    assert rows["all"].wrong == len(wrong) > 0
    assert rows["stale context"].wrong == sum(t.flaw == "stale_context" for t in wrong)
    for row in rows.values():
        assert row.named <= row.noted <= row.wrong
        assert row.false <= row.notes


def test_notes_on_synthetic_worlds_are_mostly_found_and_seldom_false(worlds: Path) -> None:
    total = diagnose(iter(Dataset(worlds)))[-1]
    assert total.noted > 0.5 * total.wrong
    assert total.false <= 0.1 * total.notes


def test_the_command_prints_the_same_counts(worlds: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "diagnose", str(worlds), "--json"])
    assert result.exit_code == 0
    rows = diagnose(iter(Dataset(worlds)))
    assert [row["noted"] for row in json.loads(result.stdout)] == [row.noted for row in rows]
    table = CliRunner().invoke(app, ["bench", "diagnose", str(worlds)])
    assert "wrong-value transformation" in table.stdout
