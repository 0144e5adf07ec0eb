"""Who may talk to the page: whoever has the link, from this machine, through this page.

The link holds a random token as its first path segment, not a cookie: cookies are shared by
everything that this machine serves on any port. A page elsewhere cannot know the token, and if it
did, its requests would still carry a foreign `Origin`; a name that was rebound to this machine
carries a foreign `Host`.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
LARGEST_BODY = 64 * 1024


class Guard:
    """Lets through what has the token and comes from the page itself, and strips the token."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str] | None) -> None:
        """`hosts` are the allowed values of `Host`; None allows any, for a server in a network."""
        self._app = app
        self._token = token
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        prefix = f"/{self._token}"
        inner = dict(scope, path=scope["path"][len(prefix) :], root_path=prefix)
        inner["raw_path"] = inner["path"].encode()
        await self._app(inner, receive, send_guarded)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._hosts is not None and host not in self._hosts:
            return PlainTextResponse("this server answers to its own address only\n", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return PlainTextResponse("requests from other pages are refused\n", 403)
        if headers.get("sec-fetch-site") == "cross-site" and scope["method"] != "GET":
            return PlainTextResponse("requests from other pages are refused\n", 403)
        first, _, rest = scope["path"].removeprefix("/").partition("/")
        given = first.encode("utf-8", "replace")
        if not secrets.compare_digest(given, self._token.encode()):
            return PlainTextResponse(
                "open the link that `tokengeist serve` printed; its token is missing here\n", 403
            )
        if not rest and not scope["path"].endswith("/"):
            return PlainTextResponse("", 308, {"location": f"/{self._token}/"})
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return PlainTextResponse("the request is too large\n", 413)
        return None
