"""Opening a benchmark folder: what its corrections change is said, and must fit."""

from __future__ import annotations

from pathlib import Path

import typer

from tokengeist.bench.dataset import Dataset
from tokengeist.export.terminal import printable


def open_dataset(folder: Path | str) -> Dataset:
    """A benchmark folder. Raises `DatasetError` for a correction that does not fit."""
    dataset = Dataset(folder)
    dataset.check_corrections()
    say_corrections(dataset)
    return dataset


def say_corrections(dataset: Dataset) -> None:
    """Say on standard error what was corrected, if anything was."""
    count = dataset.corrections.counts()
    if any(count.values()):
        waiting = f"; {count['waiting']} entries are not filled in" if count["waiting"] else ""
        typer.echo(
            printable(
                f"{dataset.corrections.origin}: {count['turns']} turns corrected, "
                f"{count['targets']} corrected targets added{waiting}"
            ),
            err=True,
        )
