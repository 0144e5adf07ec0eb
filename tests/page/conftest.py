"""Real Chromium against a real server, in one process so that a backend can be held up."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server import slow
from tests.server.conftest import slow_backend as slow_backend

CHROMIUM = os.environ.get("TOKENGEIST_CHROMIUM") or next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)
if CHROMIUM is None:
    pytest.skip(
        "no Chromium on this machine; install it (apt-get install chromium) or name it in "
        "TOKENGEIST_CHROMIUM",
        allow_module_level=True,
    )

import uvicorn  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright  # noqa: E402

from tokengeist.server.app import Desk, create_app  # noqa: E402
from tokengeist.server.catalogue import Catalogue  # noqa: E402
from tokengeist.server.security import Guard  # noqa: E402
from tokengeist.server.store import TraceStore  # noqa: E402

# The machines that run this are shared: a slow moment is no failure.
expect.set_options(timeout=15_000)

TOKEN = "token-of-the-page-tests"
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a file of tests; Playwright runs once in a process at any time."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser window without memory, in which any script error fails the test."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab."""
    problems: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    yield page
    assert problems == []


Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server over files and folders; gives the link to its page."""
    running: list[tuple[uvicorn.Server, threading.Thread, Desk]] = []

    def start(*roots: Path, backend: str = "lexical", store: Path | None = None) -> str:
        desk = Desk.over(Catalogue(roots), TraceStore(store), backend=backend, instant="lexical")
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(
            uvicorn.Config(
                Guard(create_app(desk), token=TOKEN, hosts={host}),
                log_level="error",
                timeout_graceful_shutdown=1,
            )
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        running.append((server, thread, desk))
        deadline = time.monotonic() + 20
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.02)
        return f"http://{host}/{TOKEN}/"

    yield start
    slow.BRAKE.release.set()
    for server, thread, desk in running:
        desk.queue.close()
        server.should_exit = True
        thread.join(timeout=15)
        desk.store.close()


@contextmanager
def no_network(context: BrowserContext) -> Iterator[list[str]]:
    """Cut the network, and write down whatever a page tries to reach."""
    tried: list[str] = []
    context.on(
        "request",
        lambda request: None if request.url.startswith("file:") else tried.append(request.url),
    )
    context.set_offline(True)
    yield tried


def select(page: Page, turn: int, text: str) -> None:
    """Select a text of a turn with the mouse, as a person does."""
    page.locator(f'[data-turn="{turn}"]').scroll_into_view_if_needed()
    box = page.evaluate(
        """([turn, text]) => {
            const holder = document.querySelector(`[data-turn="${turn}"]`);
            const walker = document.createTreeWalker(holder, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.data.indexOf(text);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + text.length);
                const boxes = [...range.getClientRects()];
                const [first, last] = [boxes[0], boxes.at(-1)];
                return [first.left, first.top + first.height / 2,
                        last.right, last.top + last.height / 2];
            }
            throw new Error(`turn ${turn} does not show ${text}`);
        }""",
        [turn, text],
    )
    page.mouse.move(box[0] + 0.5, box[1])
    page.mouse.down()
    page.mouse.move((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    page.mouse.move(box[2], box[3])
    page.mouse.up()
