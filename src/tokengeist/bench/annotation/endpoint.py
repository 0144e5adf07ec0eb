"""Calls to an OpenAI-compatible server, made to survive everything that such servers do.

A call ends in one of four ways: an answer; `RefusedError`, when the server will not take this very
request; `UnavailableError`, when it stayed busy, broken or silent; or `RunError`, when no call at
all could succeed (a wrong key, a wrong model).
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tokengeist.bench.annotation.settings import ServerSettings
from tokengeist.bench.annotation.wire import (
    Answer,
    Dialect,
    Message,
    WireError,
    complaint_of,
    read_completion,
    read_stream,
    request_payload,
)
from tokengeist.errors import RunError, missing_extra

if TYPE_CHECKING:
    import httpx

_KEY = "[API key]"
"""What stands where a server repeated the key."""
_PASSING = frozenset({408, 409, 425, 429})
_HOPELESS = {
    401: "it does not accept the API key",
    402: "it wants to be paid first",
    403: "it does not allow this",
    404: "there is no such address or model",
    405: "it takes no chat completions at this address",
}


class RefusedError(Exception):
    """The server will not answer this request, however often it is sent."""


class UnavailableError(Exception):
    """The server stayed busy, broken or silent over all tries."""


@dataclass(frozen=True, slots=True)
class _Setback:
    """A try that came to nothing but may be repeated, after `wait` seconds if that is known."""

    reason: str
    wait: float | None = None


class Endpoint:
    """One server, for as long as a run lasts."""

    def __init__(self, settings: ServerSettings) -> None:
        try:
            import httpx
        except ImportError:
            raise missing_extra("calling a model server", "annotate") from None
        self._settings = settings
        self._url = settings.base_url.rstrip("/") + "/chat/completions"
        headers = {"User-Agent": "tokengeist"}
        if settings.api_key is not None:
            headers["Authorization"] = f"Bearer {settings.api_key}"
        # A proxy is for the outside world: what runs on this machine is called directly.
        self._http = httpx.AsyncClient(
            headers=headers, timeout=settings.timeout, trust_env=not settings.is_loopback
        )
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._dialect = Dialect()
        self._not_before = 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def ask(self, model: str, messages: Sequence[Message], schema: dict[str, Any]) -> Answer:
        """One finished answer, over as many tries as the settings allow."""
        reason = ""
        for number in range(self._settings.tries):
            async with self._slots:
                await self._pause()
                outcome = await self._try(model, messages, schema)
            if isinstance(outcome, Answer):
                # Again, because a stream may bring the key in pieces.
                said, finish = self._without_key(outcome.text), self._without_key(outcome.finish)
                return replace(outcome, text=said, finish=finish)
            reason = outcome.reason
            if number + 1 < self._settings.tries:
                await self._back_off(number, outcome.wait)
        raise UnavailableError(f"{reason} ({self._settings.tries} tries)")

    async def _try(
        self, model: str, messages: Sequence[Message], schema: dict[str, Any]
    ) -> Answer | _Setback:
        dialect = self._dialect
        while True:
            payload = request_payload(
                model,
                messages,
                schema,
                dialect,
                stream=self._settings.stream,
                temperature=self._settings.temperature,
                max_tokens=self._settings.max_tokens,
            )
            outcome = await self._send_in_time(payload)
            if isinstance(outcome, Answer):
                self._dialect = dialect
            if not isinstance(outcome, RefusedError):
                return outcome
            # The weaker dialect is kept only once it has worked: a refusal may have had quite
            # another reason, which must not cost all later calls their schema.
            weaker = dialect.without(str(outcome), payload)
            if weaker is None:
                raise outcome
            dialect = weaker

    async def _send_in_time(self, payload: dict[str, Any]) -> Answer | _Setback | RefusedError:
        import httpx

        try:
            async with asyncio.timeout(self._settings.timeout):
                return await self._send(payload)
        except (TimeoutError, httpx.TimeoutException):
            return _Setback(f"no answer within {self._settings.timeout:g} seconds")
        except httpx.HTTPError as error:
            return _Setback(self._without_key(f"the connection failed: {_described(error)}"))
        except WireError as error:
            return _Setback(self._without_key(str(error)))

    async def _send(self, payload: dict[str, Any]) -> Answer | _Setback | RefusedError:
        # ASCII escapes, so that half a surrogate pair in a transcript cannot break the encoding.
        request = self._http.build_request(
            "POST",
            self._url,
            content=json.dumps(payload).encode(),
            headers={"Content-Type": "application/json"},
        )
        response = await self._http.send(request, stream=True)
        try:
            if response.is_success:
                kind = response.headers.get("content-type", "")
                if kind.startswith("text/event-stream"):
                    lines = response.aiter_lines()
                    return await read_stream(self._without_key(line) async for line in lines)
                return read_completion(await self._body(response))
            complaint = self._without_key(complaint_of(await self._body(response)))
        finally:
            await response.aclose()
        return self._outcome(response.status_code, response.headers, complaint)

    async def _body(self, response: httpx.Response) -> bytes:
        """What was sent, without the key: before anything is shortened and cuts it in two."""
        body = await response.aread()
        key = self._settings.api_key
        return body.replace(key.encode(), _KEY.encode()) if key else body

    def _outcome(
        self, status: int, headers: Mapping[str, str], complaint: str
    ) -> _Setback | RefusedError:
        said = f"{status}: {complaint}" if complaint else f"{status}"
        if status in _PASSING or status >= 500:
            return _Setback(f"the server answered {said}", _retry_after(headers))
        if status in _HOPELESS or 300 <= status < 400:
            why = _HOPELESS.get(status, "it points to another address; use that one")
            raise RunError(f"{self._settings.public_url} answered {said}; {why}")
        return RefusedError(f"the server refused the request with {said}")

    async def _pause(self) -> None:
        """Wait while the server asked everybody to."""
        while (wait := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(wait)

    async def _back_off(self, number: int, asked: float | None) -> None:
        """Wait longer every time; where the server named a time, all calls wait for it."""
        longest = self._settings.longest_wait
        if asked is not None:
            wait = min(asked, longest)
            self._not_before = max(self._not_before, time.monotonic() + wait)
        else:
            wait = min(self._settings.first_wait * 2**number, longest)
            wait *= random.uniform(0.5, 1.0)  # so that calls that failed together do not return so
        await asyncio.sleep(wait)

    def _without_key(self, text: str) -> str:
        """A server may repeat the key in its messages; nothing that we keep or show may."""
        key = self._settings.api_key
        return text.replace(key, _KEY) if key else text


def _described(error: Exception) -> str:
    return str(error) or type(error).__name__


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """How many seconds a server wants us to wait: a number, or a date."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
