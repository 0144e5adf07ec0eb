"""What the tests of all readers share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tokengeist.transcript import Transcript


@pytest.fixture
def write(tmp_path: Path) -> Callable[[object], Path]:
    """Write a value as JSON, or a text as it is, and return the file."""

    def _write(value: object) -> Path:
        file = tmp_path / "chat.json"
        file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return file

    return _write


@pytest.fixture
def outline() -> Callable[[Transcript], list[tuple[str, str]]]:
    """Every turn's role and canonical text."""
    return lambda transcript: [(turn.role.value, turn.text) for turn in transcript.turns]
