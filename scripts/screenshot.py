"""Makes the README's picture: the page on the bundled example, in Chromium.

    python scripts/screenshot.py [--backend NAME] [--out docs/images/trace.png]

Needs Playwright and a Chromium on the machine, named in TOKENGEIST_CHROMIUM or on the path.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tokengeist.api import open_tracer, settings_for
from tokengeist.export.html import to_html
from tokengeist.formats import example_path, load
from tokengeist.tracer import collect
from tokengeist.transcript import locate_target

ROOT = Path(__file__).resolve().parents[1]
SPAN, TURN = "the door code for that night is 5582", 12
WALKED_TO = 10
FLAGS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]


def example_page(backend: str) -> str:
    """The page on one claim of the bundled example."""
    transcript = load(example_path("observatory"))
    settings = settings_for(backend)
    tracer = open_tracer(transcript, backend=backend)
    target = locate_target(transcript, SPAN, turn=TURN)
    steps = tuple(tracer.steps(target))
    graph = collect(tracer, target, steps)
    return to_html(transcript, [graph], [settings.view], steps=[steps])


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="blend")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "trace.png")
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    chromium = os.environ.get("TOKENGEIST_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(example_page(options.backend), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(
            viewport={"width": 1440, "height": 1000},
            device_scale_factor=1.4,
            color_scheme="dark" if options.dark else "light",
        )
        page.goto(f"{file.as_uri()}#turn={TURN}&at={WALKED_TO}")
        page.locator("svg.graph .node").first.wait_for()
        page.mouse.move(4, 4)
        page.wait_for_timeout(800)  # the boxes fade in
        options.out.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=options.out)
        browser.close()


if __name__ == "__main__":
    main()
