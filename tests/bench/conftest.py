from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.worlds import install_backend, make_dataset
from tokengeist.bench.dataset import Dataset


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return Dataset(make_dataset(tmp_path / "data", [f"c{number}" for number in range(6)]))


@pytest.fixture
def mtca_dev(shared_data: Path) -> Dataset:
    return Dataset(shared_data / "mtca-dev")


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Installs the backend `test`; the path is where its processes leave their ids."""
    install_backend(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("TEST_PIDS", str(tmp_path / "pids"))
    return tmp_path / "pids"
