"""`tokengeist bench correct`: what a benchmark's corrections file does, or could do."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tokengeist.bench.corrections import Corrections, TurnCorrection
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.proposals import propose as find_proposals
from tokengeist.cli.bench.data import AsJson, Data
from tokengeist.cli.output import print_json
from tokengeist.export.terminal import printable


def correct(
    data: Data,
    propose: Annotated[
        Path | None,
        typer.Option(help="Write these corrections, missing years and hallucinations here."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show DATA/corrections.json side by side, and that every entry fits.

    --propose FILE writes what a person could put right. Edit it and move it to
    DATA/corrections.json: from then on it is applied whenever the folder is read.
    """
    dataset = Dataset(data)
    dataset.check_corrections()
    found = dataset.corrections if propose is None else find_proposals(dataset)
    if propose is not None:
        found.write(propose)
    if as_json:
        entries = {"turns": map(asdict, found.turns), "targets": map(asdict, found.targets)}
        print_json({"counts": found.counts()} | {k: list(v) for k, v in entries.items()})
        return
    count = found.counts()
    if propose is not None:
        listed = f"{len(found.turns)} turns and {len(found.targets)} targets to review"
        typer.echo(f"{listed}, {count['waiting']} of them to fill in: {propose}")
        return
    _show(found)
    typer.echo(
        f"{count['turns']} turns corrected, {count['targets']} corrected targets added, "
        f"{count['waiting']} to fill in"
    )


def _show(corrections: Corrections) -> None:
    for entry in corrections.entries:
        what = f"turn {entry.turn}" if isinstance(entry, TurnCorrection) else entry.target
        reason = f": {entry.reason}" if entry.reason else ""
        typer.echo(printable(f"{entry.conversation}, {what}{reason}"))
        for mark, text in (("-", entry.before), ("+", entry.after)):
            for line in text.splitlines():
                typer.echo(printable(f"  {mark} {line}"))
