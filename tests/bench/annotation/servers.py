"""A small real HTTP server that answers chat completions as a test tells it to.

It runs on loopback in a thread of the test's process, so that sockets, time-outs, half-sent bodies
and kept-alive connections are the real things.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"


@dataclass(frozen=True)
class Reply:
    """What to send back. `cut` sends only so many bytes of it and hangs up, after `pause`."""

    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    pause: float = 0.0


Script = Callable[[dict[str, Any]], Reply | str]
"""From a request's body to a reply; a bare string is what the model says."""


def completion(
    text: str, *, finish: str = "stop", usage: tuple[int, int] | None = (100, 10)
) -> str:
    """A whole response."""
    data: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
        ],
    }
    if usage is not None:
        data["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return json.dumps(data)


def stream(text: str, *, step: int = 7) -> str:
    """The same in parts, with a comment line and the usage at the end."""
    parts = [text[at : at + step] for at in range(0, len(text), step)]
    events = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in parts]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    usage = {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
    lines = [f"data: {json.dumps(event)}\n\n" for event in [*events, usage]]
    return ": keep-alive\n\n" + "".join(lines) + "data: [DONE]\n\n"


@dataclass
class Server:
    """A running server, and everything it was asked."""

    script: Script
    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def reply(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            said = self.script(body)
        if not isinstance(said, str):
            return said
        if body.get("stream"):
            return Reply(stream(said), headers={"Content-Type": "text/event-stream"})
        return Reply(completion(said))

    def done(self) -> None:
        with self._lock:
            self._now -= 1


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """A server for the duration of a `with`."""
    server = Server(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            reply = server.reply(json.loads(self.rfile.read(length)), dict(self.headers))
            try:
                if reply.delay:
                    time.sleep(reply.delay)
                self._send(reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up, as some tests want it to
            finally:
                server.done()

        def _send(self, reply: Reply) -> None:
            data = reply.body.encode()
            if reply.cut == 0:
                self.close_connection = True
                return
            self.send_response(reply.status)
            headers = {"Content-Type": "application/json"} | reply.headers
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: reply.cut])
            if reply.cut is not None:
                self.wfile.flush()
                time.sleep(reply.pause)
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # clients that are killed leave broken connections behind

    http = Quiet(("127.0.0.1", 0), Handler)
    server.port = http.server_address[1]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def task_of(request: dict[str, Any]) -> tuple[str, str]:
    """Which conversation and task a request with the bundled prompts is about."""
    prompt = request["messages"][0]["content"]
    conversation = "observatory" if "Lindhorn" in prompt else "refund"
    found = re.search(r"# The span\n\n(\{.*\})\n", prompt)
    return conversation, f"graph {json.loads(found[1])['name']}" if found else "targets"


class Recorded:
    """Plays the recorded answers: the first to a task's first request, and so on."""

    def __init__(self) -> None:
        self.answers = {
            id: json.loads((RECORDED / f"{id}.answers.json").read_text("utf-8"))
            for id in ("observatory", "refund")
        }
        self.asked: Counter[tuple[str, str]] = Counter()

    def __call__(self, request: dict[str, Any]) -> str:
        task = task_of(request)
        answers: list[str] = self.answers[task[0]][task[1]]
        number = min(self.asked[task], len(answers) - 1)
        self.asked[task] += 1
        return answers[number]
