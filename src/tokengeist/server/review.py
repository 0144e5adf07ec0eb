"""The review page's API: the sample, one item of it, judging, editing, undoing, statistics."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tokengeist.bench.review.desk import Opened, ReviewDesk
from tokengeist.bench.review.editing import ConflictError, Edges, RuleError
from tokengeist.bench.review.judgements import Judgement
from tokengeist.errors import TokengeistError
from tokengeist.export.page import conversation_json, trace_json
from tokengeist.extraction import View
from tokengeist.server.benchmarks import gold_graph
from tokengeist.server.document import document_routes
from tokengeist.server.exchange import JSONAnswer, explain, json_body


def create_review_app(desk: ReviewDesk, *, reviewer: str) -> Starlette:
    """The application; put a `Guard` around it. `reviewer` is who reviews unless the page says."""
    desk.reviewer(reviewer)  # a name that cannot be a file is refused before anybody starts

    told = {"mode": "review", "reviewer": reviewer}

    async def overview(request: Request) -> Response:
        name = request.query_params.get("reviewer", reviewer)
        return JSONAnswer(await run_in_threadpool(_overview, desk, name))

    async def item(request: Request) -> Response:
        index = request.path_params["index"]
        name = request.query_params.get("reviewer", reviewer)
        version = request.query_params.get("version")
        found = await run_in_threadpool(lambda: opened_json(desk.open(index, name, version)))
        return JSONAnswer(found)

    async def judge(request: Request) -> Response:
        match await json_body(request):
            case {
                "reviewer": str(name),
                "item": int(index),
                "judgement": str(level),
                "note": str(note),
                "digest": str(seen),
            } if level in set(Judgement):
                pass
            case _:
                raise TokengeistError(
                    "a judgement needs a reviewer, an item, correct, minor or wrong, a note and "
                    "the digest of the graph"
                )

        def act() -> dict[str, Any]:
            desk.judge(name, index, Judgement(level), note=note, seen=seen)
            return _overview(desk, name)

        return JSONAnswer(await run_in_threadpool(act))

    async def undo(request: Request) -> Response:
        match await json_body(request):
            case {"reviewer": str(name)}:
                pass
            case _:
                raise TokengeistError("an undo needs a reviewer")

        def act() -> dict[str, Any]:
            action = desk.undo(name)
            items = desk.sample.items
            keys = [(known.conversation, known.target) for known in items]
            undone = keys.index(action.item) if action and action.item in keys else None
            return _overview(desk, name) | {"undone": undone}

        return JSONAnswer(await run_in_threadpool(act))

    async def edit(request: Request) -> Response:
        name, index, new, seen = _edit(await json_body(request))

        def act() -> dict[str, Any]:
            desk.edit(name, index, new, seen=seen)
            return _overview(desk, name) | {"item": opened_json(desk.open(index, name))}

        return JSONAnswer(await run_in_threadpool(act))

    async def adopt(request: Request) -> Response:
        match await json_body(request):
            case {"reviewer": str(name), "item": int(index), "digest": str(copy), "gold": str(old)}:
                pass
            case _:
                raise TokengeistError("a copy is made gold by a reviewer, an item and two digests")

        def act() -> dict[str, Any]:
            desk.adopt(name, index, copy, gold=old)
            return _overview(desk, name) | {"item": opened_json(desk.open(index, name))}

        return JSONAnswer(await run_in_threadpool(act))

    async def statistics(_: Request) -> Response:
        return JSONAnswer(await run_in_threadpool(desk.statistics))

    return Starlette(
        routes=[
            *document_routes("review", "Review · Tokengeist", told),
            Route("/api/review", overview),
            Route("/api/items/{index:int}", item),
            Route("/api/judge", judge, methods=["POST"]),
            Route("/api/undo", undo, methods=["POST"]),
            Route("/api/edit", edit, methods=["POST"]),
            Route("/api/adopt", adopt, methods=["POST"]),
            Route("/api/statistics", statistics),
        ],
        exception_handlers={
            RuleError: _broken_rules,
            ConflictError: _conflict,
            TokengeistError: explain,
        },
    )


def opened_json(opened: Opened) -> dict[str, Any]:
    """An item for the page: the conversation, the graph to be shown, and which others there are."""
    transcript, target = opened.conversation.transcript, opened.target
    drawn = trace_json(
        gold_graph(target, transcript),
        transcript,
        View(alpha=0.0),
        id=target.name,
        name=target.name,
    )
    return {
        "conversation": conversation_json(transcript),
        "trace": drawn,
        "target": {
            "name": target.name,
            "turn": target.turn,
            "comment": target.comment,
            "tags": list(target.tags),
            "corrective": list(target.corrective),
            "edges": [[e.dependent, e.source, e.span.start, e.span.end] for e in target.edges],
        },
        "digest": opened.digest,
        "gold": opened.gold,
        "versions": [
            {"digest": digest, "owners": owners} for digest, owners in opened.versions.items()
        ],
    }


def _overview(desk: ReviewDesk, name: str) -> dict[str, Any]:
    return {
        "data": desk.dataset.name,
        "reviewer": name,
        "items": desk.overview(name),
        "can_undo": bool(desk.reviewer(name).actions()),
    }


def _edit(body: dict[str, Any]) -> tuple[str, int, Edges, str]:
    match body:
        case {
            "reviewer": str(name),
            "item": int(index),
            "digest": str(seen),
            "edges": list(edges),
            "hallucination": bool(wrong),
            "corrective": list(corrective),
            "comment": str(comment),
        }:
            pass
        case _:
            raise TokengeistError("an edit needs the whole graph and the digest of the old one")
    numbers = [*corrective, *(n for e in edges for n in (e if isinstance(e, list) else [None]))]
    if not all(type(number) is int for number in numbers) or any(len(e) != 4 for e in edges):
        raise TokengeistError("an edge is a dependent, a source, and the range that was needed")
    quadruples = tuple((a, b, c, d) for a, b, c, d in edges)
    return name, index, Edges(quadruples, wrong, tuple(corrective), comment), seen


async def _broken_rules(_: Request, error: Exception) -> Response:
    problems = list(error.problems) if isinstance(error, RuleError) else []
    return JSONAnswer({"error": str(error), "problems": problems}, 422)


async def _conflict(_: Request, error: Exception) -> Response:
    return JSONAnswer({"error": str(error)}, 409)
