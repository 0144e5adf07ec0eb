"""Figures of finished conversations in a file, so that a run that was stopped goes on."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.reading import CloseLook, ReadingFigures


class Finished:
    """One line of JSON for every conversation; in memory only where there is no file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._figures: dict[str, ReadingFigures] = {}
        if path is not None and path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                figures = _figures(json.loads(line))
                self._figures[figures.id] = figures

    def get(self, id: str) -> ReadingFigures | None:
        return self._figures.get(id)

    def add(self, figures: ReadingFigures) -> None:
        self._figures[figures.id] = figures
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(figures)) + "\n")


def _figures(record: dict[str, Any]) -> ReadingFigures:
    closely = record.pop("closely")
    return ReadingFigures(**record, closely=CloseLook(**closely) if closely else None)
