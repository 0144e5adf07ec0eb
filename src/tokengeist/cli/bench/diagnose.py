"""`tokengeist bench diagnose`: whether what is wrong is noted, and as what."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.diagnosis import Diagnosis
from tokengeist.bench.diagnosis import diagnose as diagnosed
from tokengeist.cli.bench.data import AsJson, Data
from tokengeist.cli.output import print_json


def diagnose(data: Data, as_json: AsJson = False) -> None:
    """Count which hallucinations blend notes as wrong, by the paper's kinds, and how often falsely.

    Recall: of the wrong targets of a kind, those with any note. Named: those whose note says the
    right kind. Precision: of the notes of a kind, those on targets that are wrong.
    """
    rows = diagnosed(iter(Dataset(data)))
    if as_json:
        print_json(
            [asdict(row) | {"recall": row.recall, "precision": row.precision} for row in rows]
        )
        return
    names = ("wrong", "noted", "named", "notes", "false", "recall", "precision")
    table = Table("kind", box=None, pad_edge=False)
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(row.kind, *_cells(row))
    Console(highlight=False, soft_wrap=True).print(table)


def _cells(row: Diagnosis) -> list[str]:
    counts = (row.wrong, row.noted, row.named, row.notes, row.false)
    shares = (row.recall, row.precision)
    return [*map(str, counts), *("" if s is None else f"{100 * s:.0f} %" for s in shares)]
