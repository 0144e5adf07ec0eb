"""`tokengeist bench validate` and `gold`: benchmark folders themselves."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tokengeist.bench.dataset import Dataset, GoldForm, write_gold
from tokengeist.bench.validation import validate as find_problems
from tokengeist.cli.output import print_json
from tokengeist.export.terminal import printable

Data = Annotated[Path, typer.Argument(help="A folder with conversations/ and gold/.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]


def validate(
    data: Data,
    as_json: AsJson = False,
    advice: Annotated[
        bool, typer.Option("--advice", help="Also show what the protocol merely recommends.")
    ] = False,
) -> None:
    """Check every rule of the annotation protocol. Exit code 1 if any is broken."""
    dataset = Dataset(data)
    problems = [p for p in find_problems(dataset) if advice or not p.is_advice]
    broken = sum(not problem.is_advice for problem in problems)
    if as_json:
        print_json(
            {
                "conversations": len(dataset),
                "is_valid": not broken,
                "problems": [asdict(problem) for problem in problems],
            }
        )
    else:
        for problem in problems:
            typer.echo(printable(f"{'advice: ' if problem.is_advice else ''}{problem}"))
        verdict = f"{broken} problems" if broken else "every rule is kept"
        typer.echo(f"{len(dataset)} conversations: {verdict}")
    if broken:
        raise typer.Exit(1)


def gold(
    data: Data,
    out: Annotated[Path, typer.Option("--out", help="The folder for the new gold files.")],
    form: Annotated[GoldForm, typer.Option(help="How to write them.")] = GoldForm.OFFSETS,
    as_json: AsJson = False,
) -> None:
    """Write gold files in the other form: with quotes, or as offsets that quote nothing."""
    count = write_gold(Dataset(data), out, form)
    if as_json:
        print_json({"files": count, "form": form, "folder": str(out)})
    else:
        typer.echo(f"{count} gold files in the {form} form: {out}")
