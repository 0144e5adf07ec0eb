"""How commands print and write: JSON to standard output, files whole or not at all."""

from __future__ import annotations

import json
import os
import stat
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


def spare_input(source: str, *outputs: Path | None) -> None:
    """Refuse outputs that are the file they are made from, before any work is done."""
    for output in outputs:
        if output and output.exists() and os.path.exists(source) and output.samefile(source):
            raise TokengeistError(
                f"writing to {output} would destroy the transcript that is read from it; "
                "choose another file"
            )


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file in one move, so that an interruption leaves the old one or none.

    A link stays one and a file keeps its mode; what is no file, such as a pipe, is written to.
    Half a surrogate pair, which UTF-8 cannot carry, becomes an escape: in JSON that is the same.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise TokengeistError(f"cannot write {path}: {error.strerror or error}") from error


def _replace(path: Path, data: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
    with tempfile.NamedTemporaryFile(
        "wb", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        try:
            file.write(data)
            file.close()
            os.chmod(file.name, mode)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


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
