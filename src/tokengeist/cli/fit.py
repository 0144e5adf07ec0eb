"""`tokengeist fit`: the weights of `blend` from gold graphs, and how they carry over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tokengeist.bench.fit import DOMAIN, transfer, weights_json
from tokengeist.bench.metrics import LABELS, METRICS
from tokengeist.cli.dataset import open_dataset
from tokengeist.cli.output import print_json, write_file


def fit(
    dataset: Annotated[
        Path, typer.Argument(help="A benchmark folder with conversations/ and gold/.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the weights to this file.")
    ] = None,
    across: Annotated[
        bool,
        typer.Option("--across", help="Instead: fit on all domains but one and test on that one."),
    ] = False,
    domain: Annotated[
        str, typer.Option(help="With --across: a pattern whose group names an id's domain.")
    ] = DOMAIN,
    as_json: Annotated[bool, typer.Option("--json", help="With --across: as JSON.")] = False,
) -> None:
    """Fit the weights of the blend backend to a benchmark's gold graphs.

    The weights in the package were made by this command; the file says from which data.
    """
    opened = open_dataset(dataset)
    if not across:
        text = json.dumps(weights_json(opened, opened.ids), indent=1, ensure_ascii=False) + "\n"
        if output:
            write_file(output, text)
        else:
            typer.echo(text, nl=False)
        return
    found = transfer(opened, domain=domain)
    if as_json:
        print_json(
            [
                {
                    "fitted_on": list(row.fitted_on),
                    "tested_on": row.tested_on,
                    "targets": row.targets,
                    "scores": {metric: e.json() for metric, e in row.scores.items()},
                }
                for row in found
            ]
        )
        return
    table = Table(
        "fitted on", "tested on", "targets", *(LABELS[m] for m in METRICS), box=None, pad_edge=False
    )
    for row in found:
        cells = [
            f"{100 * e.mean:.1f} [{100 * e.low:.0f}–{100 * e.high:.0f}]"
            for e in (row.scores[metric] for metric in METRICS if metric in row.scores)
        ]
        table.add_row(", ".join(row.fitted_on), row.tested_on, str(row.targets), *cells)
    Console(highlight=False, soft_wrap=True).print(table)
