"""Ray Data: a pool of actors, one backend each, on this machine or on a cluster.

What Ray would do by itself and must not, and how it is kept from it:

- An exception in an actor ends the whole data set: the worker turns it into error rows.
- Ray restarts a dead actor and gives it its conversation back, for ever if that is what killed it:
  a small actor of ours counts attempts that were begun and not ended, and the fourth is not made.
- Actors that hold every CPU starve everything upstream of them: they take a fraction of a CPU
  unless told otherwise, and the only thing upstream is the list of conversations. A repartition
  there would hang.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from tokengeist import errors
from tokengeist.bench.engines import ATTEMPTS
from tokengeist.bench.worker import Finished, Job, Method, Worker, failed
from tokengeist.errors import RunError, TokengeistError, missing_extra

DEFAULT_CPUS = 0.5
MOST_BLOCKS = 1000
"""A block is what is repeated when an actor dies; one per conversation up to this many."""


@dataclass
class RayEngine:
    """A Ray cluster: the one at `address`, or one of `workers` CPUs on this machine."""

    workers: int = 2
    address: str | None = None
    cpus: float = DEFAULT_CPUS
    """CPUs that each actor asks for. Each asks for a GPU, too, where the cluster has any."""
    name: str = field(default="ray", init=False)

    def run(self, method: Method, jobs: Iterable[Job]) -> Generator[Finished, None, None]:
        # Ray keeps the conversations in its object store, which spills to disk when it is full.
        rows = [{"id": j.id, "conversation": j.conversation, "gold": j.gold} for j in jobs]
        with self._connected():
            from ray.data.exceptions import SystemException
            from ray.exceptions import RayError

            try:
                yield from self._work(method, rows)
            except (RayError, SystemException) as error:
                raise RunError(
                    f"the Ray cluster failed: {error}. Run the same command again to continue"
                ) from error

    def _work(self, method: Method, rows: list[dict[str, Any]]) -> Iterator[Finished]:
        import ray

        blocks = min(len(rows), MOST_BLOCKS)
        has_gpus = bool(ray.cluster_resources().get("GPU"))
        attempts = ray.remote(_Attempts).options(num_cpus=0).remote()
        data = ray.data.from_items(rows, override_num_blocks=blocks).map_batches(
            _Actor,
            fn_constructor_kwargs={"method": method, "attempts": attempts},
            compute=ray.data.ActorPoolStrategy(size=min(self.workers, blocks)),
            batch_size=1,
            num_cpus=self.cpus,
            num_gpus=1 if has_gpus else None,
        )
        for row in data.iter_rows():
            yield _unpack(row["result"])

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """A connection to Ray, closed again if it was opened here."""
        try:
            import ray
            import ray.data
        except ImportError as error:
            raise missing_extra("running on Ray", "ray") from error
        is_ours = not ray.is_initialized()
        if is_ours:
            local = {"num_cpus": self.workers, "include_dashboard": False}
            try:
                ray.init(
                    address=self.address or "local",
                    log_to_driver=False,
                    logging_level=logging.CRITICAL,
                    **({} if self.address else local),
                )
            except (ConnectionError, RuntimeError, ValueError) as error:
                where = f"at {self.address}" if self.address else "on this machine"
                hint = ". A cluster with token authentication needs RAY_AUTH_MODE=token here, too"
                raise RunError(
                    f"no Ray cluster {where}: {error}{hint if self.address else ''}"
                ) from error
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            if is_ours:
                ray.shutdown()


class _Attempts:
    """Counts, for each conversation, the attempts that were begun and not ended."""

    def __init__(self) -> None:
        self._begun: Counter[str] = Counter()

    def begin(self, id: str) -> int:
        self._begun[id] += 1
        return self._begun[id]

    def end(self, id: str) -> None:
        self._begun[id] -= 1


class _Actor:
    """A worker as Ray Data wants it: batches in, batches out."""

    def __init__(self, method: Method, attempts: Any) -> None:
        self._attempts = attempts
        self._worker: Worker | None = None
        self._problem: TokengeistError | None = None
        try:
            self._worker = Worker(method)
        except TokengeistError as error:  # as a result it reaches the user in one piece
            self._problem = error

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        jobs = zip(batch["id"], batch["conversation"], batch["gold"], strict=True)
        return {"result": [self._do(Job(str(i), bytes(c), bytes(g))) for i, c, g in jobs]}

    def _do(self, job: Job) -> str:
        import ray

        if self._worker is None:
            return json.dumps({"kind": type(self._problem).__name__, "said": str(self._problem)})
        if ray.get(self._attempts.begin.remote(job.id)) > ATTEMPTS:
            finished = failed(job, f"{ATTEMPTS} workers died of it")
        else:
            finished = self._worker(job)
            ray.get(self._attempts.end.remote(job.id))
        return json.dumps(asdict(finished))


def _unpack(result: str) -> Finished:
    found = json.loads(result)
    if "kind" in found:
        raise getattr(errors, found["kind"], RunError)(found["said"])
    evidence = tuple(found["evidence"])
    return Finished(found["id"], tuple(found["lines"]), evidence, found["spec"])
