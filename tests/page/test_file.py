"""The page as a file: opened from disk, with the network off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.page import questions
from tests.page.conftest import no_network, select
from tokengeist.api import open_tracer, settings_for
from tokengeist.export.html import to_html
from tokengeist.formats import example_path, load
from tokengeist.tracer import collect
from tokengeist.transcript import Role, Target, Transcript, Turn, locate_target


def write_page(path: Path, transcript: Transcript, *targets: Target) -> str:
    """A page with lexical traces; gives its address."""
    tracer = open_tracer(transcript, backend="lexical")
    steps = [tuple(tracer.steps(target)) for target in targets]
    graphs = [collect(tracer, target, s) for target, s in zip(targets, steps, strict=True)]
    views = [settings_for("lexical").view] * len(graphs)
    path.write_text(to_html(transcript, graphs, views, steps=steps), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A page on the door code of the observatory."""
    transcript = load(example_path("observatory"))
    targets = [
        locate_target(transcript, "5582", turn=12),
        locate_target(transcript, "so 48 CHF remain", turn=8),
    ]
    return write_page(tmp_path / "page.html", transcript, *targets)


def test_it_opens_without_network_and_asks_for_nothing(
    page: Page, context: BrowserContext, address: str
) -> None:
    """Everything it needs is in the file."""
    with no_network(context) as tried:
        page.goto(address)
        expect(page.locator(".turn")).to_have_count(15)
        expect(page.locator(".node")).not_to_have_count(0)
    assert tried == []


def test_method_and_caveat_are_in_sight(page: Page, address: str) -> None:
    """In every mode."""
    page.goto(address)
    for mode in ("Graph", "Walk-through", "Compare"):
        page.get_by_role("tab", name=mode).click()
        footer = page.locator(".method")
        expect(footer).to_be_in_viewport()
        expect(footer).to_contain_text("lexical")
        expect(footer).to_contain_text("no model")
        expect(footer).to_contain_text("not proof")


def test_hover_lights_up_both_sides(page: Page, address: str) -> None:
    """A box and its turn, whichever the pointer is on."""
    page.goto(address)
    page.locator('[data-node="11"]').hover()
    turn = page.locator('[data-turn="11"]')
    expect(turn).to_have_class("turn tool in-graph hot")
    expect(turn.locator("mark.evidence")).to_have_text(['"door_code":', '"5582"'])
    page.mouse.move(5, 5)
    expect(turn).not_to_have_class("turn tool in-graph hot")
    turn.hover()
    expect(page.locator('[data-node="11"].hot')).to_have_count(1)


def test_evidence_deep_in_a_fold_is_shown(page: Page, address: str) -> None:
    """The fold opens around the evidence, and by hand altogether."""
    page.goto(address)
    turn = page.locator('[data-turn="11"]')
    expect(turn.locator("mark.evidence").first).to_be_visible()
    result = page.locator('[data-turn="5"]')
    rows = result.locator(".row").count()
    result.get_by_role("button", name="more lines").click()
    expect(result.get_by_role("button", name="fold")).to_be_visible()
    assert result.locator(".row").count() > rows


def test_sliders_prune_at_once(page: Page, address: str) -> None:
    """Alpha at 0 shows more, flat shows one hop."""
    page.goto(address)
    before = page.locator(".node").count()
    page.get_by_role("slider", name="alpha").fill("0")
    expect(page.locator(".node")).not_to_have_count(before)
    assert page.locator(".node").count() > before
    page.get_by_role("slider", name="k").fill("1")
    narrow = page.locator(".edge").count()
    page.get_by_role("slider", name="depth").fill("1")
    expect(page.locator(".edge")).to_have_count(1)
    assert narrow > 1
    page.get_by_role("slider", name="depth").press("End")
    page.get_by_text("Flat", exact=True).click()
    expect(page.locator(".edge")).to_have_count(1)
    page.get_by_text("Recursive", exact=True).click()
    expect(page.locator(".edge")).to_have_count(narrow)


def test_walking_leaves_a_chain_and_a_link(page: Page, address: str) -> None:
    """Click and arrow keys; the address brings all of it back."""
    page.goto(address)
    page.locator('[data-node="11"]').click()
    expect(page.locator('.chain [aria-current="step"]')).to_contain_text("11")
    expect(page.locator('[data-turn="11"]')).to_be_in_viewport()
    page.keyboard.press("ArrowDown")
    expect(page.locator('.chain [aria-current="step"]')).to_contain_text("10")
    expect(page.locator(".edge.on-path")).to_have_count(2)
    page.get_by_role("slider", name="alpha").fill("0.5")
    expect(page).to_have_url(re.compile("alpha=0.5.*at=10"))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator('.chain [aria-current="step"]')).to_contain_text("10")
    expect(page.get_by_role("slider", name="alpha")).to_have_value("0.5")
    expect(page.locator('[data-turn="10"]')).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("Escape")
    expect(page.locator('.chain [aria-current="step"]')).to_have_count(0)


def test_a_link_to_another_span(page: Page, address: str) -> None:
    """A turn and a span name the trace."""
    page.goto(f"{address}#turn=8")
    expect(page.locator("blockquote")).to_have_text("so 48 CHF remain")
    expect(page.locator('[data-turn="8"] mark.target')).to_have_text("so 48 CHF remain")


def test_search_opens_folds(page: Page, address: str) -> None:
    """A match inside a fold is shown and scrolled to."""
    page.goto(address)
    page.locator('[data-node="12"]').focus()
    page.keyboard.press("/")
    page.keyboard.type("moon")
    expect(page.locator(".search-count")).to_have_text("1 / 4")
    expect(page.locator("mark.current")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator(".search-count")).to_have_text("2 / 4")


def test_the_walk_through_has_three_stages(page: Page, address: str) -> None:
    """Inputs, steps with bars, and the graph."""
    page.goto(address)
    page.locator('[data-node="12"]').focus()
    page.keyboard.press("w")
    expect(page.locator(".stage")).to_have_count(3)
    first = page.locator(".step").first
    expect(first.locator(".bars li")).not_to_have_count(0)
    expect(first.locator(".bars li.followed")).to_have_count(1)
    expect(page.locator(".structural-hop").first).to_contain_text("turn 10")


def test_arrows_in_the_conversation(page: Page, address: str) -> None:
    """Flat on the left, recursive on the right."""
    page.goto(address)
    page.get_by_role("button", name="Arrows").click()
    expect(page.locator(".arrow.flat")).to_have_count(1)
    expect(page.locator(".arrow.recursive")).not_to_have_count(1)
    expect(page.locator(".arrow.recursive.structural")).to_have_count(1)


def test_copies(page: Page, context: BrowserContext, address: str) -> None:
    """Mermaid, JSON, SVG and PNG."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address)

    def copied(name: str) -> str:
        page.get_by_role("button", name="Copy").click()
        page.get_by_role("menuitem", name=name).click()
        expect(page.locator(".toast")).to_contain_text(name)
        text: str = page.evaluate("navigator.clipboard.readText().catch(() => '')")
        return text

    assert copied("Mermaid").startswith("flowchart TD\n")
    assert '"format": "tokengeist.graph"' in copied("JSON")
    svg = copied("SVG")
    assert svg.startswith("<svg")
    assert "class=" not in svg
    copied("PNG")
    kinds = page.evaluate(
        "navigator.clipboard.read().then(items => items.flatMap(item => item.types))"
    )
    assert "image/png" in kinds


def test_a_selection_tells_how_to_trace_it(page: Page, address: str) -> None:
    """A file cannot trace, and says what can."""
    page.goto(address)
    select(page, 6, "Two nights are free")
    expect(page.locator(".selection-bar")).to_contain_text("--turn 6 --chars 58:77")


def test_it_fits_a_phone(browser_page: Page, address: str) -> None:
    """One thing at a time, nothing beside the screen."""
    browser_page.goto(address)
    expect(browser_page.locator(".turn").first).to_be_attached()
    expect(browser_page.locator(".panel")).to_be_hidden()
    browser_page.get_by_role("button", name="Where from").click()
    expect(browser_page.locator(".panel")).to_be_visible()
    width = browser_page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


@pytest.fixture
def browser_page(context: BrowserContext, page: Page) -> Page:
    """A tab of a phone's size."""
    page.set_viewport_size({"width": 390, "height": 844})
    return page


HOSTILE = (
    "</script><script>window.hacked = 1</script>"
    "<img src=x onerror='window.hacked = 2'><svg onload='window.hacked = 3'>"
    "<a href='javascript:window.hacked = 4'>click</a> "
    "\u202eevil\u202c \u2066x\u2069 \x1b[2J {{1+1}}"
)


def test_a_hostile_transcript_executes_nothing(
    page: Page, context: BrowserContext, tmp_path: Path
) -> None:
    """Markup, handlers, bidi controls and a line of five megabytes are text and nothing else."""
    long_line = "<b>word</b> " * (5_000_000 // 12)
    turns = (
        Turn(0, Role.SYSTEM, HOSTILE),
        Turn(1, Role.USER, f'{{"note": "{HOSTILE}"}}'),
        Turn(2, Role.USER, long_line),
        Turn(3, Role.ASSISTANT, HOSTILE + " word", name="<img src=x onerror=window.hacked=5>"),
    )
    transcript = Transcript(turns, id="<script>window.hacked = 6</script>")
    address = write_page(tmp_path / "hostile.html", transcript, Target.whole(turns[3]))
    with no_network(context) as tried:
        page.goto(address)
        expect(page.locator(".turn")).to_have_count(4)
        page.locator('[data-node="3"]').click()
        page.keyboard.press("w")
        page.locator(".search input").fill("evil")
        page.locator('[data-turn="2"] .gap').first.click()
        page.wait_for_timeout(300)
    assert tried == []
    assert page.evaluate("window.hacked") is None
    shown = page.locator('[data-turn="3"] .text').text_content() or ""
    assert "<script>window.hacked = 1</script>" in shown
    assert "\u202e" not in shown
    assert page.locator(".turns img, .turns script, .turns b").count() == 0


def test_two_hundred_turns_are_smooth(page: Page, tmp_path: Path) -> None:
    """Only what is in sight is laid out; scrolling writes nothing, and a choice only its bar.

    How long that takes is for `python -m benchmarks.page` to say.
    """
    transcript = questions(200)
    address = write_page(tmp_path / "long.html", transcript, Target.whole(transcript.turns[-1]))
    page.goto(address)
    expect(page.locator(".turn")).to_have_count(200)
    expect(page.locator(".node")).not_to_have_count(0)
    page.evaluate(
        """async () => {
            window.written = [];
            new MutationObserver((records) => {
                for (const { target } of records) {
                    const near = target.nodeType === Node.TEXT_NODE ? target.parentNode : target;
                    window.written.push(near.closest(".turn")?.dataset.turn ?? "elsewhere");
                }
            }).observe(document.body, {
                subtree: true, childList: true, attributes: true, characterData: true,
            });
            do {  // until the page has arrived at its target
                window.written.length = 0;
                await new Promise((done) => setTimeout(done, 500));
            } while (window.written.length);
        }"""
    )
    laid_out = page.evaluate(
        """async () => {
            const room = document.querySelector(".conversation");
            const counts = [];
            for (let i = 0; i < 20; i++) {
                room.scrollTop = (room.scrollHeight * i) / 20;
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
                const turns = [...document.querySelectorAll(".turn > *")];
                counts.push(turns.filter((part) => part.checkVisibility(
                    { contentVisibilityAuto: true })).length / turns.length);
            }
            return counts;
        }"""
    )
    assert 0 < min(laid_out) < max(laid_out) < 0.25
    assert page.evaluate("window.written") == []
    select(page, 101, "costs 100 CHF")
    expect(page.locator(".selection-bar")).to_be_visible()
    assert set(page.evaluate("window.written")) <= {"101", "elsewhere"}
