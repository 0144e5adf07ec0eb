"""The review page's API over HTTP, behind its guard."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tokengeist.bench.review.desk import ReviewDesk
from tokengeist.errors import RunError
from tokengeist.server.review import create_review_app
from tokengeist.server.security import Guard

TOKEN = "secret"


@pytest.fixture
def client(desk: ReviewDesk) -> Iterator[TestClient]:
    guarded = Guard(create_review_app(desk, reviewer="ada"), token=TOKEN, hosts={"127.0.0.1:1"})
    with TestClient(guarded, base_url=f"http://127.0.0.1:1/{TOKEN}/") as client:
        yield client


def test_the_page_is_guarded(client: TestClient) -> None:
    assert client.get("http://127.0.0.1:1/wrong/api/review").status_code == 403
    assert client.get("api/review", headers={"Host": "evil.example"}).status_code == 421
    origin = {"Origin": "http://evil.example"}
    assert client.post("api/undo", json={"reviewer": "ada"}, headers=origin).status_code == 403
    page = client.get("")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert '"mode": "review"' in page.text or '"mode":"review"' in page.text
    assert client.get("review.js").headers["content-type"].startswith("text/javascript")
    assert client.get("review.css").status_code == 200


def test_judging_undoing_and_counting(client: TestClient) -> None:
    item = client.get("api/items/0").json()
    body = {"reviewer": "ada", "item": 0, "judgement": "wrong", "note": "?"}
    after = client.post("api/judge", json=body | {"digest": item["digest"]}).json()
    assert after["items"][0]["judgement"] == "wrong"
    assert after["can_undo"]
    assert client.get("api/statistics").json()["acceptance"]["overall"]["wrong"] == 1
    undone = client.post("api/undo", json={"reviewer": "ada"}).json()
    assert undone["undone"] == 0
    assert undone["items"][0]["judgement"] is None
    assert client.post("api/undo", json={"reviewer": "ada"}).json()["undone"] is None


def test_half_a_character_is_sent_like_any_other(client: TestClient) -> None:
    item = client.get("api/items/0").json()
    body = {"reviewer": "ada", "item": 0, "judgement": "minor", "note": "cut \ud83d"}
    after = client.post(
        "api/judge",
        content=json.dumps(body | {"digest": item["digest"]}),
        headers={"content-type": "application/json"},
    )
    assert after.json()["items"][0]["note"] == "cut \ud83d"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("judge", {"reviewer": "ada", "item": 0, "judgement": "fine", "note": ""}, 400),
        ("judge", {}, 400),
        ("undo", {"reviewer": "../../etc"}, 400),
        ("undo", {"reviewer": 7}, 400),
        ("edit", {"reviewer": "ada", "item": 0, "digest": "x", "edges": [[1, 2]]}, 400),
    ],
)
def test_requests_that_make_no_sense(
    client: TestClient, path: str, body: dict[str, object], status: int
) -> None:
    answer = client.post(f"api/{path}", json=body)
    assert answer.status_code == status
    assert answer.json()["error"]


def test_items_that_are_not_there(client: TestClient) -> None:
    assert client.get("api/items/999").status_code == 404
    assert client.get("api/review", params={"reviewer": "a/b"}).status_code == 400


def test_stale_and_faulty_edits(client: TestClient) -> None:
    item = client.get("api/items/0").json()
    change = {
        "reviewer": "ada",
        "item": 0,
        "digest": item["digest"],
        "edges": [],
        "hallucination": False,
        "corrective": [],
        "comment": "",
    }
    broken = client.post("api/edit", json=change)
    assert broken.status_code == 422
    assert broken.json()["problems"]
    stale = client.post("api/edit", json=change | {"digest": "0" * 16})
    assert stale.status_code == 409
    odd = client.post("api/edit", json=change | {"edges": [[1, 2, 3, "x"]]})
    assert odd.status_code == 400


def test_a_reviewer_without_a_usable_name_cannot_start(desk: ReviewDesk) -> None:
    with pytest.raises(RunError, match="no name for a reviewer"):
        create_review_app(desk, reviewer="a/b")
