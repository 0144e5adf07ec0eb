"""Putting an application behind its guard and on a socket, until Ctrl-C."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from tokengeist.errors import TokengeistError
from tokengeist.server.security import Guard

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str = LOOPBACK[0]
    port: int | None = None
    usual_port: int = 0
    """Taken where no port is asked for, unless it is in use."""
    allow_remote: bool = False

    def check(self) -> None:
        """Refuse to be reachable from other machines without having been told to."""
        if self.host not in LOOPBACK and not self.allow_remote:
            raise TokengeistError(
                f"{self.host} can be reached from other machines, and whoever has the link can "
                "read everything that was opened; add --allow-remote if that is what you want"
            )

    def listen(self) -> socket.socket:
        """A listening socket: on the port asked for, or on the usual one, or on any."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        for candidate in (self.port,) if self.port is not None else (self.usual_port, 0):
            listener = socket.socket(family, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((self.host, candidate))
                listener.listen(128)  # from now on, whoever has the link waits and is not refused
            except OSError as error:
                listener.close()
                if candidate != self.usual_port or self.port is not None:
                    raise TokengeistError(
                        f"cannot listen on {self.host}:{candidate}: {error.strerror}"
                    ) from error
            else:
                return listener
        raise TokengeistError(f"cannot listen on {self.host}")


def serve_app(
    app: ASGIApp, address: Address, *, browser: bool, on_exit: Callable[[], None] | None = None
) -> None:
    """Serve for whoever has the link that is printed.

    `on_exit` is called when Ctrl-C arrives, before connections are waited for.
    """
    address.check()
    listener = address.listen()
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    hosts = None if address.allow_remote else {f"{_bracketed(n)}:{port}" for n in LOOPBACK}
    url = f"http://{_bracketed(address.host)}:{port}/{token}/"
    print(f"Tokengeist is at {url}", flush=True)
    print("Press Ctrl-C to stop.", file=sys.stderr)
    if browser:
        webbrowser.open(url)
    config = uvicorn.Config(
        Guard(app, token=token, hosts=hosts),
        log_level="warning",
        access_log=False,  # it would write the token into every line
        timeout_graceful_shutdown=1,
        server_header=False,
    )

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if on_exit is not None:
                on_exit()
            super().handle_exit(sig, frame)

    with contextlib.suppress(KeyboardInterrupt):  # raised again by uvicorn after its own exit
        Server(config).run(sockets=[listener])


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
