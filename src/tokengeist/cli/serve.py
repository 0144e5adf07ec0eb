"""`tokengeist serve`: the page, on this machine."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sys
import webbrowser
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from platformdirs import user_data_path

from tokengeist.api import DEFAULT_BACKEND
from tokengeist.attribution.registry import BackendOptions
from tokengeist.errors import TokengeistError, missing_extra

_PORT = 8017
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


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
        import uvicorn

        from tokengeist.server.app import Desk, create_app
        from tokengeist.server.catalogue import Catalogue
        from tokengeist.server.security import Guard
        from tokengeist.server.store import TraceStore
    except ImportError as error:
        raise missing_extra("the page", "serve") from error
    if host not in _LOOPBACK and not allow_remote:
        raise TokengeistError(
            f"{host} can be reached from other machines, and whoever has the link can read "
            "everything that was opened; add --allow-remote if that is what you want"
        )
    desk = Desk.over(
        Catalogue(paths, largest=max_size * 1_000_000),
        TraceStore(store or user_data_path("tokengeist") / "traces.sqlite"),
        backend=backend,
        options=BackendOptions(model=model, device=device),
    )
    listener = _listen(host, port)
    bound = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    hosts = None if allow_remote else {f"{_bracketed(name)}:{bound}" for name in _LOOPBACK}
    url = f"http://{_bracketed(host)}:{bound}/{token}/"
    print(f"Tokengeist is at {url}", flush=True)
    print("Press Ctrl-C to stop.", file=sys.stderr)
    if browser:
        webbrowser.open(url)
    config = uvicorn.Config(
        Guard(create_app(desk), token=token, hosts=hosts),
        log_level="warning",
        access_log=False,  # it would write the token into every line
        timeout_graceful_shutdown=1,
        server_header=False,
    )

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            desk.queue.close()  # ends the streams of open tabs, which would hold up the exit
            super().handle_exit(sig, frame)

    with contextlib.suppress(KeyboardInterrupt):  # raised again by uvicorn after its own exit
        Server(config).run(sockets=[listener])
    desk.store.close()


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket: on the port asked for, or on the usual one, or on any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (port,) if port is not None else (_PORT, 0):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
        except OSError as error:
            listener.close()
            if candidate != _PORT or port is not None:
                raise TokengeistError(
                    f"cannot listen on {host}:{candidate}: {error.strerror}"
                ) from error
        else:
            return listener
    raise TokengeistError(f"cannot listen on {host}")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
