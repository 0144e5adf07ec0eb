"""Traces on their way: one reading at a time, watched by every tab.

Two threads work. One serves backends without a model, which answer at once; the other serves all
backends with one, and the check on finished graphs, in the order of asking, so that there are never
two models in memory.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from typing import Any

from tokengeist.api import settings_for
from tokengeist.attribution.cached import answers_key
from tokengeist.attribution.registry import BackendOptions, backends
from tokengeist.errors import TokengeistError, UnknownNameError
from tokengeist.export.graph_file import from_json
from tokengeist.export.page import step_json, trace_json
from tokengeist.export.terminal import CAVEAT
from tokengeist.progress import watching
from tokengeist.server.reader import Reader
from tokengeist.server.store import TraceStore
from tokengeist.tracer import Step, collect
from tokengeist.transcript import Target, Transcript

_MOST_WAITING = 50
_FINISHED_KEPT = 50


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    READING = "reading"
    TRACING = "tracing"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class _CancelledError(Exception):
    """Raised inside the work of a job that nobody wants any more."""


@dataclass
class Job:
    """One trace on its way."""

    conversation: str
    transcript: Transcript
    target: Target
    backend: str
    verifies: str | None = None
    """The id of the finished trace whose edges are put to the test; None for one to be made."""
    edges: frozenset[tuple[int, int]] = frozenset()
    """Which edges, by dependent and source."""
    id: str = field(default_factory=lambda: secrets.token_hex(6))
    state: JobState = JobState.QUEUED
    what: str = ""
    done: int = 0
    total: int = 0
    error: str | None = None
    steps: list[Step] = field(default_factory=list)
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def is_over(self) -> bool:
        return self.state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)

    @cached_property
    def needs_model(self) -> bool:
        """Which of the two threads does it; looked up once, as it is asked of every job in line."""
        if self.verifies is not None:
            return True
        known = backends().get(self.backend)
        return known is not None and known.needs_model

    def asks_as(self, other: Job) -> bool:
        """Whether the two would give the same trace."""
        return self._asked() == other._asked()

    def _asked(self) -> tuple[object, ...]:
        return self.transcript.fingerprint, self.target, self.backend, self.verifies, self.edges


CLOSED = "closed"
"""The last event: nothing will happen any more."""

Listener = Callable[[str, dict[str, Any]], None]
"""Called with the kind of an event and its data, from any thread."""


class JobQueue:
    """Takes jobs, works them off, and tells listeners."""

    def __init__(self, store: TraceStore, options: BackendOptions | None = None) -> None:
        self._store = store
        self._options = options or BackendOptions()
        self._changed = threading.Condition(threading.RLock())
        self._jobs: list[Job] = []
        self._listeners: list[Listener] = []
        self._closed = False
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the two threads."""
        for needs_model in (False, True):
            thread = threading.Thread(
                target=self._work, args=(needs_model,), name="tracing", daemon=True
            )
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """Cancel everything and let the threads end."""
        with self._changed:
            self._closed = True
            for job in self._jobs:
                job.cancelled.set()
            self._tell(CLOSED, {})
            self._changed.notify_all()

    def has_ended(self, *, within: float) -> bool:
        """Whether the threads of a closed queue end in so many seconds."""
        deadline = time.monotonic() + within
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` what is going on now and whatever happens; returns how to stop."""
        with self._changed:
            listener("snapshot", {"jobs": [self._json(job, steps=True) for job in self._jobs]})
            self._listeners.append(listener)

        def stop() -> None:
            with self._changed:
                self._listeners.remove(listener)

        return stop

    def ask(
        self, conversation: str, transcript: Transcript, target: Target, backend: str
    ) -> dict[str, Any]:
        """Start a trace, unless it was made before or is on its way already."""
        known = self._store.find(transcript.fingerprint, self._question(target, backend))
        if known is not None:
            self._tell("trace", {"conversation": conversation, "trace": known})
            return {"trace": known}
        return self._enqueue(Job(conversation, transcript, target, backend))

    def verify(
        self,
        conversation: str,
        transcript: Transcript,
        trace: str,
        edges: frozenset[tuple[int, int]],
    ) -> dict[str, Any]:
        """Put edges of a trace that was made here to the test."""
        graph, _ = from_json(self._kept(transcript, trace)["graph"])
        job = Job(conversation, transcript, graph.target, graph.spec.name, trace, edges)
        return self._enqueue(job)

    def _kept(self, transcript: Transcript, trace: str) -> dict[str, Any]:
        for found in self._store.traces_of(transcript.fingerprint):
            if found["id"] == trace:
                return found
        raise UnknownNameError("only a trace that was made on this page can be verified")

    def _enqueue(self, job: Job) -> dict[str, Any]:
        with self._changed:
            running = next((j for j in self._jobs if not j.is_over and j.asks_as(job)), None)
            if running is not None:
                return {"job": self._json(running)}
            if sum(not j.is_over for j in self._jobs) >= _MOST_WAITING:
                raise TokengeistError(
                    f"{_MOST_WAITING} traces are waiting already; cancel some of them first"
                )
            finished = [j for j in self._jobs if j.is_over]
            for old in finished[: max(0, len(finished) - _FINISHED_KEPT)]:
                self._jobs.remove(old)
            self._jobs.append(job)
            self._tell_job(job)
            self._changed.notify_all()
            return {"job": self._json(job)}

    def cancel(self, id: str) -> bool:
        """Cancel a job; false where there is none to cancel."""
        with self._changed:
            job = next((j for j in self._jobs if j.id == id and not j.is_over), None)
            if job is None:
                return False
            job.cancelled.set()
            if job.state is JobState.QUEUED:
                self._end(job, JobState.CANCELLED)
            return True

    def _work(self, needs_model: bool) -> None:
        reader = Reader(self._options)
        while True:
            with self._changed:
                while not (job := self._next(needs_model)) and not self._closed:
                    self._changed.wait()
                if self._closed or job is None:
                    return
                job.state = JobState.READING
                job.what = "loading"
                self._tell_job(job)
            try:
                with watching(partial(self._watch, job)):
                    if job.verifies is None:
                        self._trace(job, reader)
                    else:
                        self._verify(job, job.verifies, reader)
            except _CancelledError:
                self._end(job, JobState.CANCELLED)
            except TokengeistError as error:
                self._end(job, JobState.FAILED, str(error))
            except Exception as error:  # whatever a backend does must not end the thread
                self._end(job, JobState.FAILED, f"{type(error).__name__}: {error}")

    def _next(self, needs_model: bool) -> Job | None:
        for job in self._jobs:
            if job.state is JobState.QUEUED and job.needs_model == needs_model:
                return job
        return None

    def _trace(self, job: Job, reader: Reader) -> None:
        tracer = reader.tracer(job.transcript, job.backend)
        question = self._question(job.target, job.backend)
        with self._changed:
            job.state = JobState.TRACING
            self._tell_job(job)
        for step in tracer.steps(job.target):
            _check(job)
            with self._changed:
                job.steps.append(step)
                self._tell("step", {"job": job.id, "step": step_json(step)})
        graph = collect(tracer, job.target, job.steps)
        trace = trace_json(
            graph, job.transcript, settings_for(job.backend).view, id=job.id, steps=job.steps
        )
        self._store.keep(job.transcript.fingerprint, question, trace)
        self._tell("trace", {"conversation": job.conversation, "trace": trace})
        self._end(job, JobState.DONE)

    def _verify(self, job: Job, id: str, reader: Reader) -> None:
        from tokengeist.verification import verify

        # Read now, not when it was asked for: other edges may have been tested since.
        trace = self._kept(job.transcript, id)
        graph, view = from_json(trace["graph"])
        tested = verify(graph, job.transcript, reader.model(), edges=job.edges)
        told = trace_json(tested, job.transcript, view, id=id, name=trace["name"])
        told["steps"] = trace["steps"]
        self._store.replace(told)
        self._tell("trace", {"conversation": job.conversation, "trace": told})
        self._end(job, JobState.DONE)

    def _watch(self, job: Job, what: str, done: int, total: int) -> None:
        _check(job)
        with self._changed:
            job.what, job.done, job.total = what, done, total
            self._tell_job(job)

    def _end(self, job: Job, state: JobState, error: str | None = None) -> None:
        with self._changed:
            job.state, job.error = state, error
            self._tell_job(job)
            for other in self._jobs:  # everybody moves up
                if other.state is JobState.QUEUED:
                    self._tell_job(other)

    def _tell_job(self, job: Job) -> None:
        self._tell("job", self._json(job))

    def _tell(self, kind: str, data: dict[str, Any]) -> None:
        for listener in tuple(self._listeners):
            listener(kind, data)

    def _json(self, job: Job, *, steps: bool = False) -> dict[str, Any]:
        return {
            "id": job.id,
            "conversation": job.conversation,
            "turn": job.target.turn,
            "spans": [{"start": s.start, "end": s.end} for s in job.target.spans],
            "backend": job.backend,
            "view": settings_for(job.backend).view.to_json(),
            "caveat": CAVEAT,
            "state": job.state.value,
            "ahead": self._ahead_of(job),
            "what": job.what,
            "done": job.done,
            "total": job.total,
            "error": job.error,
            "steps": [step_json(step) for step in job.steps] if steps else [],
        }

    def _ahead_of(self, job: Job) -> int:
        """How many jobs of its thread stand before it."""
        if job.state is not JobState.QUEUED:
            return 0
        count = 0
        for other in self._jobs:
            if other is job:
                break
            count += not other.is_over and other.needs_model == job.needs_model
        return count

    def _question(self, target: Target, backend: str) -> str:
        spans = ",".join(f"{span.start}-{span.end}" for span in target.spans)
        key = answers_key(backend, self._options)
        return f"{target.turn}:{spans}|{backend}|{settings_for(backend)!r}|{key}"


def _check(job: Job) -> None:
    if job.cancelled.is_set():
        raise _CancelledError
