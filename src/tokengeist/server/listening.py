"""Putting an application behind its guard and on a socket of this machine."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sys
import webbrowser

import uvicorn
from starlette.types import ASGIApp

from tokengeist.errors import TokengeistError
from tokengeist.server.security import Guard

LOOPBACK = ("127.0.0.1", "localhost")


def serve_on_loopback(app: ASGIApp, *, port: int, browser: bool) -> None:
    """Serve until Ctrl-C, for whoever has the link that is printed."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK[0], port))
    except OSError as error:
        listener.close()
        raise TokengeistError(f"cannot listen on port {port}: {error.strerror}") from error
    bound = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    guarded = Guard(app, token=token, hosts={f"{name}:{bound}" for name in LOOPBACK})
    url = f"http://{LOOPBACK[0]}:{bound}/{token}/"
    print(f"Tokengeist is at {url}", flush=True)
    print("Press Ctrl-C to stop.", file=sys.stderr)
    if browser:
        webbrowser.open(url)
    config = uvicorn.Config(
        guarded,
        log_level="warning",
        access_log=False,  # it would write the token into every line
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    with contextlib.suppress(KeyboardInterrupt):  # raised again by uvicorn after its own exit
        uvicorn.Server(config).run(sockets=[listener])
