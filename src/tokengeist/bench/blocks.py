"""A file of JSON lines in which the lines of one conversation stand together, as a block.

Blocks are appended whole and flushed to disk. A kill or a full disk leaves at most one incomplete
block at the end, which `keep` drops. Any other line that cannot be read is damage: `keep` drops it
as well, so that it is made anew, and `index` refuses it, because scores would change unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Generic, Protocol, TypeVar

from tokengeist.bench.files import append_durably, replace_file
from tokengeist.errors import RunError


class Line(Protocol):
    """What a line holds: something about a conversation."""

    @property
    def conversation_id(self) -> str: ...


LineT = TypeVar("LineT", bound=Line)

Place = tuple[int, int]
"""Where a block stands: its first byte, and how many."""


class BlockFile(Generic[LineT]):
    """The file at `path`; `parse` reads a line and raises `RunError` for one that it cannot."""

    def __init__(self, path: Path, parse: Callable[[str], LineT]) -> None:
        self.path = path
        self._parse = parse

    def index(self) -> dict[str, Place]:
        """Where each conversation's block stands; an unfinished last line has no place.

        Raises `RunError` for any other line that cannot be read.
        """
        if not self.path.is_file():
            return {}
        return {id: place for id, place, _ in self._blocks(skip_damage=False)}

    def read(self, place: Place) -> list[LineT]:
        """The lines at a place of `index`."""
        with self.path.open("rb") as file:
            file.seek(place[0])
            # JSON need not escape the other line separators that splitlines() knows.
            return [self._parse(line) for line in file.read(place[1]).decode().split("\n")[:-1]]

    def keep(self, is_whole: Callable[[str, list[LineT]], bool]) -> frozenset[str]:
        """Drop everything but the blocks that are whole; returns whose these are."""
        if not self.path.is_file():
            return frozenset()
        kept = {
            id: place for id, place, lines in self._blocks(skip_damage=True) if is_whole(id, lines)
        }
        if sum(length for _, length in kept.values()) != self.path.stat().st_size:
            self._rewrite(list(kept.values()))
        return frozenset(kept)

    def sort(self, ids: tuple[str, ...]) -> None:
        """Put the blocks in this order of conversations."""
        index = self.index()
        wanted = [index[id] for id in ids if id in index]
        if wanted != sorted(wanted):
            self._rewrite(wanted)

    @contextmanager
    def appending(self) -> Iterator[Callable[[tuple[str, ...]], None]]:
        """A function that appends the lines of one conversation and sees them onto the disk."""
        with self.path.open("ab", buffering=0) as file:

            def append(lines: tuple[str, ...]) -> None:
                data = "".join(line + "\n" for line in lines).encode()
                append_durably(file, data, self.path)

            yield append

    def _blocks(self, *, skip_damage: bool) -> Iterator[tuple[str, Place, list[LineT]]]:
        """Runs of readable lines of one conversation, with their places."""
        id, start, end = "", 0, 0
        block: list[LineT] = []
        offset = 0
        with self.path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    line = self._parse_raw(raw)
                except (RunError, UnicodeDecodeError) as error:
                    if not skip_damage:
                        raise RunError(
                            f"{self.path}, line {number} is damaged: {error}. Give the run's own "
                            "`bench run` command again to make it anew"
                        ) from error
                    line = None
                if block and (line is None or line.conversation_id != id):
                    yield id, (start, end - start), block
                    block = []
                if line is not None:
                    if not block:
                        id, start = line.conversation_id, offset
                    block.append(line)
                    end = offset + len(raw)
                offset += len(raw)
        if block:
            yield id, (start, end - start), block

    def _parse_raw(self, raw: bytes) -> LineT | None:
        if not raw.endswith(b"\n"):
            return None  # torn by a kill, even where it happens to be whole JSON
        return self._parse(raw.decode())

    def _rewrite(self, places: list[Place]) -> None:
        def copy(target: IO[bytes]) -> None:
            with self.path.open("rb") as source:
                for start, length in places:
                    source.seek(start)
                    target.write(source.read(length))

        replace_file(self.path, copy)
