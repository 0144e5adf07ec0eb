"""A run on disk, written so that no kill can spoil it.

`predictions.jsonl` says which conversations are finished; `evidence.jsonl` is written before it, so
that whatever is finished has its evidence. Runs of earlier versions have none, and need none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokengeist.bench.blocks import BlockFile, Place
from tokengeist.bench.evidence import Evidence
from tokengeist.bench.files import lock_file, replace_file
from tokengeist.bench.predictions import Prediction
from tokengeist.bench.worker import Finished
from tokengeist.errors import RunError


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.predictions = BlockFile(self.path / "predictions.jsonl", Prediction.parse)
        """One line per target."""
        self.evidence = BlockFile(self.path / "evidence.jsonl", Evidence.parse)
        """One line per target that was traced."""

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
        """Where each conversation's predictions stand."""
        if not self.predictions.path.is_file():
            raise RunError(f"{self.path} holds no run: there is no predictions.jsonl")
        return self.predictions.index()

    def read(self, place: Place) -> list[Prediction]:
        """The predictions at a place of `index`."""
        return self.predictions.read(place)

    def resume(self, is_whole: Callable[[str, list[Prediction]], bool]) -> frozenset[str]:
        """Drop everything but whole conversations; returns which ones are done."""
        done = self.predictions.keep(is_whole)
        self.evidence.keep(lambda id, _: id in done)
        return done

    def sort(self, ids: tuple[str, ...]) -> None:
        """Put conversations in the order of the data set, whichever finished first."""
        self.evidence.sort(ids)
        self.predictions.sort(ids)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / ".lock").open("wb") as file:
            lock_file(file, self.path)
            yield

    @contextmanager
    def appending(self) -> Iterator[Callable[[Finished], None]]:
        """A function that appends one finished conversation and sees it onto the disk."""
        with self.evidence.appending() as prove, self.predictions.appending() as predict:

            def append(finished: Finished) -> None:
                prove(finished.evidence)
                predict(finished.lines)

            yield append
