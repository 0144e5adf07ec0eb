"""One reading at a time, watched, cancelled, kept."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.server.slow import Brake
from tokengeist.attribution.registry import BackendOptions
from tokengeist.errors import TokengeistError
from tokengeist.graph import ProvenanceGraph
from tokengeist.server.jobs import JobQueue
from tokengeist.server.reader import Reader
from tokengeist.server.store import TraceStore
from tokengeist.transcript import Span, Target, Transcript, locate_target

Event = tuple[str, dict[str, Any]]


@pytest.fixture
def jobs() -> Iterator[JobQueue]:
    """A working queue over a store that forgets."""
    store = TraceStore(None)
    working = JobQueue(store)
    working.start()
    yield working
    working.close()


@pytest.fixture
def events(jobs: JobQueue) -> queue.Queue[Event]:
    """Everything that the queue says."""
    heard: queue.Queue[Event] = queue.Queue()
    jobs.listen(lambda kind, data: heard.put((kind, data)))
    return heard


def until(events: queue.Queue[Event], kind: str, **wanted: object) -> dict[str, Any]:
    """Wait for an event."""
    while True:
        found, data = events.get(timeout=240)  # a real model may have to be loaded meanwhile
        if found == kind and all(data.get(key) == value for key, value in wanted.items()):
            return data


def test_a_trace_arrives_step_by_step(
    jobs: JobQueue, events: queue.Queue[Event], refund: Transcript
) -> None:
    """First the job, then its steps, then the graph."""
    target = locate_target(refund, turn=4)
    jobs.ask("key", refund, target, "lexical")
    steps = [until(events, "step") for _ in range(3)]
    assert steps[0]["step"]["turn"] == 4
    trace = until(events, "trace")["trace"]
    assert trace["graph"]["method"]["backend"] == "lexical"
    assert trace["steps"][0]["candidates"]
    until(events, "job", state="done")


def test_the_same_question_is_answered_from_the_store(
    jobs: JobQueue, events: queue.Queue[Event], refund: Transcript
) -> None:
    """Nothing is traced twice."""
    target = locate_target(refund, turn=4)
    jobs.ask("key", refund, target, "lexical")
    until(events, "job", state="done")
    again = jobs.ask("key", refund, target, "lexical")
    assert again["trace"]["graph"]["target"]["turn"] == 4


def test_another_model_or_version_is_asked_again(
    tmp_path: Path, refund: Transcript, slow_backend: Brake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same path with other weights in it, with the server running or not, is another model."""
    slow_backend.release.set()
    (tmp_path / "config.json").write_text("{}")
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"old")
    store, target = TraceStore(None), locate_target(refund, turn=4)
    heard: queue.Queue[Event] = queue.Queue()
    working = JobQueue(store, BackendOptions(model=str(tmp_path)))
    working.listen(lambda kind, data: heard.put((kind, data)))
    working.start()

    def is_read_anew() -> bool:
        before = slow_backend.readings
        if "job" in working.ask("key", refund, target, "slow"):
            until(heard, "job", state="done")
        return slow_backend.readings > before

    assert is_read_anew()
    assert not is_read_anew()
    weights.write_bytes(b"new")
    assert is_read_anew()
    assert not is_read_anew()
    monkeypatch.setattr("tokengeist.attribution.cached.version", lambda _: "another")
    assert is_read_anew()
    working.close()


def test_readings_queue_up_and_only_one_model_is_in_memory(
    jobs: JobQueue, events: queue.Queue[Event], refund: Transcript, slow_backend: Brake
) -> None:
    """A second reading waits, the instant method does not."""
    first = locate_target(refund, turn=4)
    second = locate_target(refund, turn=3)
    jobs.ask("key", refund, first, "slow")
    assert slow_backend.reading.wait(20)
    waiting = jobs.ask("key", refund, second, "slow-too")["job"]
    assert (waiting["state"], waiting["ahead"]) == ("queued", 1)
    jobs.ask("key", refund, second, "lexical")
    until(events, "job", backend="lexical", state="done")
    slow_backend.release.set()
    until(events, "job", id=waiting["id"], state="done")
    assert slow_backend.most_alive == 1


def test_one_reading_answers_every_question_about_a_transcript(
    jobs: JobQueue, events: queue.Queue[Event], refund: Transcript, slow_backend: Brake
) -> None:
    """The model reads once."""
    slow_backend.release.set()
    for turn in (4, 3):
        jobs.ask("key", refund, locate_target(refund, turn=turn), "slow")
        until(events, "job", turn=turn, state="done")
    assert slow_backend.readings == 1


def test_a_second_listener_sees_the_same(
    jobs: JobQueue, events: queue.Queue[Event], refund: Transcript, slow_backend: Brake
) -> None:
    """A tab that is opened later starts with what is going on."""
    job = jobs.ask("key", refund, locate_target(refund, turn=4), "slow")["job"]
    assert slow_backend.reading.wait(20)
    heard: queue.Queue[Event] = queue.Queue()
    stop = jobs.listen(lambda kind, data: heard.put((kind, data)))
    kind, snapshot = heard.get(timeout=20)
    assert kind == "snapshot"
    assert [(j["id"], j["state"]) for j in snapshot["jobs"]] == [(job["id"], "reading")]
    slow_backend.release.set()
    until(heard, "trace")
    stop()


@pytest.mark.parametrize("started", [True, False])
def test_cancel(
    jobs: JobQueue,
    events: queue.Queue[Event],
    refund: Transcript,
    slow_backend: Brake,
    started: bool,
) -> None:
    """In the middle of a reading, and before it has begun."""
    running = jobs.ask("key", refund, locate_target(refund, turn=4), "slow")["job"]
    assert slow_backend.reading.wait(20)
    waiting = jobs.ask("key", refund, locate_target(refund, turn=3), "slow")["job"]
    chosen = running if started else waiting
    assert jobs.cancel(chosen["id"])
    until(events, "job", id=chosen["id"], state="cancelled")
    assert not jobs.cancel(chosen["id"])
    slow_backend.release.set()
    other = waiting if started else running
    until(events, "job", id=other["id"], state="done")


def test_a_failure_is_told_and_the_queue_goes_on(
    jobs: JobQueue,
    events: queue.Queue[Event],
    refund: Transcript,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A backend may do anything; the next trace is made all the same."""
    from tokengeist.server import reader

    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(reader, "create_attributor", fail)
    jobs.ask("key", refund, locate_target(refund, turn=4), "lexical")
    assert "oh" in until(events, "job", state="failed")["error"]
    monkeypatch.undo()
    jobs.ask("key", refund, locate_target(refund, turn=4), "lexical")
    until(events, "job", state="done")


def test_the_line_is_not_endless(jobs: JobQueue, refund: Transcript, slow_backend: Brake) -> None:
    """Too many waiting traces are refused, the same one asked again is not a new one."""
    spans = [Span(0, end) for end in range(1, 52)]
    for span in spans[:50]:
        jobs.ask("key", refund, Target(3, (span,)), "slow")
    with pytest.raises(TokengeistError, match="waiting already"):
        jobs.ask("key", refund, Target(3, (spans[50],)), "slow")
    assert "job" in jobs.ask("key", refund, Target(3, (spans[0],)), "slow")
    jobs.close()


def test_the_store_outlives_the_server(tmp_path: Path, refund: Transcript) -> None:
    """Kept in a file, found by content, safe from several threads."""
    path = tmp_path / "deep" / "traces.sqlite"
    store = TraceStore(path)
    threads = [
        threading.Thread(target=store.keep, args=("f", f"q{n}", {"id": f"t{n}"})) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    again = TraceStore(path)
    assert len(again.traces_of("f")) == 8
    assert again.find("f", "q3") == {"id": "t3"}
    assert again.find("g", "q3") is None
    again.close()


def test_a_store_that_is_none(tmp_path: Path) -> None:
    """A file that is something else is not overwritten."""
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and quite long enough to be taken for none " * 20)
    with pytest.raises(TokengeistError, match="cannot be used"):
        TraceStore(path)


def test_a_finished_graph_is_put_to_the_test(
    events: queue.Queue[Event], jobs: JobQueue, refund: Transcript, slow_backend: Brake
) -> None:
    """By the real model, after what waits before it, and with no other model in memory."""
    target = locate_target(refund, "full refund", turn=4)
    jobs.ask("key", refund, target, "lexical")
    trace = until(events, "trace")["trace"]
    edge = next(e for e in trace["graph"]["edges"] if e["kind"] == "attribution")
    edges = frozenset({(edge["dependent"], edge["source"])})
    with pytest.raises(TokengeistError, match="made on this page"):
        jobs.verify("key", refund, "another", edges)
    jobs.ask("key", refund, locate_target(refund, turn=3), "slow")
    assert slow_backend.reading.wait(20)
    job = jobs.verify("key", refund, trace["id"], edges)["job"]
    assert (job["state"], job["ahead"]) == ("queued", 1)
    assert jobs.verify("key", refund, trace["id"], edges)["job"]["id"] == job["id"]
    slow_backend.release.set()
    until(events, "trace")
    tested = until(events, "trace")["trace"]
    assert not slow_backend.alive
    assert (tested["id"], tested["steps"]) == (trace["id"], trace["steps"])
    judged = [e for e in tested["graph"]["edges"] if e["confirmation"] is not None]
    assert [(e["dependent"], e["source"]) for e in judged] == list(edges)
    assert jobs.ask("key", refund, target, "lexical")["trace"] == tested  # and kept


def test_the_verdicts_of_two_tests_stand_together(
    events: queue.Queue[Event],
    jobs: JobQueue,
    refund: Transcript,
    slow_backend: Brake,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second was asked for before the first was over, and keeps what that found."""

    def confirm(
        graph: ProvenanceGraph, *_: object, edges: frozenset[tuple[int, int]]
    ) -> ProvenanceGraph:
        tested = (
            replace(edge, drop=1.0) if (edge.dependent, edge.source) in edges else edge
            for edge in graph.edges
        )
        return replace(graph, edges=tuple(tested))

    monkeypatch.setattr("tokengeist.verification.verify", confirm)
    monkeypatch.setattr(Reader, "model", lambda _: None)
    target = locate_target(refund, turn=4)
    jobs.ask("key", refund, target, "lexical")
    trace = until(events, "trace")["trace"]
    edges = [(edge["dependent"], edge["source"]) for edge in trace["graph"]["edges"]][:2]
    jobs.ask("key", refund, locate_target(refund, turn=3), "slow")
    assert slow_backend.reading.wait(20)
    for edge in edges:
        last = jobs.verify("key", refund, trace["id"], frozenset({edge}))["job"]
    slow_backend.release.set()
    until(events, "job", id=last["id"], state="done")
    kept = jobs.ask("key", refund, target, "lexical")["trace"]["graph"]["edges"]
    assert [(e["dependent"], e["source"]) for e in kept if e["drop"] is not None] == edges


def test_a_method_that_cannot_read_with_the_named_model_uses_its_own(refund: Transcript) -> None:
    """A sentence model is for `blend`, and `attention` can be chosen in the page all the same."""
    reader = Reader(BackendOptions(model="minilm"))
    assert reader.tracer(refund, "blend").spec.model == "minilm"
    assert reader.tracer(refund, "attention").spec.model == "smollm2"
