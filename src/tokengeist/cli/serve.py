"""`tokengeist serve`: the page, on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from platformdirs import user_data_path

from tokengeist.api import DEFAULT_BACKEND
from tokengeist.attribution.named_model import is_language_model, reads_with_it
from tokengeist.attribution.registry import BackendOptions
from tokengeist.cli.options import Device, Model
from tokengeist.errors import missing_extra

_PORT = 8017
_PATIENCE = 2.0  # seconds for a reading to notice that it is not wanted any more


def serve(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILES_OR_FOLDERS", help="What may be opened.")
    ],
    backend: Annotated[
        str, typer.Option(help="How to attribute; see `tokengeist backends`.")
    ] = DEFAULT_BACKEND,
    model: Model = None,
    device: Device = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help=f"Default: {_PORT}, or any free one.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    allow_remote: Annotated[
        bool,
        typer.Option("--allow-remote", help="Let other machines in; needed for other addresses."),
    ] = False,
    store: Annotated[
        Path | None, typer.Option(help="The SQLite file in which traces are kept.")
    ] = None,
    max_size: Annotated[int, typer.Option(min=1, help="Largest file to open, in MB.")] = 64,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Open a page on conversations: select any text and see where it came from."""
    try:
        from tokengeist.server.app import Desk, create_app
        from tokengeist.server.catalogue import Catalogue
        from tokengeist.server.listening import Address, serve_app
        from tokengeist.server.store import TraceStore
    except ImportError as error:
        raise missing_extra("the page", "serve") from error
    options = BackendOptions(model=model, device=device)
    address = Address(host, port, _PORT, allow_remote)
    address.check()
    desk = Desk.over(
        Catalogue(paths, largest=max_size * 1_000_000),
        TraceStore(store or user_data_path("tokengeist") / "traces.sqlite"),
        backend=backend,
        options=options,
    )
    if model and not reads_with_it(backend, options):
        print(_who_reads_instead(backend, options), file=sys.stderr)
    # Closing the queue ends the streams of open tabs, which would hold up the exit.
    serve_app(create_app(desk), address, browser=browser, on_exit=desk.queue.close)
    ended = desk.queue.has_ended(within=_PATIENCE)
    desk.store.close()
    if not ended:
        # A model in the middle of a pass cannot be interrupted, and tearing the interpreter down
        # under it would end in an abort.
        sys.stdout.flush()
        os._exit(0)


def _who_reads_instead(backend: str, options: BackendOptions) -> str:
    """What a named model is for, where the page's first method does not read with it.

    There is always something: all methods can be chosen in the page, and so can verifying.
    """
    asks = is_language_model(options.model)
    others = "verifying, and methods with a model" if asks else "blend"
    return f"{backend} does not read with {options.model}; what does in the page: {others}."
