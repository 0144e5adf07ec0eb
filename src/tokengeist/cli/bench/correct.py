"""`tokengeist bench correct`: the benchmark of hallucinations put right."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokengeist.bench.corrected import (
    corrected,
    propose_patches,
    read_patches,
    write_corrected,
    write_patches,
)
from tokengeist.bench.dataset import Dataset
from tokengeist.cli.bench.data import AsJson, Data
from tokengeist.cli.output import print_json


def correct(
    data: Data,
    propose: Annotated[
        Path | None, typer.Option(help="Write an entry for every hallucination here, for review.")
    ] = None,
    patches: Annotated[
        Path | None, typer.Option(help="The reviewed entries: before and after, side by side.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The corrected benchmark folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Replace wrong values by reviewed right ones, to see whether the right ones can be traced."""
    dataset = Dataset(data)
    if propose is not None and patches is None and out is None:
        found = list(propose_patches(dataset))
        write_patches(found, propose)
        said, count = f"{len(found)} entries to fill in: {propose}", len(found)
    elif patches is not None and out is not None and propose is None:
        count = write_corrected(corrected(dataset, read_patches(patches)), out)
        said = f"{count} corrected targets: {out}"
    else:
        raise typer.BadParameter("give either --propose FILE, or --patches FILE and --out FOLDER")
    if as_json:
        print_json({"targets": count})
    else:
        typer.echo(said)
