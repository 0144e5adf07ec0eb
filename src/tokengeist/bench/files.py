"""Files that a kill, a full disk or a second writer cannot spoil."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from tokengeist.errors import RunError


def replace_file(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        with temporary.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error


def append_durably(file: IO[bytes], data: bytes, path: Path) -> None:
    """Append to an unbuffered file and see it onto the disk; on failure, take the part back."""
    size = file.seek(0, os.SEEK_END)
    try:
        written = 0
        while written < len(data):
            written += file.write(data[written:])
        os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            file.truncate(size)
        raise RunError(
            f"cannot write {path}: {error.strerror or error}. Nothing that was finished is lost: "
            "make room and run the same command again"
        ) from error


def lock_file(file: IO[bytes], path: Path) -> None:
    """Refuse a second writer. Where the system has no such locks, trust the user."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunError(f"another process is writing to {path}; wait for it or stop it") from None
