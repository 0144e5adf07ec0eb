"""The document of a served page and the files that it asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tokengeist.export.html import embedded
from tokengeist.export.page import FORMAT, VERSION
from tokengeist.server import bundle

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{name}.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="tokengeist"></div>
<noscript>This page draws provenance graphs and needs JavaScript.</noscript>
<script type="application/json" id="tokengeist-data">{data}</script>
<script src="{name}.js" defer></script>
</body>
</html>
"""


def document_routes(name: str, title: str, data: dict[str, Any]) -> list[Route]:
    """The routes of the page that is bundled as `name`, which is told `data`."""
    told = embedded({"format": FORMAT, "version": VERSION} | data)

    async def page(_: Request) -> Response:
        text = _DOCUMENT.format(name=name, title=title, data=told)
        return Response(text, media_type="text/html")

    def asset(file: str) -> Callable[[Request], Awaitable[Response]]:
        async def send(_: Request) -> Response:
            return Response(bundle.read(file), media_type=bundle.FILES[file])

        return send

    files = (f"{name}.js", f"{name}.css")
    return [Route("/", page), *(Route(f"/{file}", asset(file)) for file in files)]
