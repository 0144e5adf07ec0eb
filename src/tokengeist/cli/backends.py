"""`tokengeist backends`: which attribution methods there are."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tokengeist.api import DEFAULT_BACKEND
from tokengeist.attribution.registry import backends as registered
from tokengeist.cli.output import print_json


def backends(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the attribution methods."""
    known = registered().values()
    if as_json:
        print_json(
            [{"name": b.name, "summary": b.summary, "needs_model": b.needs_model} for b in known]
        )
        return
    table = Table("backend", "model", "what it does", box=None, pad_edge=False)
    for backend in known:
        name = f"{backend.name} (default)" if backend.name == DEFAULT_BACKEND else backend.name
        table.add_row(name, "yes" if backend.needs_model else "no", backend.summary)
    Console(highlight=False).print(table)
