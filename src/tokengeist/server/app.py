"""The page's API, under the token: what there is, one conversation, a trace, and what happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tokengeist.api import DEFAULT_BACKEND
from tokengeist.attribution.registry import BackendOptions, backends, find_backend
from tokengeist.errors import TargetError, TokengeistError
from tokengeist.export.html import file_page
from tokengeist.export.page import conversation_json, redacted_trace
from tokengeist.export.redaction import Redaction
from tokengeist.server.benchmarks import Benchmarks
from tokengeist.server.catalogue import Catalogue
from tokengeist.server.document import document_routes
from tokengeist.server.exchange import JSONAnswer, explain, json_body
from tokengeist.server.jobs import CLOSED, JobQueue
from tokengeist.server.store import TraceStore
from tokengeist.transcript import Span, locate_target

FALLBACK = "lexical"
_PAGE_SIZE = 100
_HEARTBEAT = 15.0


@dataclass
class Desk:
    """Everything behind the page."""

    catalogue: Catalogue
    store: TraceStore
    queue: JobQueue
    benchmarks: Benchmarks
    backend: str
    instant: str
    """The method whose graph is there before the other has started: it reads no language model."""

    @classmethod
    def over(
        cls,
        catalogue: Catalogue,
        store: TraceStore,
        *,
        backend: str = DEFAULT_BACKEND,
        instant: str | None = None,
        options: BackendOptions | None = None,
    ) -> Desk:
        """A desk over the given conversations."""
        find_backend(backend)
        if instant is None:
            instant = FALLBACK if backends()[DEFAULT_BACKEND].needs_model else DEFAULT_BACKEND
        queue = JobQueue(store, options)
        return cls(catalogue, store, queue, Benchmarks(catalogue), backend, instant)


def create_app(desk: Desk) -> Starlette:
    """The application; put a `Guard` around it."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        desk.catalogue.start()
        desk.queue.start()
        yield
        desk.queue.close()

    async def home(_: Request) -> Response:
        known = backends().values()
        return JSONAnswer(
            {
                "backends": [
                    {"name": b.name, "summary": b.summary, "model": b.needs_model} for b in known
                ],
                "backend": desk.backend,
                "runs": desk.benchmarks.list_json(),
            }
        )

    async def conversations(request: Request) -> Response:
        query = request.query_params.get("q", "")
        offset = _whole(request.query_params.get("offset", "0"))
        found = desk.catalogue.find(query[:200])
        skipped = desk.catalogue.skipped
        return JSONAnswer(
            {
                "total": len(found),
                "whole": desk.catalogue.is_whole,
                "items": [
                    {
                        "key": entry.key,
                        "id": entry.id,
                        "file": entry.label,
                        "turns": entry.turns,
                        "preview": entry.preview,
                    }
                    for entry in found[offset : offset + _PAGE_SIZE]
                ],
                "skipped": [{"file": s.label, "reason": s.reason} for s in skipped[:50]],
                "skipped_total": len(skipped),
            }
        )

    def opened(request: Request) -> dict[str, Any]:
        key = request.path_params["key"]
        entry = desk.catalogue.entry(key)
        transcript = desk.catalogue.transcript(key)
        stored = desk.store.traces_of(transcript.fingerprint)
        run = request.query_params.get("run")
        annotated = desk.benchmarks.traces_for(entry.path, transcript, run)
        return {
            "conversation": conversation_json(transcript, title=entry.id),
            "file": entry.label,
            "traces": stored + annotated,
        }

    async def conversation(request: Request) -> Response:
        return JSONAnswer(await run_in_threadpool(opened, request))

    def saved(request: Request) -> str:
        data = opened(request)
        if request.query_params.get("redact") != "yes":
            return file_page(data["conversation"], data["traces"])
        redacted = Redaction().apply(desk.catalogue.transcript(request.path_params["key"]))
        traces = [redacted_trace(trace, redacted) for trace in data["traces"]]
        return file_page(conversation_json(redacted.transcript), traces, redacted=True)

    async def save(request: Request) -> Response:
        return Response(
            await run_in_threadpool(saved, request),
            media_type="text/html",
            headers={"content-disposition": "attachment; filename=tokengeist.html"},
        )

    async def ask(request: Request) -> Response:
        body = await json_body(request)
        backend = body.get("backend") or desk.backend
        match body:
            case {
                "conversation": str(key),
                "turn": int(turn),
                "start": int(start),
                "end": int(end),
            }:
                pass
            case _:
                raise TargetError("a trace needs a conversation, a turn, a start and an end")
        find_backend(str(backend))

        def start_jobs() -> dict[str, Any]:
            transcript = desk.catalogue.transcript(key)
            target = locate_target(transcript, turn=turn, chars=_span(start, end))
            methods = dict.fromkeys((desk.instant, backend))
            return {"started": [desk.queue.ask(key, transcript, target, name) for name in methods]}

        return JSONAnswer(await run_in_threadpool(start_jobs), 202)

    async def verify(request: Request) -> Response:
        match await json_body(request):
            case {"conversation": str(key), "trace": str(trace), "edges": list(listed)} if all(
                isinstance(edge, list) and [type(turn) for turn in edge] == [int, int]
                for edge in listed
            ):
                edges = frozenset((dependent, source) for dependent, source in listed)
            case _:
                raise TokengeistError("verifying needs a conversation, a trace and its edges")

        def start_job() -> dict[str, Any]:
            transcript = desk.catalogue.transcript(key)
            return {"started": [desk.queue.verify(key, transcript, trace, edges)]}

        return JSONAnswer(await run_in_threadpool(start_job), 202)

    async def cancel(request: Request) -> Response:
        return JSONAnswer({"cancelled": desk.queue.cancel(request.path_params["id"])})

    async def events(request: Request) -> Response:
        return StreamingResponse(_events(desk.queue, request), media_type="text/event-stream")

    async def run_page(request: Request) -> Response:
        return JSONAnswer(
            await run_in_threadpool(desk.benchmarks.run_json, request.path_params["key"])
        )

    return Starlette(
        routes=[
            *document_routes("app", "Tokengeist", {"mode": "server"}),
            Route("/api/home", home),
            Route("/api/conversations", conversations),
            Route("/api/conversations/{key}", conversation),
            Route("/api/conversations/{key}/page.html", save),
            Route("/api/traces", ask, methods=["POST"]),
            Route("/api/verify", verify, methods=["POST"]),
            Route("/api/jobs/{id}/cancel", cancel, methods=["POST"]),
            Route("/api/events", events),
            Route("/api/runs/{key}", run_page),
        ],
        exception_handlers={TokengeistError: explain},
        lifespan=lifespan,
    )


async def _events(queue: JobQueue, request: Request) -> AsyncIterator[bytes]:
    """Everything that happens to jobs, as server-sent events, until the tab is closed."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    def listener(kind: str, data: dict[str, Any]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(waiting.put_nowait, (kind, data))

    stop = queue.listen(listener)
    try:
        while not await request.is_disconnected():
            try:
                kind, data = await asyncio.wait_for(waiting.get(), _HEARTBEAT)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if kind == CLOSED:
                return
            yield f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode()
    finally:
        stop()


def _span(start: int, end: int) -> Span:
    if not 0 <= start < end:
        raise TargetError(f"characters {start}:{end} are no range")
    return Span(start, end)


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0
