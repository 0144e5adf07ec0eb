"""The wire, proved on a server that is not ours: `transformers serve` with the embedded model.

The model is far too small to annotate anything. That is the point: whatever it says, a run ends
with every target validated or set aside.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.bench.annotation.test_run import environment
from tokengeist.errors import ModelError, RunError
from tokengeist.formats import dumps, example_path, load
from tokengeist.transcript import Transcript

pytest.importorskip("fastapi", reason="transformers[serving] is not installed")

CALLS = 6  # three conversations, each asked for targets twice


@dataclass(frozen=True)
class RealServer:
    url: str
    model: str
    log: Path

    def requests(self) -> int:
        return self.log.read_text("utf-8").count("[Request received]")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    from tokengeist.models.loading import pull_model

    try:
        place = pull_model()
    except ModelError as error:
        pytest.skip(str(error))
    model = str(place.converted or place.path)
    log = tmp_path_factory.mktemp("serve") / "log"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("transformers")
    arguments = ["serve", model, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(program), *arguments],
            # One thread: on a busy machine, more of them wait for each other.
            env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", process, log)
        yield RealServer(f"http://127.0.0.1:{port}/v1", model, log)
    finally:
        process.kill()  # asked politely, it would finish its answer first
        process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        if process.poll() is not None:
            raise RunError(f"the server ended: {log.read_text('utf-8')[-2000:]}")
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise RunError("the server did not start")


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """Three transcripts in the native format, so that gathering is part of it."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    refund = load(example_path("refund"))
    for length in (3, 4, 5):
        part = Transcript(refund.turns[:length], id=f"refund-{length}")
        (folder / f"{part.id}.json").write_text(dumps(part), "utf-8")
    return folder


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """Short ones: the tiny model reads a hundred tokens a second."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "targets.md").write_text("Pick spans as JSON.\n{{conversation}}", "utf-8")
    (folder / "again.md").write_text("Wrong:\n{{complaints}}", "utf-8")
    return folder


def journal(out: Path) -> list[dict[str, Any]]:
    path = out / "annotation" / "calls.jsonl"
    if not path.exists():
        return []
    lines = path.read_bytes().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


@pytest.mark.parametrize("options", [(), ("--stream",)], ids=["whole", "streamed"])
def test_a_run_over_three_conversations_finishes_and_survives_a_kill(
    server: RealServer, transcripts: Path, prompts: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    arguments = [sys.executable, "-m", "tokengeist.cli.main", "annotate", str(transcripts)]
    arguments += ["--out", str(out), "--base-url", server.url, "--model", server.model]
    arguments += ["--prompts", str(prompts), "--retries", "1", "--max-tokens", "4"]
    arguments += ["--temperature", "0", "--concurrency", "1", "--json", *options]

    process = subprocess.Popen(arguments, env=environment(), stdout=subprocess.DEVNULL)
    while len(journal(out)) < 3 and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    assert process.wait() == -signal.SIGKILL  # it was not done yet
    finished = journal(out)
    requests_before = server.requests()

    done = subprocess.run(
        arguments, env=environment(), check=True, capture_output=True, timeout=300
    )
    summary = json.loads(done.stdout)
    calls = [line for line in journal(out) if "key" in line]
    assert journal(out)[: len(finished)] == finished
    assert len({line["key"] for line in calls}) == len(calls) == CALLS
    # The killed run's last request may reach the server's log only now.
    asked = server.requests() - requests_before
    assert asked - (CALLS - sum("key" in line for line in finished)) in (0, 1)
    assert summary["finished"] + summary["done_before"] == summary["conversations"] == 3
    assert all(line["usage"][0] > 0 and line["usage"][1] > 0 for line in calls)
    for length in (3, 4, 5):
        gold = json.loads((out / "gold" / f"refund-{length}.json").read_bytes())
        aside = json.loads((out / "set-aside" / f"refund-{length}.json").read_bytes())
        assert gold["targets"] == []
        assert all(fault["reasons"] for fault in aside["set_aside"])


def test_a_server_slower_than_the_patience_is_reported(
    server: RealServer, transcripts: Path, tmp_path: Path
) -> None:
    arguments = [sys.executable, "-m", "tokengeist.cli.main", "annotate", str(transcripts)]
    arguments += ["--out", str(tmp_path / "out"), "--base-url", server.url, "--limit", "1"]
    arguments += ["--model", server.model, "--timeout", "0.1", "--tries", "1", "--max-tokens", "1"]
    done = subprocess.run(arguments, env=environment(), capture_output=True, timeout=300)
    assert done.returncode == 1
    assert b"no answer within 0.1 seconds" in done.stdout


def test_a_model_that_the_server_does_not_have_stops_the_run(
    server: RealServer, transcripts: Path, tmp_path: Path
) -> None:
    arguments = [sys.executable, "-m", "tokengeist.cli.main", "annotate", str(transcripts)]
    arguments += ["--out", str(tmp_path / "out"), "--base-url", server.url + "/nowhere"]
    arguments += ["--model", server.model]
    done = subprocess.run(arguments, env=environment(), capture_output=True, timeout=300)
    assert done.returncode == 2
    assert b"404" in done.stderr
