"""Run the command line as a user does, without paying for a process each time."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tokengeist.cli.main import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call `tokengeist ARGS…` and look at what it printed and how it ended."""

    def call(*arguments: str | Path) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["tokengeist", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], Path]:
    """A file holding the given text, or the given value as JSON."""

    def put(content: Any, name: str = "transcript.json") -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return put
