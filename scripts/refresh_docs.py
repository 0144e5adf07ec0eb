"""Run every command whose output the docs show, and write down what it prints now.

A block is refreshed if it holds one `$ tokengeist …` line, with or without output below it, and is
not a list of commands. Output is that of a terminal of 100 columns, without colour.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"```console\n\$ (tokengeist [^\n#]*)\n((?:(?!\$ |```)[^\n]*\n)*)```")


@cache
def run_command(command: str) -> str:
    """What `command` prints to standard output and error, from the root of the repository."""
    done = subprocess.run(
        [sys.executable, "-m", "tokengeist.cli.main", *shlex.split(command)[1:]],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return re.sub(r" +$", "", done.stdout, flags=re.MULTILINE)


def refreshed(text: str) -> str:
    """A page with the output of its commands as they are now."""
    return BLOCK.sub(lambda m: f"```console\n$ {m[1]}\n{run_command(m[1])}```", text)


if __name__ == "__main__":
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        page.write_text(refreshed(page.read_text("utf-8")), "utf-8")
