"""Where the work of a run happens: here, in other processes, or on a Ray cluster.

An engine takes jobs and gives back finished conversations, in any order. It never loses one and
never lets one end the run: a conversation that keeps killing its worker comes back as an error.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Protocol

from tokengeist.bench.worker import Finished, Job, Method, Worker

ATTEMPTS = 3
"""How often a conversation may take its worker down with it before it counts as failed."""


class Engine(Protocol):
    """Something that gets jobs done."""

    @property
    def name(self) -> str: ...

    def run(self, method: Method, jobs: Iterable[Job]) -> Generator[Finished, None, None]:
        """Do all jobs, taking them as they are needed. Closing the iterator stops the work."""
        ...


class InlineEngine:
    """One conversation after the other, in this process."""

    name = "inline"

    def run(self, method: Method, jobs: Iterable[Job]) -> Generator[Finished, None, None]:
        worker = Worker(method)
        for job in jobs:
            yield worker(job)
