"""A server without a socket, and a backend that can be held up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import slow
from tokengeist.attribution import registry
from tokengeist.attribution.registry import Backend


@pytest.fixture
def slow_backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[slow.Brake]:
    """Registers the backends `slow` and `slow-too`; hold them up and let them go with the brake."""
    added = tuple(
        Backend(name, "for tests", f"tests.server.slow:{factory}", needs_model=True)
        for name, factory in (("slow", "create"), ("slow-too", "create_another"))
    )
    monkeypatch.setattr(registry, "BUILTIN", (*registry.BUILTIN, *added))
    slow.BRAKE.reset()
    yield slow.BRAKE
    slow.BRAKE.release.set()


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    """A folder with the bundled examples, a file that is none, and a broken one."""
    from tokengeist.formats import example_names, example_path

    folder = tmp_path / "conversations"
    folder.mkdir()
    for name in example_names():
        (folder / f"{name}.json").write_bytes(example_path(name).read_bytes())
    (folder / "notes.json").write_text('{"a": 1}')
    (folder / "broken.json").write_text("{")
    (folder / "readme.txt").write_text("hello")
    return folder
