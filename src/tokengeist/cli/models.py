"""`tokengeist models`: which language models are at hand, and how to get one."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tokengeist.cli.output import print_json, progress_bar
from tokengeist.models.store import (
    EMBEDDED,
    SENTENCES,
    ModelPlace,
    list_models,
    locate,
    unknown_model,
)

app = typer.Typer(help="List, fetch and find language models.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List our own models and what lies in the Hugging Face cache."""
    models = list_models()
    if as_json:
        print_json([_entry(model) for model in models])
        return
    table = Table("model", "kind", "state", box=None, pad_edge=False)
    for model in models:
        table.add_row(model.name, model.kind, _state(model))
    Console(highlight=False).print(table)


@app.command()
def pull(
    model: Annotated[
        str | None,
        typer.Argument(help="A hub id, a GGUF file, or one of our own. Default: both of those."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch a model and convert it once into the form that loads in seconds."""
    from tokengeist.models.loading import pull_model

    with progress_bar():
        places = [pull_model(name) for name in ([model] if model else [EMBEDDED, SENTENCES])]
    if as_json:
        print_json(_entry(places[0]) if model else [_entry(place) for place in places])
        return
    for place in places:
        print(f"{place.name} is ready in {place.converted or place.path}")


@app.command()
def where(
    model: Annotated[
        str | None, typer.Argument(help="A name, directory, hub id or GGUF file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say which file or folder a model is loaded from."""
    place = locate(model)
    if place.path is None:
        raise unknown_model(
            place.name, f"and only `tokengeist models pull {place.name}` looks for it on the hub"
        )
    if as_json:
        print_json(_entry(place))
    else:
        print(place.converted if place.is_ready and place.converted else place.path)


def _state(model: ModelPlace) -> str:
    if model.is_ready:
        return "ready"
    return "installed, converted at first use" if model.path else "not installed"


def _entry(model: ModelPlace) -> dict[str, Any]:
    return {
        "name": model.name,
        "kind": model.kind.value,
        "path": str(model.path) if model.path else None,
        "converted": str(model.converted) if model.converted else None,
        "ready": model.is_ready,
    }
