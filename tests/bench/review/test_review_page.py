"""The review page in real Chromium: judge, undo, edit an edge, reload, count."""

from __future__ import annotations

import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.review.desk import ReviewDesk
from tokengeist.bench.validation import validate
from tokengeist.server.review import create_review_app
from tokengeist.server.security import Guard

CHROMIUM = os.environ.get("TOKENGEIST_CHROMIUM") or shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine (apt-get install chromium)", allow_module_level=True)

import uvicorn  # noqa: E402
from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402

expect.set_options(timeout=20_000)  # the machine may be busy
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync", "--no-first-run"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def url(desk: ReviewDesk) -> Iterator[str]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    host = f"127.0.0.1:{listener.getsockname()[1]}"
    app = Guard(create_review_app(desk, reviewer="ada"), token="t", hosts={host})
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://{host}/t/"
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.fixture
def page(chromium: Browser, url: str) -> Iterator[Page]:
    problems: list[str] = []
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(url)
    yield page
    context.close()
    assert problems == []


def position(desk: ReviewDesk, target: str) -> int:
    return [item.target for item in desk.sample.items].index(target)


def go(page: Page, url: str, index: int, name: str) -> None:
    page.goto("about:blank")
    page.goto(f"{url}#item={index}")
    expect(page.locator(".item-head strong")).to_have_text(name)


def test_judge_undo_and_reload_by_keyboard(page: Page, url: str, desk: ReviewDesk) -> None:
    first, second = (item.target for item in desk.sample.items[:2])
    expect(page.locator(".item-head strong")).to_have_text(first)
    expect(page.locator("svg.graph [data-node]").first).to_be_visible()
    expect(page.locator("mark.target").first).to_be_visible()
    assert set(page.locator("svg.graph .edge-label").all_text_contents()) <= {"call"}  # no scores

    page.keyboard.press("n")
    page.keyboard.type("a chain that stops early, 1")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    expect(page.locator(".item-head strong")).to_have_text(second)
    expect(page.locator(".progress")).to_have_text("1 of 9 judged")
    page.keyboard.press("1")
    expect(page.locator(".progress")).to_have_text("2 of 9 judged")

    page.keyboard.press("u")
    expect(page.locator(".progress")).to_have_text("1 of 9 judged")
    expect(page.locator(".item-head strong")).to_have_text(second)
    page.keyboard.press("k")
    expect(page.locator(".item-head strong")).to_have_text(first)
    expect(page.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")

    page.reload()
    expect(page.locator(".item-head strong")).to_have_text(first)
    expect(page.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#note")).to_have_value("a chain that stops early, 1")

    page.keyboard.press("s")
    row = page.locator("tr[data-row=overall] td")
    expect(row).to_have_text(["1", "0", "0", "1", "0%", "0%", "0"])


def test_edit_an_edge_rejudge_and_count(
    page: Page, url: str, desk: ReviewDesk, dataset: Dataset
) -> None:
    index = position(desk, "charge_argument")
    before = dataset.gold_path("observatory").read_bytes()
    go(page, url, index, "charge_argument")
    page.keyboard.press("3")
    expect(page.locator(".progress")).to_have_text("1 of 9 judged")
    go(page, url, index, "charge_argument")

    # An edit that breaks a rule is explained and saves nothing.
    page.keyboard.press("e")
    page.get_by_role("button", name="Remove the edge from turn 5 to turn 4").click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".problems")).to_contain_text("chain ends at this tool turn")
    assert dataset.gold_path("observatory").read_bytes() == before
    page.get_by_role("button", name="Cancel").click()

    # Remove one edge, and put another in its place by selecting its evidence.
    page.keyboard.press("e")
    page.get_by_role("button", name="Remove the edge from turn 10 to turn 9").click()
    expect(page.locator("svg.graph [data-node='9']")).to_have_count(0)
    page.locator("#turn-1").scroll_into_view_if_needed()
    page.locator("#turn-1 .row span").first.click(click_count=3)
    page.get_by_role("button", name="turn 10", exact=True).click()
    expect(page.locator(".edges li").last).to_contain_text("10 ← 1")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".tag.changed")).to_have_text(["re-labelled", "judge again"])
    target = next(
        t for t in dataset.conversation("observatory").targets if t.name == "charge_argument"
    )
    assert target.sources[10] == (8, 1)
    edge = next(e for e in target.edges if (e.dependent, e.source) == (10, 1))
    text = dataset.transcript("observatory").turns[1].text
    assert edge.span.of(text) == text
    assert not [p for p in validate(dataset) if not p.is_advice]

    page.reload()
    expect(page.locator(".tag.changed").first).to_have_text("re-labelled")
    page.keyboard.press("1")
    expect(page.locator(".tag.changed")).to_have_count(0)  # the next item
    page.keyboard.press("s")
    row = page.locator("tr[data-row=overall] td")
    expect(row).to_have_text(["1", "0", "0", "1", "0%", "100%", "0"])
    page.keyboard.press("s")

    # Undo the judgement, then the edit: the file is as it was.
    page.keyboard.press("u")
    expect(page.locator(".tag.changed")).to_have_text(["re-labelled", "judge again"])
    page.keyboard.press("u")
    expect(page.locator("svg.graph [data-node='9']")).to_have_count(1)
    expect(page.locator(".tag.changed")).to_have_count(0)
    assert dataset.gold_path("observatory").read_bytes() == before


def test_two_reviewers_and_their_agreement(page: Page, url: str, desk: ReviewDesk) -> None:
    for name, keys in (("ada", "1132"), ("bob", "1122")):
        page.goto("about:blank")
        page.goto(f"{url}#item=0")
        page.get_by_label("Reviewer").fill(name)
        page.get_by_label("Reviewer").press("Enter")
        page.get_by_label("Reviewer").press("Escape")
        expect(page.locator(".progress")).to_have_text("0 of 9 judged")
        expect(page.locator(".item-head strong")).to_have_text(desk.sample.items[0].target)
        for number, key in enumerate(keys, 1):
            page.keyboard.press(key)
            expect(page.locator(".progress")).to_have_text(f"{number} of 9 judged")
            following = desk.sample.items[number].target
            expect(page.locator(".item-head strong")).to_have_text(following)
    page.keyboard.press("s")
    cells = page.locator("table", has_text="Agreement between reviewers").locator("tbody td")
    # Agreement 3/4; chance 2/4·2/4 + 1/4·2/4 = 3/8; kappa (6/8 - 3/8) / (5/8) = 0.6
    # Weighted: one step apart in all, 12/4 by chance; 1 - 1/3 = 0.67
    expect(cells).to_have_text(["4", "75%", "0.60", "0.67"])


def be(page: Page, url: str, name: str, index: int, target: str) -> None:
    """Sit down as another reviewer before one item."""
    go(page, url, index, target)
    page.get_by_label("Reviewer").fill(name)
    page.get_by_label("Reviewer").press("Enter")
    page.get_by_label("Reviewer").press("Escape")
    expect(page.locator(".item-head strong")).to_have_text(target)


def test_an_edge_is_put_in_its_place_without_a_mouse(
    page: Page, url: str, desk: ReviewDesk, dataset: Dataset
) -> None:
    go(page, url, position(desk, "charge_argument"), "charge_argument")
    page.keyboard.press("e")
    remove = page.get_by_role("button", name="Remove the edge from turn 10 to turn 9")
    remove.focus()
    page.keyboard.press("Enter")
    expect(remove).to_have_count(0)
    page.get_by_label("Turn", exact=True).focus()
    page.keyboard.type("1")
    page.keyboard.press("Tab")
    page.keyboard.type("OB-9999")
    expect(page.locator(".typed")).to_contain_text("not in that turn")
    page.keyboard.press("Control+a")
    page.keyboard.type("OB-7314")
    page.keyboard.press("Enter")  # saves nothing yet
    page.get_by_role("button", name="turn 10", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".edges li").last).to_contain_text("10 ← 1")
    page.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tag.changed").first).to_have_text("re-labelled")
    target = dataset.conversation("observatory").target("charge_argument")
    (edge,) = (e for e in target.edges if (e.dependent, e.source) == (10, 1))
    assert edge.span.of(dataset.transcript("observatory").turns[1].text) == "OB-7314"
    # An edit that is given up leaves nothing behind.
    page.keyboard.press("e")
    removed = page.get_by_role("button", name="Remove the edge from turn 10 to turn 1", exact=True)
    removed.click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Edit graph")).to_be_visible()
    page.keyboard.press("e")
    expect(removed).to_be_visible()


def test_two_reviewers_edit_one_graph_and_agree_by_a_number(
    page: Page, url: str, desk: ReviewDesk, dataset: Dataset
) -> None:
    index = position(desk, "member_argument")
    versions = page.get_by_role("group", name="Versions of the graph")
    be(page, url, "ada", index, "member_argument")
    page.keyboard.press("e")
    page.get_by_label("hallucination").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".item-head")).to_contain_text("hallucination")

    # Bob sees what was drawn, adds an edge of his own, and only then what ada did.
    be(page, url, "bob", index, "member_argument")
    expect(page.locator(".item-head")).not_to_contain_text("hallucination")
    expect(versions).to_have_count(0)
    page.keyboard.press("e")
    page.get_by_label("Turn", exact=True).fill("1")
    page.get_by_label("says").fill("OB-7314")
    page.get_by_role("button", name="turn 4", exact=True).click()
    page.get_by_role("button", name="Save").click()
    expect(versions.get_by_role("button")).to_have_text(["gold, ada", "bob", "Make it gold a"])
    assert "hallucination" in dataset.conversation("observatory").target("member_argument").tags
    page.keyboard.press("g")
    expect(page.locator(".item-head")).to_contain_text("hallucination")

    page.keyboard.press("s")
    cells = page.locator("table", has_text="Agreement on graphs").locator("tbody td")
    # One edge against two: edges 2/3, nodes 2/3, sources 1 and 1/2; other tags.
    expect(cells).to_have_text(["1", "66.7", "66.7", "75.0", re.compile(r"\d"), "0%"])
    page.keyboard.press("s")

    page.keyboard.press("g")  # his own again, which he makes gold
    expect(page.locator("svg.graph [data-node='1']")).to_have_count(1)
    page.keyboard.press("a")
    expect(versions.get_by_role("button")).to_have_text(["gold, bob", "ada"])
    assert dataset.conversation("observatory").target("member_argument").sources[4] == (3, 1)
    page.reload()
    page.keyboard.press("u")
    be(page, url, "bob", index, "member_argument")
    page.keyboard.press("u")
    expect(versions.get_by_role("button")).to_have_text(["gold, ada", "bob", "Make it gold a"])


def test_a_phone_shows_one_thing_at_a_time(chromium: Browser, url: str, desk: ReviewDesk) -> None:
    width = 390
    context = chromium.new_context(
        viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True
    )
    context.set_default_timeout(20_000)
    phone = context.new_page()
    phone.goto(url)
    first, second = (item.target for item in desk.sample.items[:2])

    def fits() -> None:
        assert phone.evaluate("document.documentElement.scrollWidth") <= width
        for button in phone.locator("button:visible").all():  # boxes of the graph may scroll
            box = button.bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width

    expect(phone.locator(".item-head strong")).to_have_text(first)
    expect(phone.locator("svg.graph [data-node]").first).to_be_visible()
    expect(phone.locator("main.conversation")).to_be_hidden()
    fits()
    phone.get_by_role("button", name="Conversation").tap()
    expect(phone.locator("mark.target").first).to_be_in_viewport()
    fits()
    phone.get_by_role("button", name="Graph and verdict").tap()
    phone.get_by_role("button", name="Minor issues").tap()
    expect(phone.locator(".item-head strong")).to_have_text(second)
    phone.get_by_role("button", name="Edit graph").tap()
    expect(phone.get_by_role("button", name="Save")).to_be_visible()
    fits()
    phone.get_by_role("button", name="Cancel").tap()
    phone.get_by_role("button", name="Statistics").tap()
    expect(phone.locator("tr[data-row=overall] td").nth(1)).to_have_text("0")
    fits()
    context.close()
