"""The cache is atomic, shared, and never trusted."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from tokengeist.models.cache import MANIFEST, build_directory, cache_root, is_whole, sampled_digest


def fill(directory: Path) -> None:
    (directory / "weights").write_bytes(b"w" * 1000)
    (directory / "config.json").write_text("{}")


def slow_fill(directory: Path) -> None:
    with (directory.parent / "fills").open("a") as log:
        log.write("x")
    time.sleep(0.3)
    fill(directory)


def build_slowly(final: Path) -> None:
    build_directory(final, slow_fill)


def test_the_environment_chooses_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENGEIST_CACHE", "/somewhere/else")
    assert cache_root() == Path("/somewhere/else")


def test_a_whole_directory_is_not_built_again(tmp_path: Path) -> None:
    final = build_directory(tmp_path / "model", fill)
    before = (final / MANIFEST).stat().st_mtime_ns
    build_directory(final, slow_fill)
    assert (final / MANIFEST).stat().st_mtime_ns == before
    assert not (tmp_path / "fills").exists()


@pytest.mark.parametrize("damage", ["changed", "truncated", "missing", "manifest", "no manifest"])
def test_a_damaged_directory_is_rebuilt(tmp_path: Path, damage: str) -> None:
    final = build_directory(tmp_path / "model", fill)
    match damage:
        case "changed":
            (final / "weights").write_bytes(b"v" * 1000)
        case "truncated":
            (final / "weights").write_bytes(b"w" * 999)
        case "missing":
            (final / "weights").unlink()
        case "manifest":
            (final / MANIFEST).write_text("[1]")
        case _:
            (final / MANIFEST).unlink()
    assert not is_whole(final)
    build_directory(final, fill)
    assert is_whole(final)
    assert (final / "weights").read_bytes() == b"w" * 1000


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail(directory: Path) -> None:
        (directory / "weights").write_bytes(b"half")
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        build_directory(tmp_path / "model", fail)
    assert not [path for path in tmp_path.iterdir() if not path.name.endswith(".lock")]


def test_two_processes_at_once_do_the_work_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    final = tmp_path / "model"
    workers = [context.Process(target=build_slowly, args=(final,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert is_whole(final)
    assert (tmp_path / "fills").read_text() == "x"


def test_a_digest_notices_a_change_in_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"\0" * (6 << 20))
    before = sampled_digest(path)
    with path.open("r+b") as file:
        file.truncate(5 << 20)
    truncated = sampled_digest(path)
    path.write_bytes(b"\1" * (6 << 20))
    assert len({before, truncated, sampled_digest(path)}) == 3
