"""Annotating with recorded answers and with servers that fail in every way we know of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.annotation.servers import (
    RECORDED,
    Recorded,
    Reply,
    Script,
    completion,
    serving,
    task_of,
)
from tests.bench.annotation.servers import stream as stream_of
from tokengeist.bench.annotation.prompts import Prompts
from tokengeist.bench.annotation.run import Plan, Summary, annotate
from tokengeist.bench.annotation.settings import Models, Price, ServerSettings
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.validation import validate
from tokengeist.errors import RunError


def run(
    folder: Path, url: str, *, models: Models | None = None, plan: Plan | None = None, **server: Any
) -> Summary:
    patience = {"first_wait": 0.01, "longest_wait": 0.3, "timeout": 10.0} | server
    settings = ServerSettings(url, **patience)
    return annotate(Dataset(folder), settings, models or Models("annotator"), plan=plan)


def gold_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "gold").glob("*.json")}


def set_aside(folder: Path, id: str) -> list[dict[str, Any]]:
    entries = json.loads((folder / "set-aside" / f"{id}.json").read_bytes())["set_aside"]
    return list(entries)


@pytest.mark.parametrize("stream", [False, True])
def test_recorded_answers_reproduce_the_gold_folder_byte_for_byte(
    folder: Path, stream: bool
) -> None:
    with serving(Recorded()) as server:
        models = Models("annotator", price=Price(2.0, 10.0))
        summary = run(folder, server.url, stream=stream, models=models)
    assert gold_bytes(folder) == gold_bytes(RECORDED)
    assert not [p for p in validate(Dataset(folder)) if not p.is_advice]
    assert not (folder / "set-aside").exists()
    assert (summary.finished, summary.targets, summary.set_aside) == (2, 9, 0)
    # 9 graphs and 2 choices, one faulty choice, two faulty graphs, one request for more targets
    assert summary.calls == len(server.requests) == 15
    assert (summary.tokens_read, summary.tokens_written) == (1500, 150)
    assert summary.cost == pytest.approx((1500 * 2 + 150 * 10) / 1e6)
    assert all(request.get("stream", False) is stream for request in server.requests)


def test_complaints_go_back_to_the_model_with_its_answer(folder: Path) -> None:
    with serving(Recorded()) as server:
        run(folder, server.url)
    asked = [r["messages"] for r in server.requests if "fee_for_the_move" in task_of(r)[1]]
    assert [len(messages) for messages in asked] == [1, 3, 3]
    assert "exactly one of direct and chained" in asked[1][2]["content"]
    assert "the target turn 6 is missing" in asked[2][2]["content"]
    assert asked[2][1]["role"] == "assistant"
    chosen = [r["messages"] for r in server.requests if task_of(r) == ("observatory", "targets")]
    assert "15 March has darker skies" in chosen[1][2]["content"]
    assert "the nearest is in turn 8" in chosen[1][2]["content"]


def always_bad(task: str, model: str = "annotator") -> Script:
    """The recorded answers, except that `model` never gets one task right."""
    recorded = Recorded()

    def script(request: dict[str, Any]) -> str:
        if task_of(request)[1] == task and request["model"] == model:
            return '{"comment": "?", "dep_type_tags": ["direct"], "nodes": []}'
        return recorded(request)

    return script


def test_three_retries_then_the_better_model(folder: Path) -> None:
    models = Models("annotator", "better", price=Price(1, 1), escalate_price=Price(100, 100))
    with serving(always_bad("graph door_code")) as server:
        summary = run(folder, server.url, models=models)
    assert gold_bytes(folder) == gold_bytes(RECORDED)
    asked = [(r["model"], len(r["messages"])) for r in server.requests if "door_code" in str(r)]
    assert asked.count(("annotator", 3)) >= 3
    assert ("better", 1) in asked
    assert summary.escalated == 1
    assert summary.cost == pytest.approx((18 * 110 * 1 + 1 * 110 * 100) / 1e6)


def test_what_nobody_gets_right_is_set_aside_with_its_reasons(folder: Path) -> None:
    with serving(always_bad("graph door_code")) as server:
        summary = run(folder, server.url)
    assert (summary.targets, summary.set_aside, summary.unfinished) == (8, 1, 0)
    (fault,) = set_aside(folder, "observatory")
    assert fault["target"]["name"] == "door_code"
    assert fault["reasons"] == ["the target turn 12 is missing from 'ground_truth_deps'"]
    assert len(fault["attempts"]) == 4
    names = [t.name for t in Dataset(folder).conversation("observatory").targets]
    assert len(names) == 5
    assert "door_code" not in names


def test_set_aside_targets_can_be_asked_for_again_without_touching_the_others(
    folder: Path,
) -> None:
    with serving(always_bad("graph door_code")) as server:
        run(folder, server.url)
    # A reviewer has changed a kept target meanwhile; that must survive.
    path = folder / "gold" / "observatory.json"
    edited = path.read_text("utf-8").replace("The user gives the member number", "REVIEWED")
    path.write_text(edited, "utf-8")
    with serving(Recorded()) as server:
        again = run(folder, server.url)
        assert server.requests == []  # without the flag, nothing is asked
        assert again.done_before == 2
        summary = run(folder, server.url, plan=Plan(retry_set_aside=True))
    assert [task_of(r) for r in server.requests] == [("observatory", "graph door_code")]
    assert summary.finished == 1
    assert not (folder / "set-aside" / "observatory.json").exists()
    assert "REVIEWED" in path.read_text("utf-8")
    assert len(Dataset(folder).conversation("observatory").targets) == 6


NONSENSE: dict[str, Callable[[dict[str, Any]], Reply | str]] = {
    "prose": lambda _: "I am a small model and I like the sea.",
    "empty": lambda _: "",
    "half a JSON": lambda _: '{"targets": [{"name": "a", "target_turn_',
    "wrong types": lambda _: '{"targets": 7, "nodes": "all"}',
    "an array of junk": lambda _: "[1, [2], null]",
    "deep nesting": lambda _: '{"targets": ' + "[" * 5000,
    "no such turn": lambda _: (
        '{"targets": [{"name": "x", "target_turn_idx": 99, "target_text": "y"}]}'
    ),
}


@pytest.mark.parametrize("script", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_ends_set_aside(folder: Path, script: Script) -> None:
    with serving(script) as server:
        summary = run(folder, server.url)
    assert (summary.finished, summary.targets, summary.set_aside) == (2, 0, 2)
    assert summary.calls == 8
    for id in ("observatory", "refund"):
        (fault,) = set_aside(folder, id)
        assert fault["reasons"]
        assert len(fault["attempts"]) == 4
    assert Dataset(folder).conversation("refund").targets == ()


def every_other(fault: Reply) -> Script:
    """The recorded answers, each preceded by a fault."""
    recorded = Recorded()
    seen: set[str] = set()

    def script(request: dict[str, Any]) -> Reply | str:
        key = json.dumps(request["messages"])
        if key not in seen:
            seen.add(key)
            return fault
        return recorded(request)

    return script


FAULTS = {
    "429": Reply('{"error": {"message": "slow down"}}', 429, {"Retry-After": "0.05"}),
    "429 with a date": Reply("", 429, {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}),
    "500": Reply("<html>oops</html>", 500),
    "503 without a body": Reply("", 503),
    "half a body": Reply(json.dumps({"choices": [{"message": {"content": "x" * 500}}]}), cut=40),
    "hanging up": Reply(cut=0),
    "not JSON": Reply("<html>welcome to the proxy</html>"),
    "no choices": Reply("{}"),
    "an error with status 200": Reply('{"error": {"message": "overloaded"}}'),
    "a stream that breaks off": Reply(
        'data: {"choices": [{"delta": {"content": "{"}}]}\n\n',
        headers={"Content-Type": "text/event-stream"},
    ),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_passing_faults_leave_no_trace_in_the_result(
    folder: Path, fault: Reply, stream: bool
) -> None:
    with serving(every_other(fault)) as server:
        summary = run(folder, server.url, stream=stream)
    assert gold_bytes(folder) == gold_bytes(RECORDED)
    assert summary.calls == 15
    assert len(server.requests) >= 29


SILENCE = {
    "nothing at all": Reply(delay=1.0),
    "half an answer": Reply(completion("x" * 500), cut=300, pause=1.0),
    "half a stream": Reply(
        stream_of("x" * 500), headers={"Content-Type": "text/event-stream"}, cut=300, pause=1.0
    ),
}


@pytest.mark.parametrize("silence", SILENCE.values(), ids=SILENCE.keys())
def test_silence_is_cut_short_and_tried_again(folder: Path, silence: Reply) -> None:
    with serving(every_other(silence)) as server:
        run(folder, server.url, timeout=0.4, concurrency=8, tries=30, stream=silence.cut == 300)
    assert gold_bytes(folder) == gold_bytes(RECORDED)


def test_retry_after_holds_all_calls_back(folder: Path) -> None:
    recorded = Recorded()
    first: list[float] = []

    def script(request: dict[str, Any]) -> Reply | str:
        if not first:
            first.append(time.monotonic())
            return Reply("", 429, {"Retry-After": "0.25"})
        return recorded(request)

    with serving(script) as server:
        run(folder, server.url, concurrency=1)
    assert server.times[1] - first[0] >= 0.25
    assert server.most_at_once == 1


def test_no_more_calls_at_a_time_than_allowed(folder: Path) -> None:
    recorded = Recorded()

    def script(request: dict[str, Any]) -> Reply | str:
        return Reply(completion(recorded(request)), delay=0.03)

    with serving(script) as server:
        run(folder, server.url, concurrency=3)
    assert server.most_at_once == 3


def test_a_server_that_is_down_stops_the_run_and_loses_nothing(folder: Path) -> None:
    recorded = Recorded()
    answered: list[int] = []

    def script(request: dict[str, Any]) -> Reply | str:
        if len(answered) >= 5:
            return Reply("down for maintenance", 503)
        answered.append(1)
        return recorded(request)

    models = Models("annotator", price=Price(2.0, 10.0))
    with serving(script) as server:
        with pytest.raises(RunError, match=r"does not answer.*503.*maintenance.*Nothing that was"):
            run(folder, server.url, models=models, tries=2)
        assert not (folder / "gold" / "observatory.json").exists()
    with serving(recorded) as server:
        summary = run(folder, server.url, models=models)
    assert gold_bytes(folder) == gold_bytes(RECORDED)
    assert summary.calls == len(server.requests) == 10  # 15 in all, five of them finished before
    one = (100 * 2 + 10 * 10) / 1e6
    assert [summary.cost, summary.total_cost] == pytest.approx([10 * one, 15 * one])
    written = json.loads((folder / "annotation" / "run.json").read_bytes())["summary"]
    assert written["total_cost"] == pytest.approx(15 * one)


def test_who_was_asked_and_for_how_much_outlives_other_settings(folder: Path) -> None:
    with serving(Recorded()) as server:
        models = Models("annotator", price=Price(2.0, 10.0))
        first = run(folder, server.url, models=models, plan=Plan(limit=1), temperature=0.5)
    with serving(Recorded()) as other:
        models = Models("newcomer", price=Price(1.0, 1.0))
        second = run(folder, other.url, models=models)
    assert second.total_cost == pytest.approx(first.cost + second.cost)
    asked = json.loads((folder / "annotation" / "run.json").read_bytes())["asked"]
    assert [(entry["server"], entry["model"], entry.get("temperature")) for entry in asked] == [
        (server.url, "annotator", 0.5),
        (other.url, "newcomer", None),
    ]
    assert [entry["calls"] for entry in asked] == [first.calls, second.calls]
    assert [entry["cost"] for entry in asked] == pytest.approx([first.cost, second.cost])


def test_one_target_that_the_server_cannot_do_is_left_for_the_next_run(folder: Path) -> None:
    recorded = Recorded()

    def script(request: dict[str, Any]) -> Reply | str:
        if task_of(request)[1] == "graph qualifies":
            return Reply("out of memory", 500)
        return recorded(request)

    with serving(script) as server:
        summary = run(folder, server.url, tries=2)
    assert (summary.finished, summary.unfinished) == (1, 1)
    assert summary.faults == ["refund: the server answered 500: out of memory (2 tries)"]
    (fault,) = set_aside(folder, "refund")
    assert fault["is_unfinished"]
    assert not (folder / "gold" / "refund.json").exists()
    with serving(Recorded()) as server:
        run(folder, server.url)
    assert [task_of(r) for r in server.requests] == [("refund", "graph qualifies")]
    assert gold_bytes(folder) == gold_bytes(RECORDED)
    assert not (folder / "set-aside" / "refund.json").exists()


def test_a_conversation_too_long_for_the_model_is_set_aside(folder: Path) -> None:
    recorded = Recorded()

    def script(request: dict[str, Any]) -> Reply | str:
        if task_of(request)[0] == "observatory":
            return Reply('{"error": {"message": "maximum context length is 512 tokens"}}', 400)
        return recorded(request)

    with serving(script) as server:
        summary = run(folder, server.url)
    assert (summary.finished, summary.set_aside) == (2, 1)
    assert "maximum context length is 512" in set_aside(folder, "observatory")[0]["reasons"][0]
    assert all("response_format" in r for r in server.requests)  # length costs nobody the schema


@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "API key"), (403, "allow"), (404, "no such address or model"), (308, "another address")],
)
def test_hopeless_answers_stop_at_once(folder: Path, status: int, message: str) -> None:
    with serving(lambda _: Reply('{"detail": "no"}', status)) as server:
        with pytest.raises(RunError, match=message):
            run(folder, server.url, concurrency=1)
        assert len(server.requests) == 1


def test_gold_made_by_others_is_left_alone_unless_asked(folder: Path) -> None:
    path = folder / "gold" / "refund.json"
    path.parent.mkdir()
    path.write_text('{"conversation_id": "refund", "targets": []}', "utf-8")
    with serving(Recorded()) as server:
        summary = run(folder, server.url)
        assert summary.had_gold == 1
        assert path.read_text("utf-8") == '{"conversation_id": "refund", "targets": []}'
        run(folder, server.url, plan=Plan(overwrite=True))
    assert gold_bytes(folder) == gold_bytes(RECORDED)


def test_a_limit_takes_the_first_conversations(folder: Path) -> None:
    with serving(Recorded()) as server:
        run(folder, server.url, plan=Plan(limit=1))
    assert sorted(gold_bytes(folder)) == ["observatory.json"]


def test_a_torn_journal_costs_one_call(folder: Path) -> None:
    with serving(Recorded()) as server:
        run(folder, server.url)
    journal = folder / "annotation" / "calls.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    calls = [line for line in lines if b'"key"' in line]
    journal.write_bytes(b"".join(calls[:-1]) + calls[-1][:100])
    for path in (folder / "gold").iterdir():
        path.unlink()
    with serving(Recorded()) as server:
        server.script = lambda request: Recorded().answers[task_of(request)[0]][
            task_of(request)[1]
        ][-1]
        run(folder, server.url)
    assert len(server.requests) == 1
    assert gold_bytes(folder) == gold_bytes(RECORDED)


def test_two_runs_in_one_folder_do_not_mix(folder: Path) -> None:
    from tokengeist.bench.annotation.journal import Journal

    journal = Journal(folder / "annotation")
    try:
        with pytest.raises(RunError, match="another process is writing"):
            run(folder, "http://127.0.0.1:9/v1")
    finally:
        journal.close()


def command(folder: Path, url: str, *options: str) -> list[str]:
    base = [sys.executable, "-m", "tokengeist.cli.main", "annotate", str(folder)]
    return [*base, "--base-url", url, "--model", "annotator", *options]


def environment(**more: str) -> dict[str, str]:
    source = str(Path(__file__).parents[3] / "src")
    return {k: v for k, v in os.environ.items() if not k.startswith("OPENAI")} | {
        "PYTHONPATH": source,
        **more,
    }


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_repeats_no_finished_call(folder: Path, kill: signal.Signals) -> None:
    recorded = Recorded()

    def slowly(request: dict[str, Any]) -> Reply | str:
        return Reply(completion(recorded(request)), delay=0.05)

    with serving(slowly) as server:
        arguments = command(folder, server.url, "--concurrency", "1")
        process = subprocess.Popen(
            arguments, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        journal = folder / "annotation" / "calls.jsonl"
        while not journal.exists() or journal.read_bytes().count(b"\n") < 6:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(kill)
        output = process.communicate(timeout=20)[0].decode()
        if kill == signal.SIGINT:
            assert process.returncode == 130
            assert "Traceback" not in output
        finished = [line for line in journal.read_bytes().splitlines() if b'"key"' in line]
        keys = {json.loads(line)["key"] for line in finished}
        before = len(server.requests)
        server.script = recorded
        for task in list(recorded.asked):
            done = sum(json.loads(x)["task"] == task[1] for x in finished)
            recorded.asked[task] = min(recorded.asked[task], done)
        subprocess.run(arguments, env=environment(), check=True, timeout=60, capture_output=True)
        after = len(server.requests) - before
    assert gold_bytes(folder) == gold_bytes(RECORDED)
    assert after == 15 - len(keys)


def test_the_api_key_is_sent_and_written_nowhere(folder: Path, tmp_path: Path) -> None:
    key = "sk-test-7f3b9c"

    def echoing(request: dict[str, Any]) -> Reply | str:
        if task_of(request)[0] == "refund":
            return Reply(json.dumps({"error": {"message": f"bad key {key}"}}), 400)
        return f'{{"targets": [{{"name": "{key}"}}]}} your key is {key}'

    with serving(echoing) as server:
        done = subprocess.run(
            command(folder, server.url, "--api-key-env", "MY_KEY", "--json"),
            env=environment(MY_KEY=key),
            check=True,
            timeout=60,
            capture_output=True,
        )
    assert {h["Authorization"] for h in server.headers} == {f"Bearer {key}"}
    assert key.encode() not in done.stdout + done.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 5
    assert [path for path in written if key.encode() in path.read_bytes()] == []
    assert b"[API key]" in (folder / "annotation" / "calls.jsonl").read_bytes()
    assert json.loads(done.stdout)["set_aside"] == 2


KEY = "sk-test-7f3b9c1d5e"
LEAKS = {
    "cut in two by shortening": Reply("x" * 290 + KEY, 400),
    "in what is no JSON": Reply("y" * 290 + KEY),
    "in a stream that is none": Reply(
        "data: " + "z" * 290 + KEY + "\n\n", headers={"Content-Type": "text/event-stream"}
    ),
    "in pieces of a stream": Reply(
        stream_of(f"a {KEY} b", step=5), headers={"Content-Type": "text/event-stream"}
    ),
    "as why the model stopped": Reply(completion("x", finish=KEY)),
    "with a refused key": Reply(json.dumps({"error": f"{KEY} is unknown"}), 401),
}


@pytest.mark.parametrize("reply", LEAKS.values(), ids=LEAKS.keys())
def test_not_even_half_of_the_key_is_kept_or_shown(folder: Path, reply: Reply) -> None:
    with serving(lambda _: reply) as server:
        done = subprocess.run(
            command(folder, server.url, "--tries", "1", "--limit", "1", "--stream", "--json"),
            env=environment(OPENAI_API_KEY=KEY),
            timeout=60,
            capture_output=True,
        )
    kept = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert KEY[:8].encode() not in b"".join([done.stdout, done.stderr, *kept])
    assert any(b"[API" in text for text in (done.stdout, done.stderr, *kept))


def test_a_password_in_the_address_is_not_written(folder: Path) -> None:
    with serving(Recorded()) as server:
        url = server.url.replace("http://", "http://ada:hunter2@") + "?token=hunter2"
        run(folder, url, plan=Plan(limit=1))
    for path in folder.rglob("*.json*"):
        assert "hunter2" not in path.read_text("utf-8")
    assert json.loads((folder / "annotation" / "run.json").read_bytes())["server"] == server.url


def test_own_prompts_replace_the_bundled_ones(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    own.mkdir()
    (own / "targets.md").write_text("Lindhorn? Pick spans from\n{{conversation}}", "utf-8")
    words = Prompts.load(own)
    assert words.graph == Prompts.load().graph
    with serving(lambda _: "no") as server:
        annotate(
            Dataset(folder),
            ServerSettings(server.url),
            Models("m", retries=0),
            prompts=words,
            plan=Plan(limit=1),
        )
    assert server.requests[0]["messages"][0]["content"].startswith("Lindhorn? Pick spans from\n===")


@pytest.mark.parametrize(
    ("text", "message"),
    [("no placeholder", "lacks {{conversation}}"), ("{{conversation}} {{x}}", "may use conv")],
)
def test_prompts_that_cannot_work_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "targets.md").write_text(text, "utf-8")
    with pytest.raises(RunError, match=message):
        Prompts.load(tmp_path)
