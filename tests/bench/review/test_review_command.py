"""`tokengeist review` from the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.review.desk import ReviewDesk
from tokengeist.bench.review.judgements import Judgement

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / "src")}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tokengeist.cli.main", "review", *arguments]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), env=ENVIRONMENT, capture_output=True, text=True, timeout=60
    )


def test_statistics_and_agreement_as_text_and_json(dataset: Dataset) -> None:
    folder = str(dataset.folder)
    shown = run(folder, "--stats", "--size", "5")
    assert shown.returncode == 0
    assert "5 targets, drawn with seed 0" in shown.stdout
    assert "chained+multi_source" in shown.stdout
    data = json.loads(run(folder, "--json").stdout)
    assert data["acceptance"]["overall"]["sampled"] == 5
    assert "100.0 to 100.0" in run(folder, "--against", folder).stdout
    agreed = json.loads(run(folder, "--against", folder, "--json").stdout)
    assert agreed["metrics"]["edge_f1"]["mean"] == 1.0
    again = run(folder, "--stats", "--size", "6")
    assert again.returncode == 2
    assert "drawn already" in again.stderr


def test_two_reviewers_are_compared_in_the_terminal(dataset: Dataset, desk: ReviewDesk) -> None:
    for name, level in (("ada", Judgement.CORRECT), ("bob", Judgement.MINOR)):
        for index in range(3):
            desk.judge(name, index, level, note="", seen=desk.open(index, name).digest)
    shown = run(str(dataset.folder), "--stats").stdout
    assert "kappa" in shown
    rows = [line.split() for line in shown.splitlines() if "ada and bob" in line]
    assert rows[0][3:] == ["3", "0%", "0.00", "0.00"]  # they never say the same, as by chance
    assert rows[1][3:] == ["3", "100.0", "100.0", "100.0", "100.0", "100%"]  # and accept the same


def test_the_page_is_served_and_ends_with_ctrl_c(dataset: Dataset) -> None:
    process = subprocess.Popen(
        command(str(dataset.folder), "--no-browser", "--reviewer", "ada"),
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(found[0] + "api/review", timeout=10) as answer:
            assert len(json.load(answer)["items"]) == 9
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in said
