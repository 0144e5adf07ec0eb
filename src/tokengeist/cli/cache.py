"""`tokengeist cache`: the readings kept on the disk."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tokengeist.cli.options import AsJson
from tokengeist.cli.output import print_json


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete them all.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show, or clear, the readings that make a repeated trace need no model."""
    from tokengeist.attribution.cached import cache_size, clear_cache, readings_directory

    size = clear_cache() if clear else cache_size()
    where = readings_directory()
    if as_json:
        print_json({"directory": str(where), "cleared": clear, **asdict(size)})
        return
    verb = "deleted" if clear else "kept"
    print(f"{size.readings} readings, {size.bytes / 1e6:.1f} MB, {verb} in {where}")
