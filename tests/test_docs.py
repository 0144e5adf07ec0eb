"""The documentation runs, and covers what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tokengeist
from scripts.refresh_docs import BLOCK, refreshed
from tokengeist.attribution.registry import backends
from tokengeist.cli.main import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def python_blocks(page: Path) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL))


@pytest.mark.parametrize(
    "page", [p for p in PAGES if python_blocks(p)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_python_in_the_docs_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page are one program, run from the root of the repository."""
    monkeypatch.chdir(ROOT)
    exec(compile(python_blocks(page), str(page), "exec"), {"__name__": "docs"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page} links to {target}"


def test_every_command_and_backend_is_in_the_reference() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text("utf-8")
    commands = {c.name or (c.callback and c.callback.__name__) for c in app.registered_commands}
    commands |= {group.name for group in app.registered_groups}
    missing = [name for name in commands if f"`tokengeist {name}`" not in reference]
    missing += [name for name in backends() if f"`{name}`" not in reference]
    missing += [name for name in tokengeist.__all__ if f"`{name}`" not in reference]
    assert missing == []


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if BLOCK.search(p.read_text("utf-8"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_output_in_the_docs_is_real(page: Path) -> None:
    """To accept a change on purpose: `python scripts/refresh_docs.py`."""
    text = page.read_text("utf-8")
    assert refreshed(text) == text
