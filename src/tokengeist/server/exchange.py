"""What every API of ours does: bodies are small JSON objects, errors are sentences."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tokengeist.errors import TokengeistError, UnknownNameError
from tokengeist.server.security import LARGEST_BODY


class JSONAnswer(JSONResponse):
    """ASCII: half a surrogate pair, which transcripts may hold, has no form in UTF-8."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


async def explain(_: Request, error: Exception) -> Response:
    """An error that a user can understand, as JSON."""
    status = 404 if isinstance(error, UnknownNameError) else 400
    return JSONAnswer({"error": str(error)}, status)


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object that was sent."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise TokengeistError("the request is not JSON")
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_BODY:
            raise TokengeistError("the request is too large")
    try:
        body = json.loads(data)
    except ValueError as error:
        raise TokengeistError(f"the request is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise TokengeistError("the request is not a JSON object")
    return body
