"""The core stays light, and imports go one way."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import tokengeist

HEAVY = ("torch", "transformers", "ray", "starlette", "numpy", "matplotlib", "jinja2")


@pytest.mark.parametrize(
    "code",
    [
        "import tokengeist",
        "from tokengeist.cli.main import app",
        "import tokengeist as t; x = t.load(t.example_path('refund')); "
        "t.trace(x, 'on its way', options=t.BackendOptions(model='none'))",
    ],
)
def test_light_work_imports_nothing_heavy(code: str) -> None:
    check = f"import sys; {code}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, atexit; "
        f"atexit.register(lambda: print('heavy', [m for m in {HEAVY!r} if m in sys.modules])); "
        "sys.argv = ['tokengeist', '--help']; from tokengeist.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "heavy []" in done.stdout


def test_public_names_are_exactly_these() -> None:
    assert all(hasattr(tokengeist, name) for name in tokengeist.__all__)
    assert sorted(tokengeist.__all__) == tokengeist.__all__


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokengeist", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["tokengeist", version("tokengeist")]
