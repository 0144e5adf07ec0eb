"""From one conversation to its predictions: what every engine does, wherever it does it.

A job carries the conversation itself rather than a path, so that a worker on another machine needs
no shared disk, and nothing in a job can stop a run: whatever goes wrong with a conversation becomes
the `error` of its predictions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

from tokengeist.api import Settings
from tokengeist.attribution.protocol import Attributor
from tokengeist.attribution.registry import BackendOptions, create_attributor
from tokengeist.bench.dataset import Conversation, parse_conversation, parse_gold
from tokengeist.bench.evidence import Evidence
from tokengeist.bench.predictions import Prediction
from tokengeist.extraction import View
from tokengeist.segmentation import Granularity, segment
from tokengeist.tracer import Recurse, TraceOptions, Tracer


@dataclass(frozen=True, slots=True)
class Method:
    """What is measured: a backend with its options, and how its scores become graphs."""

    backend: str
    options: BackendOptions = field(default_factory=BackendOptions)
    settings: Settings = field(default_factory=Settings)

    @property
    def is_flat(self) -> bool:
        """Whether nothing is traced beyond the first hop."""
        return self.settings.trace.max_depth == 1

    def json(self) -> dict[str, Any]:
        """As a plain object, for `meta.json` and for telling two methods apart."""
        return {
            "backend": self.backend,
            "options": asdict(self.options),
            "trace": asdict(self.settings.trace),
            "view": asdict(self.settings.view),
            "granularity": str(self.settings.granularity),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Method:
        """From what `json` gave."""
        trace = TraceOptions(**(data["trace"] | {"recurse": Recurse(data["trace"]["recurse"])}))
        view = View.from_json(data["view"])
        settings = Settings(trace, view, Granularity(data["granularity"]))
        return cls(data["backend"], BackendOptions(**data["options"]), settings)


@dataclass(frozen=True, slots=True)
class Job:
    """One conversation to be done: the content of its two files."""

    id: str
    conversation: bytes
    gold: bytes


@dataclass(frozen=True, slots=True)
class Finished:
    """One conversation that is done: its lines, and which method really made them."""

    id: str
    lines: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    """The lines of `evidence.jsonl`: one for every target that did not fail."""
    spec: dict[str, Any] | None = None


class Worker:
    """A backend, loaded once, that turns jobs into predictions."""

    def __init__(self, method: Method, attributor: Attributor | None = None) -> None:
        self._method = method
        self._attributor = attributor or create_attributor(method.backend, method.options)

    def __call__(self, job: Job) -> Finished:
        """All targets of a conversation over one reading of it."""
        try:
            conversation = _parse(job)
            traced = list(self._predict(conversation))
        except Exception as error:  # a bad conversation is a row of the result, not its end
            return failed(job, describe(error))
        spec = self._attributor.spec
        made_by = {"name": spec.name, "model": spec.model, "options": dict(spec.options)}
        predictions = tuple(prediction.line() for prediction, _ in traced)
        evidence = tuple(found.line() for _, found in traced if found is not None)
        return Finished(job.id, predictions, evidence, made_by)

    def _predict(self, conversation: Conversation) -> Iterator[tuple[Prediction, Evidence | None]]:
        start = perf_counter()
        settings = self._method.settings
        sources = segment(conversation.transcript, settings.granularity)
        tracer = Tracer.reading(
            conversation.transcript, self._attributor, sources=sources, options=settings.trace
        )
        share = (perf_counter() - start) / max(len(conversation.targets), 1)
        for gold in conversation.targets:
            start = perf_counter()
            try:
                unpruned = tracer.trace(gold.target)
                pruned = settings.view.of(unpruned)
            except Exception as error:
                yield _failure(conversation.id, gold.name, gold.turn, describe(error)), None
                continue
            seconds = round(share + perf_counter() - start, 6)
            yield (
                Prediction.of(gold, conversation.id, unpruned, pruned, seconds=seconds),
                Evidence.of(conversation.id, gold.name, unpruned),
            )


def failed(job: Job, message: str) -> Finished:
    """A conversation that could not be done: an error for every target that it is known to have."""
    rows = [_failure(job.id, name, turn, message) for name, turn in expected_rows(job.gold)]
    return Finished(job.id, tuple(row.line() for row in rows))


def expected_rows(gold: bytes) -> list[tuple[str | None, int | None]]:
    """The targets that a conversation has a prediction for, by name and turn.

    Where its gold file is so broken that nobody can say, there is one row without a target.
    """
    try:
        targets = [(t["name"], t["target_turn_idx"]) for t in json.loads(gold)["targets"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        targets = []
    return targets or [(None, None)]


def describe(error: BaseException) -> str:
    """An exception in one line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _parse(job: Job) -> Conversation:
    transcript = parse_conversation(job.conversation, id=job.id, origin=f"conversations/{job.id}")
    return parse_gold(job.gold, transcript, file=f"gold/{job.id}.json")


def _failure(id: str, target: str | None, turn: int | None, message: str) -> Prediction:
    return Prediction(id, target, turn, error=message)
