"""`tokengeist fit`: the weights of `blend` from gold graphs, and how they carry over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tokengeist.bench.fit import weights_json
from tokengeist.bench.metrics import LABELS, METRICS
from tokengeist.bench.transfer import DOMAIN, Transfer, across, elsewhere, transfer
from tokengeist.cli.dataset import open_dataset
from tokengeist.cli.output import print_json, write_file


def fit(
    dataset: Annotated[
        Path, typer.Argument(help="A benchmark folder with conversations/ and gold/.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the weights to this file.")
    ] = None,
    is_across: Annotated[
        bool,
        typer.Option("--across", help="Instead: fit on all domains but one and test on that one."),
    ] = False,
    test: Annotated[
        Path | None,
        typer.Option(help="Instead: fit on all of the data and test on this other folder."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(help="Keep the test as a run, for `bench score` and `bench report`."),
    ] = None,
    domain: Annotated[
        str, typer.Option(help="For tests: a pattern whose group names an id's domain.")
    ] = DOMAIN,
    as_json: Annotated[bool, typer.Option("--json", help="For tests: as JSON.")] = False,
) -> None:
    """Fit the weights of the blend backend to a benchmark's gold graphs.

    The weights in the package were made by this command; the file says from which data.
    """
    opened = open_dataset(dataset)
    if not is_across and test is None:
        if run is not None:
            raise typer.BadParameter("--run keeps a test; add --across or --test FOLDER")
        text = json.dumps(weights_json(opened, opened.ids), indent=1, ensure_ascii=False) + "\n"
        if output:
            write_file(output, text)
        else:
            typer.echo(text, nl=False)
        return
    if output is not None or (is_across and test is not None):
        raise typer.BadParameter("give one of --output FILE, --across and --test FOLDER")
    tested = opened if test is None else open_dataset(test)
    divisions = (
        across(opened, domain=domain) if test is None else elsewhere(opened, tested, domain=domain)
    )
    found = transfer(tested, divisions, run, domain=domain)
    if as_json:
        print_json([_row_json(row) for row in found])
    else:
        _show(found)


def _row_json(row: Transfer) -> dict[str, object]:
    return {
        "fitted_on": list(row.fitted_on),
        "tested_on": row.tested_on,
        "targets": row.scores.targets,
        "scores": {metric: row.scores.overall[metric].json() for metric in METRICS},
    }


def _show(found: list[Transfer]) -> None:
    table = Table(
        "fitted on", "tested on", "targets", *(LABELS[m] for m in METRICS), box=None, pad_edge=False
    )
    for row in found:
        cells = [
            f"{100 * e.mean:.1f} [{100 * e.low:.0f}–{100 * e.high:.0f}]"
            for e in (row.scores.overall[metric] for metric in METRICS)
        ]
        table.add_row(", ".join(row.fitted_on), row.tested_on, str(row.scores.targets), *cells)
    Console(highlight=False, soft_wrap=True).print(table)
