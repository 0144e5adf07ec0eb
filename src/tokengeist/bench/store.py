"""A run on disk: `predictions.jsonl` and `meta.json`, written so that no kill can spoil them.

Finished conversations are appended whole and flushed to disk. A run that was killed, or whose disk
was full, leaves at most one incomplete conversation, which `resume` drops.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tokengeist.bench.files import append_durably, lock_file, replace_file
from tokengeist.bench.predictions import Prediction
from tokengeist.errors import RunError

Place = tuple[int, int]
"""Where a conversation's lines stand: the first byte, and how many."""


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def predictions_path(self) -> Path:
        """One line per target."""
        return self.path / "predictions.jsonl"

    @property
    def meta_path(self) -> Path:
        """What was run, how, where and how long it took."""
        return self.path / "meta.json"

    @property
    def name(self) -> str:
        """How tables name the run where nothing better is known."""
        return self.path.resolve().name

    def exists(self) -> bool:
        """Whether a run was ever started here."""
        return self.meta_path.is_file()

    def repeats(self) -> tuple[RunFolder, ...]:
        """The runs to be averaged where this is a folder of repeats; else this one alone."""
        folders = sorted(self.path.glob("repeat-*"), key=lambda p: int(p.name.split("-")[1]))
        return tuple(RunFolder(folder) for folder in folders) or (self,)

    def meta(self) -> dict[str, Any]:
        """What `meta.json` holds."""
        try:
            meta: dict[str, Any] = json.loads(self.meta_path.read_bytes())
        except FileNotFoundError:
            raise RunError(f"{self.path} holds no run: there is no meta.json") from None
        except ValueError as error:
            raise RunError(f"{self.meta_path} is not JSON: {error}") from error
        return meta

    def write_meta(self, meta: dict[str, Any]) -> None:
        """Replace `meta.json` in one move."""
        self.path.mkdir(parents=True, exist_ok=True)
        replace_file(self.meta_path, lambda file: file.write(json.dumps(meta, indent=2).encode()))

    def index(self) -> dict[str, Place]:
        """Where each conversation's predictions stand. Lines that cannot be read have no place."""
        if not self.predictions_path.is_file():
            raise RunError(f"{self.path} holds no run: there is no predictions.jsonl")
        return {id: place for id, place, _ in self._blocks()}

    def read(self, place: Place) -> list[Prediction]:
        """The predictions at a place of `index`."""
        with self.predictions_path.open("rb") as file:
            file.seek(place[0])
            return [Prediction.parse(line) for line in file.read(place[1]).decode().splitlines()]

    def resume(self, is_whole: Callable[[str, list[Prediction]], bool]) -> frozenset[str]:
        """Drop everything but whole conversations; returns which ones are done."""
        if not self.predictions_path.exists():
            return frozenset()
        blocks = self._blocks()
        kept = {id: place for id, place, predictions in blocks if is_whole(id, predictions)}
        if sum(length for _, length in kept.values()) != self.predictions_path.stat().st_size:
            self._rewrite(list(kept.values()))
        return frozenset(kept)

    def sort(self, ids: tuple[str, ...]) -> None:
        """Put conversations in the order of the data set, whichever finished first."""
        index = self.index()
        wanted = [index[id] for id in ids if id in index]
        if wanted != sorted(wanted):
            self._rewrite(wanted)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / ".lock").open("wb") as file:
            lock_file(file, self.path)
            yield

    @contextmanager
    def appending(self) -> Iterator[Callable[[tuple[str, ...]], None]]:
        """A function that appends the lines of one conversation and sees them onto the disk."""
        with self.predictions_path.open("ab", buffering=0) as file:

            def append(lines: tuple[str, ...]) -> None:
                data = "".join(line + "\n" for line in lines).encode()
                append_durably(file, data, self.predictions_path)

            yield append

    def _blocks(self) -> Iterator[tuple[str, Place, list[Prediction]]]:
        """Runs of readable lines of one conversation, with their places."""
        id, start, end = "", 0, 0
        block: list[Prediction] = []
        offset = 0
        with self.predictions_path.open("rb") as file:
            for line in file:
                prediction = _parse_line(line)
                if block and (prediction is None or prediction.conversation_id != id):
                    yield id, (start, end - start), block
                    block = []
                if prediction is not None:
                    if not block:
                        id, start = prediction.conversation_id, offset
                    block.append(prediction)
                    end = offset + len(line)
                offset += len(line)
        if block:
            yield id, (start, end - start), block

    def _rewrite(self, places: list[Place]) -> None:
        def copy(target: IO[bytes]) -> None:
            with self.predictions_path.open("rb") as source:
                for start, length in places:
                    source.seek(start)
                    target.write(source.read(length))

        replace_file(self.predictions_path, copy)


def _parse_line(line: bytes) -> Prediction | None:
    if not line.endswith(b"\n"):
        return None  # torn by a kill, even where it happens to be whole JSON
    try:
        return Prediction.parse(line.decode())
    except (RunError, UnicodeDecodeError):
        return None
