"""Several worker processes on this machine, each with its own copy of the backend.

A pool of the standard library breaks as a whole when one of its processes dies and cannot say whose
fault it was. Here every worker has a pipe of its own, so it is always known which conversation died
with which worker: it is tried again on a fresh one, and named if it keeps doing that.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from tokengeist.bench.engines import ATTEMPTS
from tokengeist.bench.worker import Finished, Job, Method, Worker, failed
from tokengeist.errors import RunError, TokengeistError


@dataclass(eq=False)
class _Member:
    process: SpawnProcess
    pipe: Connection
    job: Job | None = None
    is_ready: bool = False


@dataclass
class ProcessEngine:
    """A given number of worker processes."""

    workers: int
    name: str = field(default="processes", init=False)

    def run(self, method: Method, jobs: Iterable[Job]) -> Generator[Finished, None, None]:
        coming = iter(jobs)
        again: deque[Job] = deque()
        deaths: dict[str, int] = {}
        members = [_start(method, self.workers) for _ in range(self.workers)]
        try:
            while True:
                for member in members:
                    if member.is_ready and member.job is None:
                        _assign(member, again.popleft() if again else next(coming, None))
                busy = [m for m in members if m.job is not None or not m.is_ready]
                if not busy:
                    return
                ready = set(wait([member.pipe for member in busy]))
                for member in [m for m in busy if m.pipe in ready]:
                    message = _receive(member)
                    if isinstance(message, TokengeistError):
                        raise message
                    if isinstance(message, Finished):
                        member.job = None
                        yield message
                    elif message is True:
                        member.is_ready = True
                    else:  # the worker is gone
                        job = member.job
                        _stop(member)
                        if job is None:
                            raise RunError(
                                "a worker died while it was starting "
                                f"(exit code {member.process.exitcode}); is there enough memory "
                                f"for {self.workers} copies of the model?"
                            )
                        members[members.index(member)] = _start(method, self.workers)
                        deaths[job.id] = deaths.get(job.id, 0) + 1
                        if deaths[job.id] < ATTEMPTS:
                            again.append(job)
                        else:
                            code = member.process.exitcode
                            yield failed(job, f"{ATTEMPTS} workers died of it (exit code {code})")
        finally:
            for member in members:
                _stop(member)


def _start(method: Method, workers: int) -> _Member:
    context = get_context("spawn")  # a forked copy of a loaded torch is not safe to use
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(method, theirs, workers), daemon=True)
    process.start()
    theirs.close()
    return _Member(process, ours)


def _stop(member: _Member) -> None:
    member.pipe.close()
    member.process.terminate()
    member.process.join()


def _assign(member: _Member, job: Job | None) -> None:
    if job is None:
        return
    member.job = job
    with suppress(OSError):  # it may have died just now; receiving will say so
        member.pipe.send(job)


def _receive(member: _Member) -> object:
    try:
        return member.pipe.recv()
    except (EOFError, OSError):
        return None


def _work(method: Method, pipe: Connection, workers: int) -> None:
    """The life of a worker: say that it is ready, then one job after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which stops its workers
    threads = max(1, (os.cpu_count() or 1) // workers)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # before anything imports torch
    try:
        worker = Worker(method)
    except TokengeistError as error:
        pipe.send(error)
        return
    try:
        pipe.send(True)
        while True:
            pipe.send(worker(pipe.recv()))
    except (EOFError, OSError):
        return  # the run is gone
