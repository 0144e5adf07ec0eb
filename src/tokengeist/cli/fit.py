"""`tokengeist fit`: the weights of `blend` from gold graphs, and how they carry over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tokengeist.bench.calibration import Band, bands, scored_links
from tokengeist.bench.fit import weights_json
from tokengeist.bench.metrics import LABELS, METRICS
from tokengeist.bench.revision import revision_json
from tokengeist.bench.transfer import (
    DOMAIN,
    Transfer,
    across,
    each,
    elsewhere,
    transfer,
    with_model,
)
from tokengeist.cli.dataset import open_dataset
from tokengeist.cli.options import named_file
from tokengeist.cli.output import print_json, progress_bar, write_file
from tokengeist.models.sentences import SentenceModel
from tokengeist.models.store import SENTENCES


def fit(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER…",
            help="One or more benchmarks with conversations/ and gold/ or links/.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", callback=named_file, help="Write the weights to this file."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help=f"Fit what the sentence model {SENTENCES} adds to the weights."),
    ] = None,
    is_across: Annotated[
        bool,
        typer.Option(
            "--across", help="Instead: fit on all domains but one of the first folder, test on it."
        ),
    ] = False,
    is_each: Annotated[
        bool,
        typer.Option("--each", help="Instead: fit on all folders but one, test on it, for each."),
    ] = False,
    test: Annotated[
        Path | None,
        typer.Option(help="Instead: fit on all of the data and test on this other folder."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            help="Keep the test as a run, for `bench score` and `bench report`; with --each a run "
            "for each folder, and what --model adds. A test that was stopped goes on there."
        ),
    ] = None,
    domain: Annotated[
        str, typer.Option(help="For tests: a pattern whose group names an id's domain.")
    ] = DOMAIN,
    as_json: Annotated[bool, typer.Option("--json", help="For tests: as JSON.")] = False,
) -> None:
    """Fit the weights of the blend backend to the gold graphs of benchmarks.

    The weights in the package were made by this command; the files say from which data. --each also
    counts how many of the links with some probability gold has as well.
    """
    if model not in (None, SENTENCES):
        raise typer.BadParameter(f"blend reads with the model '{SENTENCES}', not '{model}'")
    is_test = is_across or is_each or test is not None
    if run is not None and not is_test:
        raise typer.BadParameter("--run keeps a test; add --across, --each or --test FOLDER")
    if sum((output is not None, is_across, is_each, test is not None)) > 1:
        raise typer.BadParameter("give one of --output FILE, --across, --each and --test FOLDER")
    if model and not is_test and (output is None or output.suffix != ".json"):
        raise typer.BadParameter("what a model adds are two files; give --output FILE.json")
    opened = [open_dataset(folder) for folder in folders]
    sentences = SentenceModel.find("fitting with a model") if model else None
    if is_each:
        found: list[Transfer] = []
        scored: list[tuple[float, bool]] = []
        with progress_bar():
            for tested, part in each(opened, model=sentences, kept=run):
                found += transfer(tested, [part], run / tested.name if run else None)
                scored += scored_links(tested, part.attributor)
        if as_json:
            calibration = [band.json() for band in bands(scored)]
            print_json({"sets": [_row_json(row) for row in found], "calibration": calibration})
        else:
            _show_rows(found)
            _show_bands(bands(scored))
        return
    if is_across or test is not None:
        tested = opened[0] if test is None else open_dataset(test)
        with progress_bar():
            if is_across:
                divisions = across(tested, domain=domain, model=sentences, others=opened[1:])
            elif sentences:
                divisions = with_model(opened, tested, sentences)
            else:
                divisions = elsewhere(opened, tested, domain=domain)
        rows = transfer(tested, divisions, run)
        if as_json:
            print_json([_row_json(row) for row in rows])
        else:
            _show_rows(rows)
        return
    revision = None
    if sentences:
        with progress_bar():
            made, revision = revision_json(opened, sentences)
    else:
        made = weights_json(opened)
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    if output:
        write_file(output, text)
        if revision:
            write_file(output.with_suffix(".safetensors"), revision.nameless())
    else:
        typer.echo(text, nl=False)


def _row_json(row: Transfer) -> dict[str, object]:
    return {
        "fitted_on": list(row.fitted_on),
        "tested_on": row.tested_on,
        "targets": row.scores.targets,
        "scores": {metric: row.scores.overall[metric].json() for metric in METRICS},
    }


def _show_rows(found: list[Transfer]) -> None:
    table = Table(
        "fitted on", "tested on", "targets", *(LABELS[m] for m in METRICS), box=None, pad_edge=False
    )
    for row in found:
        cells = [
            f"{100 * e.mean:.1f} [{100 * e.low:.0f}–{100 * e.high:.0f}]"
            for e in (row.scores.overall[metric] for metric in METRICS)
        ]
        table.add_row(", ".join(row.fitted_on), row.tested_on, str(row.scores.targets), *cells)
    _console().print(table)


def _show_bands(found: list[Band]) -> None:
    table = Table("probability", "links", "right", box=None, pad_edge=False)
    for band in found:
        share = f"{100 * band.sources / band.links:.0f} %" if band.links else "–"
        table.add_row(f"{band.low:g} to {band.high:g}", f"{band.links:,}", share)
    _console().print("", table)


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)
