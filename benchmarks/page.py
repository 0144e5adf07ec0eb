"""`python -m benchmarks.page`: is a page of two hundred turns as quick as one of twenty?

Each figure is the middle one of many in the same browser, of the long page over the short one. On
the clock, because that is what somebody waits for. Needs Chromium and Playwright, as the page's
tests do.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from benchmarks.table import note, row
from tokengeist.api import settings_for, trace
from tokengeist.export.html import to_html
from tokengeist.transcript import Role, Transcript, Turn

SHORT, LONG = 20, 200
ROUNDS = 10
SCROLL = """async () => {
    const room = document.querySelector(".conversation");
    const times = [];
    for (let i = 0; i < 60; i++) {
        const start = performance.now();
        room.scrollTop = (room.scrollHeight * i) / 60;
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - start);
    }
    return times;
}"""
CHOOSE = """async (turn) => {
    const text = document.querySelector(`[data-turn="${turn}"] .text`);
    text.scrollIntoView({ block: "center" });
    await new Promise((done) => setTimeout(done, 100));
    const until = async (shown) => {
        text.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
        while (Boolean(document.querySelector(".selection-bar")) !== shown)
            await new Promise(requestAnimationFrame);
    };
    const node = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
    const start = performance.now();
    getSelection().setBaseAndExtent(node, 0, node, 8);
    await until(true);
    const took = performance.now() - start;
    getSelection().removeAllRanges();
    await until(false);
    return took;
}"""


def main() -> None:
    """Measure both pages, turn about, and print the ratios."""
    chromium = os.environ.get("TOKENGEIST_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        pages = {}
        for count in (SHORT, LONG):
            file = Path(folder) / f"{count}.html"
            file.write_text(_page(questions(count)), encoding="utf-8")
            pages[count] = browser.new_page(viewport={"width": 1400, "height": 900})
            pages[count].goto(file.as_uri())
            pages[count].locator(".node").first.wait_for()
        frames: dict[int, list[float]] = {SHORT: [], LONG: []}
        choices: dict[int, list[float]] = {SHORT: [], LONG: []}
        for number in range(ROUNDS):
            for count, page in pages.items():
                page.bring_to_front()
                frames[count] += page.evaluate(SCROLL)
                choices[count].append(page.evaluate(CHOOSE, 2 * number + 1))
        browser.close()
    _print(f"a frame while scrolling, {LONG} turns / {SHORT}", frames)
    _print(f"from mouse to bar, {LONG} turns / {SHORT}", choices)


def questions(count: int) -> Transcript:
    """A long conversation about many small things."""
    turns: list[Turn] = []
    for n in range(0, count, 2):
        turns.append(Turn(n, Role.USER, f"Question {n}: what about item {n}? " * 6))
        turns.append(Turn(n + 1, Role.ASSISTANT, f"Item {n} costs {n} CHF, as you asked. " * 8))
    return Transcript(tuple(turns))


def _page(transcript: Transcript) -> str:
    graph = trace(transcript, backend="lexical")
    return to_html(transcript, [graph], [settings_for("lexical").view])


def _print(what: str, times: dict[int, list[float]]) -> None:
    short, long = median(times[SHORT]), median(times[LONG])
    row(what, f"{long / short:.2f}x", "< 2x")
    note(f"{long:.0f} ms against {short:.0f} ms")


if __name__ == "__main__":
    main()
