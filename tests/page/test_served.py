"""The page with a server behind it, driven as a person drives it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.page.conftest import Serve, select
from tests.server.slow import Brake
from tokengeist.api import settings_for
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.run import run as run_benchmark
from tokengeist.bench.worker import Method
from tokengeist.formats import example_path


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A folder with the observatory."""
    folder = tmp_path / "examples"
    folder.mkdir()
    (folder / "observatory.json").write_bytes(example_path("observatory").read_bytes())
    return folder


def open_example(page: Page, address: str) -> None:
    """From the list into the conversation."""
    page.goto(address)
    page.get_by_role("link", name="observatory").click()
    expect(page.locator(".turn")).to_have_count(15)


def test_select_by_mouse_and_watch_the_trace_arrive(
    page: Page, serve: Serve, example: Path, slow_backend: Brake
) -> None:
    """First the instant graph, then progress, then the model's graph."""
    open_example(page, serve(example, backend="slow"))
    expect(page.locator(".empty")).to_contain_text("Select any text")
    select(page, 12, "5582")
    expect(page.locator('[data-node="12"]')).to_be_visible()
    expect(page.locator(".method")).to_contain_text("lexical")
    expect(page.locator(".job", has_text="slow")).to_contain_text("slow reading 100 / 200")
    assert page.locator('[data-node="11"]').count() == 1
    slow_backend.release.set()
    expect(page.locator(".method")).to_contain_text("a-model-for-tests")
    expect(page.locator(".job")).to_have_count(0)


def test_the_real_model_answers_in_the_page(page: Page, serve: Serve) -> None:
    """The paper's walk-through, selected by mouse and read by the embedded model."""
    page.goto(serve(example_path("refund"), backend="attention"))
    page.get_by_role("link", name="refund").click()
    select(page, 4, "full refund")
    expect(page.locator(".method")).to_contain_text("smollm2", timeout=240_000)
    for turn in (4, 3, 2, 1, 0):
        expect(page.locator(f'[data-node="{turn}"]')).to_be_visible()


def test_a_span_inside_an_argument(page: Page, serve: Serve, example: Path) -> None:
    """Pretty-printing moves nothing: the offsets are those of the canonical text."""
    open_example(page, serve(example))
    select(page, 10, "2031-03-15")
    expect(page.locator("blockquote")).to_have_text("2031-03-15")
    text = 'change_booking({"booking": "OB-7314", "night": "2031-03-15"'
    start = text.index("2031")
    expect(page).to_have_url(re.compile(f"span={start}-{start + 10}"))


def test_steps_are_drawn_one_by_one(
    page: Page, serve: Serve, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The graph grows while the search goes on."""
    import threading

    from tokengeist.server import jobs

    gate = threading.Semaphore(0)
    original = jobs._check

    def held(job: jobs.Job) -> None:
        original(job)
        gate.acquire(timeout=20)

    monkeypatch.setattr(jobs, "_check", held)
    open_example(page, serve(example))
    select(page, 12, "5582")
    gate.release()
    expect(page.locator(".job")).to_contain_text("step 1")
    first = page.locator(".node").count()
    assert first >= 2
    gate.release()
    expect(page.locator(".job")).to_contain_text("step 2")
    for _ in range(40):
        gate.release()
    expect(page.locator(".job")).to_have_count(0)
    assert page.locator(".node").count() > first


def test_a_graph_is_verified_on_the_page(page: Page, serve: Serve) -> None:
    """The real model says of every shown edge whether its evidence mattered."""
    page.goto(serve(example_path("refund")))
    page.get_by_role("link", name="refund").click()
    select(page, 4, "full refund")
    scored = page.locator(".edge.attribution .edge-label")
    expect(scored.first).to_be_visible()
    page.get_by_role("button", name="Verify").click()
    expect(scored.first).to_have_text(re.compile("[✓~✗]$"), timeout=120_000)
    assert all(text[-1] in "✓~✗" for text in scored.all_text_contents())
    expect(page.get_by_role("button", name="Verify")).to_have_count(0)
    page.reload()
    expect(scored.first).to_have_text(re.compile("[✓~✗]$"))


def test_a_second_tab_sees_the_same_and_can_cancel(
    page: Page, context: BrowserContext, serve: Serve, example: Path, slow_backend: Brake
) -> None:
    """Progress is shared; what one tab cancels is cancelled for all."""
    open_example(page, serve(example, backend="slow"))
    select(page, 12, "5582")
    expect(page.locator(".job", has_text="slow")).to_contain_text("slow reading")
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator(".job", has_text="slow")).to_contain_text("slow reading 100 / 200")
    other.get_by_role("button", name="Cancel").click()
    expect(other.locator(".job")).to_have_count(0)
    expect(page.locator(".job")).to_have_count(0)
    expect(page.locator(".method")).to_contain_text("lexical")


def test_traces_are_there_after_a_restart(
    page: Page, serve: Serve, example: Path, tmp_path: Path
) -> None:
    """And a deep link opens on the same graph."""
    store = tmp_path / "traces.sqlite"
    open_example(page, serve(example, store=store))
    select(page, 12, "5582")
    expect(page.locator('[data-node="11"]')).to_be_visible()
    page.locator('[data-node="11"]').click()
    expect(page).to_have_url(re.compile("at=11"))
    fragment = page.url[page.url.index("#") :]
    again = serve(example, store=store)
    page.goto(again + fragment)
    expect(page.locator("blockquote")).to_have_text("5582")
    expect(page.locator('.chain [aria-current="step"]')).to_contain_text("11")
    page.reload()
    expect(page.locator('.chain [aria-current="step"]')).to_contain_text("11")


def test_the_page_can_be_saved_as_a_file(
    page: Page, context: BrowserContext, serve: Serve, example: Path, tmp_path: Path
) -> None:
    """With its traces, and without its server."""
    open_example(page, serve(example))
    select(page, 12, "5582")
    expect(page.locator('[data-node="11"]')).to_be_visible()
    page.get_by_role("button", name="Copy").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Page as a file", exact=True).click()
    saved = tmp_path / "saved.html"
    download.value.save_as(saved)
    other = context.new_page()
    other.goto(saved.as_uri())
    expect(other.locator("blockquote")).to_have_text("5582")


def test_a_saved_page_can_be_redacted(
    page: Page, context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """The secret is nowhere in the file, and its evidence is still in its place."""
    secret = "ilse.brandt@example.org"
    turns = [
        {"role": "user", "content": f"Please write to {secret}, my new address."},
        {"role": "assistant", "content": f"I will write to {secret} from now on."},
    ]
    (tmp_path / "talk.json").write_text(json.dumps({"id": "talk", "messages": turns}), "utf-8")
    page.goto(serve(tmp_path / "talk.json"))
    page.get_by_role("link", name="talk").click()
    select(page, 1, secret)
    expect(page.locator('[data-node="0"]')).to_be_visible()
    page.get_by_role("button", name="Copy").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Page as a file, redacted").click()
    saved = tmp_path / "saved.html"
    download.value.save_as(saved)
    assert "ilse" not in saved.read_text("utf-8")
    other = context.new_page()
    other.goto(saved.as_uri())
    expect(other.locator("blockquote")).to_have_text("[email-1]")
    expect(other.locator('[data-turn="0"] mark.evidence')).to_contain_text("[email-1]")


def test_by_keyboard_alone(page: Page, serve: Serve, example: Path) -> None:
    """Choose a sentence, trace it, walk to its source."""
    open_example(page, serve(example))
    page.locator('[data-turn="12"]').focus()
    page.keyboard.press(".")
    page.keyboard.press(".")
    expect(page.locator('[data-turn="12"] mark.pointed')).to_contain_text("I charged 60 CHF")
    page.keyboard.press("t")
    expect(page.locator('[data-node="12"]')).to_be_visible()
    page.locator('[data-node="12"]').focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator('.chain [aria-current="step"]')).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_three_hundred_conversations(page: Page, serve: Serve, tmp_path: Path) -> None:
    """Listed, searched, and read when they are opened."""
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(300):
        messages = [
            {"role": "user", "content": f"Where is parcel {n:03}?"},
            {"role": "assistant", "content": f"Parcel {n:03} is in Basel."},
        ]
        (folder / f"chat-{n:03}.json").write_text(json.dumps({"messages": messages}))
    page.goto(serve(folder))
    expect(page.locator(".count")).to_have_text(re.compile("300 conversations"))
    page.locator(".home").evaluate("home => home.scrollTo(0, home.scrollHeight)")
    expect(page.locator(".listing li")).not_to_have_count(100)
    page.get_by_label("Search the conversations").fill("parcel 217")
    expect(page.locator(".listing li")).to_have_count(1)
    page.locator(".listing a").click()
    expect(page.locator('[data-turn="1"]')).to_contain_text("Parcel 217 is in Basel.")


@pytest.fixture
def benchmark(tmp_path: Path) -> tuple[Path, Path]:
    """The observatory with one gold graph, and a lexical run over it."""
    data = tmp_path / "data"
    for name in ("conversations", "gold"):
        (data / name).mkdir(parents=True)
    (data / "conversations" / "observatory.json").write_bytes(
        example_path("observatory").read_bytes()
    )
    deps = {
        "12": {"depends_on": [11], "spans": {"11": '"door_code": "5582"'}},
        "11": {"depends_on": [10], "spans": {"10": "change_booking("}},
        "10": {"depends_on": [9], "spans": {"9": "Yes, go ahead."}},
        "9": {"depends_on": [], "spans": {}},
    }
    target = {
        "name": "door_code",
        "target_turn_idx": 12,
        "target_text": "5582",
        "dep_type_tags": ["chained"],
        "ground_truth_deps": deps,
    }
    gold = {"conversation_id": "observatory", "targets": [target]}
    (data / "gold" / "observatory.json").write_text(json.dumps(gold))
    out = tmp_path / "runs" / "words"
    run_benchmark(Dataset(data), out, Method("lexical", settings=settings_for("lexical")))
    return data, out


def test_a_run_and_its_comparison_with_gold(
    page: Page, serve: Serve, benchmark: tuple[Path, Path]
) -> None:
    """From the run's table to right, missing and spurious edges."""
    page.goto(serve(*benchmark))
    page.get_by_role("link", name="words").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("button", name="chained").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="5582").click()
    expect(page.locator(".side-by-side figure")).to_have_count(2)
    verdicts = page.locator(".verdicts")
    expect(verdicts).to_contain_text("2 right")
    expect(verdicts).to_contain_text("1 missing")
    expect(verdicts).to_contain_text("spurious")
    expect(page.locator(".edge-list .diff-right")).to_contain_text("turn 10 → turn 9")
    # What people annotated has no scores, and none are shown.
    page.get_by_role("combobox", name="Method").select_option("gold")
    page.get_by_role("tab", name="Graph").click()
    assert set(page.locator("svg.graph .edge-label").all_text_contents()) <= {"call"}
    page.get_by_role("tab", name="Walk-through").click()
    expect(page.locator(".step").first).to_contain_text("rests on 1 earlier turn")
    expect(page.locator(".bar-score")).to_have_count(0)
    page.get_by_role("link", name="Tokengeist").click()
    expect(page.locator("tbody tr")).to_have_count(1)


def test_two_methods_side_by_side(
    page: Page, serve: Serve, example: Path, slow_backend: Brake
) -> None:
    """What both say, and what only one does."""
    slow_backend.release.set()
    open_example(page, serve(example, backend="slow"))
    select(page, 12, "5582")
    expect(page.locator(".method")).to_contain_text("a-model-for-tests")
    page.get_by_role("tab", name="Compare").click()
    expect(page.locator(".verdicts")).to_contain_text("in both")
    expect(page.locator(".side-by-side figcaption").first).to_contain_text("slow")
    expect(page).to_have_url(re.compile("show=compare"))


def test_a_failure_is_said_on_the_page(
    page: Page, serve: Serve, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a backend does."""
    from tokengeist.errors import ModelError
    from tokengeist.server import reader

    def fail(*_: object) -> None:
        raise ModelError("the model is on strike")

    monkeypatch.setattr(reader, "create_attributor", fail)
    open_example(page, serve(example))
    select(page, 12, "5582")
    expect(page.locator(".job.failed")).to_contain_text("the model is on strike")
