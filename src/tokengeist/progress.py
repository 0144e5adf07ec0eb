"""How long work tells whoever is watching that it goes on.

A backend deep inside a reading calls `report`; the command line or the server decides around the
call what becomes of it (`watching`). The seam stays free of callbacks, and without a watcher a
report costs nothing. A watcher may raise to cancel the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

_watcher: ContextVar[Watcher | None] = ContextVar("tokengeist_watcher", default=None)


def report(what: str, done: int, total: int) -> None:
    """Tell the watcher, if there is one."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Send the reports of everything inside the `with` to `watcher`."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)
