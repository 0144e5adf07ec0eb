"""`tokengeist serve`: the page, on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from platformdirs import user_data_path

from tokengeist.api import DEFAULT_BACKEND
from tokengeist.attribution.registry import BackendOptions
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
    model: Annotated[
        str | None,
        typer.Option(help="A directory, hub id or GGUF file. Default: the embedded model."),
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, mps, …")] = None,
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
    address = Address(host, port, _PORT, allow_remote)
    address.check()
    desk = Desk.over(
        Catalogue(paths, largest=max_size * 1_000_000),
        TraceStore(store or user_data_path("tokengeist") / "traces.sqlite"),
        backend=backend,
        options=BackendOptions(model=model, device=device),
    )
    # Closing the queue ends the streams of open tabs, which would hold up the exit.
    serve_app(create_app(desk), address, browser=browser, on_exit=desk.queue.close)
    ended = desk.queue.has_ended(within=_PATIENCE)
    desk.store.close()
    if not ended:
        # A model in the middle of a pass cannot be interrupted, and tearing the interpreter down
        # under it would end in an abort.
        sys.stdout.flush()
        os._exit(0)
