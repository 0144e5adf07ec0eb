"""The same predictions whatever the engine, and whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.test_run import (
    command,
    environment,
    evidence,
    lines,
    readings,
    timeless,
    wait_for_lines,
)
from tests.bench.worlds import make_dataset
from tokengeist.attribution.registry import BackendOptions
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.engines.processes import ProcessEngine
from tokengeist.bench.run import run
from tokengeist.bench.worker import Method
from tokengeist.errors import UnknownNameError

TEST = Method("test")
ATTENTION = Method("attention", BackendOptions(cache=False))
"""With the embedded model, read anew by every engine."""
SCORED = ("edges", "unpruned_edges")
"""The lists of a prediction with scores in them."""


@pytest.fixture
def expected(dataset: Dataset, tmp_path: Path) -> list[object]:
    """What a run in this process says."""
    run(dataset, tmp_path / "expected", Method("lexical"))
    return list(timeless(tmp_path / "expected"))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset(make_dataset(tmp_path_factory.mktemp("data") / "two", ["a", "b"]))


@pytest.fixture(scope="module")
def read_here(two: Dataset, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the model says in this process."""
    out = tmp_path_factory.mktemp("here")
    run(two, out, ATTENTION)
    rows = timeless(out)
    assert all(row["edges"] for row in rows)
    return rows


def same_reading(out: Path, wanted: list[dict[str, Any]]) -> None:
    """Alike but for the last digits: a worker has fewer threads, and they add in another order."""
    found = timeless(out)
    assert [unscored(row) for row in found] == [unscored(row) for row in wanted]
    assert scores(found) == pytest.approx(scores(wanted), rel=1e-4)


def unscored(row: dict[str, Any]) -> dict[str, Any]:
    return row | {of: [[*edge[:2], edge[3]] for edge in row[of]] for of in SCORED}


def scores(rows: list[dict[str, Any]]) -> list[float]:
    return [edge[2] for row in rows for of in SCORED for edge in row[of]]


def kill_a_worker(pids: Path) -> threading.Thread:
    """Kill the first worker that is seen at work, with no chance to say goodbye."""

    def kill() -> None:
        while not readings(pids):
            time.sleep(0.01)
        os.kill(int(pids.read_text().split()[0]), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_processes_say_the_same(
    dataset: Dataset, tmp_path: Path, pids: Path, expected: list[object]
) -> None:
    run(dataset, tmp_path / "run", TEST, engine=ProcessEngine(2))
    assert timeless(tmp_path / "run") == expected
    assert evidence(tmp_path / "run") == evidence(tmp_path / "expected")
    workers = {line.split()[0] for line in pids.read_text().splitlines()}
    assert str(os.getpid()) not in workers


def test_processes_read_with_the_model_as_this_one_does(
    two: Dataset, tmp_path: Path, read_here: list[dict[str, Any]]
) -> None:
    run(two, tmp_path / "run", ATTENTION, engine=ProcessEngine(2))
    same_reading(tmp_path / "run", read_here)


def test_a_killed_process_changes_nothing(
    dataset: Dataset,
    tmp_path: Path,
    pids: Path,
    expected: list[object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEST_NAP", "0.2")
    killer = kill_a_worker(pids)
    run(dataset, tmp_path / "run", TEST, engine=ProcessEngine(2))
    killer.join()
    assert timeless(tmp_path / "run") == expected
    assert len(readings(pids)) == 7  # the one that died was read twice


def test_a_conversation_that_kills_its_worker_is_an_error(tmp_path: Path, pids: Path) -> None:
    dataset = Dataset(make_dataset(tmp_path / "data", ["a", "b", "poison", "z"]))
    run(dataset, tmp_path / "run", TEST, engine=ProcessEngine(2))
    failed = [row for row in lines(tmp_path / "run") if row["error"]]
    assert [row["target"] for row in failed] == ["hall", "two_people", "order_argument"]
    assert failed[0]["error"] == "3 workers died of it (exit code 3)"
    assert len(lines(tmp_path / "run")) == 12
    assert readings(pids).count("poison") == 3


def test_an_unusable_backend_is_told_by_its_own_error(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'lexical'"):
        run(dataset, tmp_path / "run", Method("lexcal"), engine=ProcessEngine(2))


class TestRay:
    """Against a real cluster of two workers, started once."""

    pytestmark = pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
    )

    @pytest.fixture(scope="class")
    def cluster(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
        """A cluster of its own process, so that its workers have the test backend on their path."""
        pytest.importorskip("ray")
        from tests.bench.worlds import install_backend

        folder = tmp_path_factory.mktemp("ray")
        install_backend(folder / "site")
        path = os.pathsep.join([str(folder / "site"), *sys.path])
        before = dict(os.environ)
        os.environ |= {"PYTHONPATH": path, "TEST_PIDS": str(folder / "pids"), "TEST_NAP": "0.3"}
        os.environ |= {"RAY_worker_niceness": "0"}  # on a busy machine, polite ones never get on
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        yield folder / "pids"
        ray.shutdown()
        os.environ.clear()
        os.environ.update(before)

    def test_the_same_predictions_even_if_a_worker_is_killed(
        self, cluster: Path, dataset: Dataset, tmp_path: Path, expected: list[object]
    ) -> None:
        from tokengeist.bench.engines.ray import RayEngine

        killer = kill_a_worker(cluster)
        run(dataset, tmp_path / "run", TEST, engine=RayEngine(2))
        killer.join()
        assert timeless(tmp_path / "run") == expected
        assert evidence(tmp_path / "run") == evidence(tmp_path / "expected")
        assert len({line.split()[0] for line in cluster.read_text().splitlines()}) >= 3
        assert len(readings(cluster)) > 6

    def test_actors_read_with_the_model_as_this_process_does(
        self, cluster: Path, two: Dataset, tmp_path: Path, read_here: list[dict[str, Any]]
    ) -> None:
        from tokengeist.bench.engines.ray import RayEngine

        run(two, tmp_path / "run", ATTENTION, engine=RayEngine(2))
        same_reading(tmp_path / "run", read_here)

    def test_a_conversation_that_kills_its_worker_is_an_error(
        self, cluster: Path, tmp_path: Path
    ) -> None:
        from tokengeist.bench.engines.ray import RayEngine

        dataset = Dataset(make_dataset(tmp_path / "data", ["a", "bad", "poison", "z"]))
        run(dataset, tmp_path / "run", TEST, engine=RayEngine(2))
        errors = {row["conversation_id"]: row["error"] for row in lines(tmp_path / "run")}
        assert errors == {
            "a": None,
            "bad": "ZeroDivisionError: this conversation is bad",
            "poison": "3 workers died of it",
            "z": None,
        }
        assert len(lines(tmp_path / "run")) == 12

    def test_an_unusable_backend_is_told_by_its_own_error(
        self, cluster: Path, dataset: Dataset, tmp_path: Path
    ) -> None:
        from tokengeist.bench.engines.ray import RayEngine

        with pytest.raises(UnknownNameError, match="Did you mean 'lexical'"):
            run(dataset, tmp_path / "run", Method("lexcal"), engine=RayEngine(2))

    def test_a_killed_run_resumes_where_it_was(
        self, dataset: Dataset, tmp_path: Path, pids: Path, expected: list[object]
    ) -> None:
        pytest.importorskip("ray")
        out = tmp_path / "run"
        call = command(dataset, out, "--engine", "ray", "--workers", "2")
        process = subprocess.Popen(call, env=environment(tmp_path, 1), stdout=subprocess.DEVNULL)
        wait_for_lines(out, 3)
        process.kill()
        process.wait()
        done = {row["conversation_id"] for row in lines(out)}
        assert 1 <= len(done) < 6
        run(dataset, out, TEST)  # by another engine, to save a cluster's start
        assert timeless(out) == expected
        assert all(readings(pids)[-6 + len(done) :].count(id) == 0 for id in done)
