"""A folder with the two recorded conversations, without their gold."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bench.annotation.servers import RECORDED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "bench"
    shutil.copytree(RECORDED / "conversations", path / "conversations")
    return path
