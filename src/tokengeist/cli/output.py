"""How commands print and write: JSON to standard output, files whole or not at all."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokengeist.errors import TokengeistError
from tokengeist.progress import watching


def print_json(data: object) -> None:
    """JSON on standard output.

    Escaped to ASCII when a terminal is watching: no transcript byte may command it. So is what the
    output's encoding cannot carry, be it half a surrogate pair.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False)
    if sys.stdout.isatty() or not _can_carry(sys.stdout.encoding, text):
        text = json.dumps(data, indent=2)
    sys.stdout.write(text + "\n")


def _can_carry(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def write_file(path: Path, text: str) -> None:
    """Write a file in one move, so that an interruption leaves the old one or none.

    Half a surrogate pair, which UTF-8 cannot carry, becomes an escape: in JSON that is the same.
    """
    try:
        with tempfile.NamedTemporaryFile(
            "wb", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            try:
                file.write(text.encode("utf-8", "backslashreplace"))
                file.close()
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise TokengeistError(f"cannot write {path}: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show the reports of long work on standard error while a person is watching."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task("starting", total=None)

        def watch(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        with watching(watch):
            yield
