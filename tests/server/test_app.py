"""The API, and who may use it."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tokengeist.server.app import Desk, create_app
from tokengeist.server.catalogue import Catalogue
from tokengeist.server.security import LARGEST_BODY, Guard
from tokengeist.server.store import TraceStore

TOKEN = "token-for-tests"
HOST = "127.0.0.1:8017"


@pytest.fixture
def client(conversations: Path) -> Iterator[TestClient]:
    """The guarded application over the examples."""
    catalogue = Catalogue([conversations])
    catalogue.scan()
    app = Guard(
        create_app(Desk.over(catalogue, TraceStore(None), backend="lexical")),
        token=TOKEN,
        hosts=frozenset({HOST}),
    )
    with TestClient(app, base_url=f"http://{HOST}/{TOKEN}/") as client:
        yield client


def test_the_page_and_its_files(client: TestClient) -> None:
    """No inline script, a strict policy, nothing kept by the browser."""
    answer = client.get("")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert client.get("app.js").headers["content-type"].startswith("text/javascript")
    assert client.get("app.css").status_code == 200
    assert client.get("sources.sha256").status_code == 404


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 403),
        ("/wrong-token/", {}, 403),
        ("/wrong-token/api/home", {}, 403),
        (f"/{TOKEN}/api/home", {"host": "evil.example"}, 421),
        (f"/{TOKEN}/api/home", {"host": "127.0.0.1.evil.example:8017"}, 421),
        (f"/{TOKEN}/api/home", {"origin": "http://evil.example"}, 403),
        (f"/{TOKEN}/api/home", {"origin": "null"}, 403),
        (f"/{TOKEN}/api/home", {"origin": f"http://{HOST}"}, 200),
        (f"/{TOKEN}/api/conversations/..%2f..%2fetc%2fpasswd", {}, 404),
    ],
)
def test_who_gets_in(client: TestClient, path: str, headers: dict[str, str], status: int) -> None:
    """The token, the host and the origin must all be right."""
    answer = client.get(f"http://{HOST}{path}", headers=headers)
    assert answer.status_code == status
    assert "content-security-policy" in answer.headers


def test_conversations_are_listed_and_opened(client: TestClient) -> None:
    """The list has keys; a key opens a conversation."""
    listing = client.get("api/conversations?q=refund").json()
    assert listing["total"] == 1
    key = listing["items"][0]["key"]
    opened = client.get(f"api/conversations/{key}").json()
    assert [turn["role"] for turn in opened["conversation"]["turns"]][:2] == ["user", "assistant"]
    assert opened["conversation"]["turns"][2]["answers"]["turn"] == 1
    assert client.get("api/conversations/nothing").status_code == 404


@pytest.mark.parametrize(
    ("question", "complaint"),
    [
        ({"turn": 0, "start": 0, "end": 4}, "only assistant turns"),
        ({"turn": 4, "start": 4, "end": 4}, "no range"),
        ({"turn": 4, "start": 0, "end": 9999}, "turn 4 has 79 characters"),
        ({"turn": 99, "start": 0, "end": 4}, "no turn 99"),
        ({"turn": "4", "start": 0, "end": 4}, "needs a conversation"),
        ({"turn": 4, "start": 0, "end": 4, "backend": "lexcal"}, "Did you mean 'lexical'"),
    ],
)
def test_questions_that_make_no_sense(
    client: TestClient, question: dict[str, object], complaint: str
) -> None:
    """Refused with a sentence that the page can show."""
    key = client.get("api/conversations?q=refund").json()["items"][0]["key"]
    answer = client.post("api/traces", json={"conversation": key, **question})
    assert answer.status_code in (400, 404)
    assert complaint in answer.json()["error"]


def test_a_question_starts_a_trace(client: TestClient) -> None:
    """And its answer is there when the conversation is opened again."""
    key = client.get("api/conversations?q=refund").json()["items"][0]["key"]
    question = {"conversation": key, "turn": 4, "start": 0, "end": 20}
    assert client.post("api/traces", json=question).status_code == 202
    for _ in range(200):
        traces = client.get(f"api/conversations/{key}").json()["traces"]
        if traces:
            break
    assert traces[0]["graph"]["target"] == {"turn": 4, "spans": [{"start": 0, "end": 20}]}


def test_half_a_character_is_served_like_any_other(conversations: Path) -> None:
    """In an id, which stands in the list of everything, and in a text, on every way out."""
    half = "\ud83d"
    messages = [
        {"role": "user", "content": f"{half} 7"},
        {"role": "assistant", "content": "It is 7"},
    ]
    file = conversations / "half.json"
    file.write_text(json.dumps({"id": f"cut {half}", "messages": messages}))
    catalogue = Catalogue([conversations])
    catalogue.scan()
    desk = Desk.over(catalogue, TraceStore(None), backend="lexical")
    heard: queue.Queue[str] = queue.Queue()
    with TestClient(create_app(desk)) as client:
        desk.queue.listen(lambda kind, _: heard.put(kind))
        (listed,) = client.get("/api/conversations?q=cut").json()["items"]
        assert listed["id"] == f"cut {half}"
        path = f"/api/conversations/{listed['key']}"
        question = {"conversation": listed["key"], "turn": 1, "start": 0, "end": 7}
        assert client.post("/api/traces", json=question).status_code == 202
        while heard.get(timeout=20) != "trace":
            pass
        opened = client.get(path).json()
        assert opened["conversation"]["turns"][0]["text"] == f"{half} 7"
        assert opened["traces"][0]["graph"]["transcript"]["id"] == f"cut {half}"
        assert client.get(f"{path}/page.html?redact=yes").status_code == 200


def test_bodies_are_small_and_json(client: TestClient) -> None:
    """Neither a form nor a flood."""
    assert client.post("api/traces", data={"a": "b"}).status_code == 400
    large = client.post("api/traces", content=b"x" * (LARGEST_BODY + 1))
    assert large.status_code == 413
    assert client.post("api/jobs/none/cancel").json() == {"cancelled": False}
