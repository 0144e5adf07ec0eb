"""The wire, proved on a server that is not ours: `transformers serve` with the embedded model.

The model is far too small to annotate anything: shown the answer, it can copy a list of targets,
but no graph. That is the point: whatever it says, a run ends with every target validated or set
aside. The server takes no `response_format`, so the schema is given up on the way, too.
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
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.validation import validate
from tokengeist.errors import ModelError, RunError
from tokengeist.formats import dumps
from tokengeist.transcript import Role, Transcript, Turn

pytest.importorskip("fastapi", reason="transformers[serving] is not installed")

ORDER = "QX-4471"
TALKS = {
    "place": (f"Where is order {ORDER}?", f"Order {ORDER} is here."),
    "time": (f"When will order {ORDER} come?", f"Order {ORDER} comes on Monday."),
    "price": (f"What does order {ORDER} cost?", f"Order {ORDER} costs 12 CHF."),
}


GRAPH = {
    "dep_type_tags": ["direct"],
    "nodes": [
        {"turn": 1, "depends_on": [{"turn": 0, "span": ORDER}]},
        {"turn": 0, "depends_on": []},
    ],
}


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
    for name, (question, answer) in TALKS.items():
        turns = (Turn(0, Role.USER, question), Turn(1, Role.ASSISTANT, answer))
        (folder / f"{name}.json").write_text(dumps(Transcript(turns, id=name)), "utf-8")
    return folder


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """Short ones, with the answer in them: what the tiny model can do is copy."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    targets = {"targets": [{"name": "order", "target_turn_idx": 1, "target_text": ORDER}]}
    copy = "Here is the answer in JSON. Copy it.\n\n```json\n{}\n```"
    for name, lead, answer in (
        ("targets", "{{conversation}}\n\n", targets),
        ("graph", "{{conversation}}\n\n{{target}}\n\n", GRAPH),
    ):
        text = lead + copy.replace("{}", json.dumps(answer))
        (folder / f"{name}.md").write_text(text, "utf-8")
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
    arguments += ["--prompts", str(prompts), "--retries", "0", "--max-tokens", "60"]
    arguments += ["--temperature", "0", "--concurrency", "1", "--json", *options]

    process = subprocess.Popen(arguments, env=environment(), stdout=subprocess.DEVNULL)
    while len(journal(out)) < 2 and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    assert process.wait() == -signal.SIGKILL  # it was not done yet
    finished = journal(out)
    requests_before = server.requests()

    done = subprocess.run(
        arguments, env=environment(), check=True, capture_output=True, timeout=900
    )
    summary = json.loads(done.stdout)
    calls = [line for line in journal(out) if "key" in line]
    assert journal(out)[: len(finished)] == finished
    assert len({line["key"] for line in calls}) == len(calls)
    # The killed run's last request may reach the server's log only now.
    asked = server.requests() - requests_before
    assert asked - (len(calls) - sum("key" in line for line in finished)) in (0, 1)
    assert summary["finished"] + summary["done_before"] == summary["conversations"] == 3
    assert all(line["usage"][0] > 0 and line["usage"][1] > 0 for line in calls)
    assert {line["task"] for line in calls} == {"targets", "graph order"}  # both phases
    for name in TALKS:
        gold = json.loads((out / "gold" / f"{name}.json").read_bytes())["targets"]
        aside = out / "set-aside" / f"{name}.json"
        faults = json.loads(aside.read_bytes())["set_aside"] if aside.exists() else []
        assert all(fault["reasons"] for fault in faults)
        settled = {f"graph {target['name']}" for target in gold} | {f["task"] for f in faults}
        traced = {line["task"] for line in calls if line["conversation"] == name} - {"targets"}
        assert settled >= (traced or {"targets"})
    assert not [p for p in validate(Dataset(out)) if not p.is_advice]


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
