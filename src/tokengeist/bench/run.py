"""A benchmark run: every target of a data set traced with one method, resumable at any point."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

from tokengeist.attribution.cached import answers_key
from tokengeist.attribution.named_model import require_a_reader
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.engines import Engine, InlineEngine
from tokengeist.bench.predictions import Prediction
from tokengeist.bench.store import RunFolder
from tokengeist.bench.worker import Finished, Job, Method, expected_rows, failed
from tokengeist.errors import DatasetError, RunError

Progress = Callable[[int, int], None]
"""Called with how many conversations are done, and how many there are."""

_PACKAGES = ("tokengeist", "torch", "transformers", "numpy", "ray", "sentencex")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a call to `run` came to."""

    folder: Path
    conversations: int
    """Finished by now, those of earlier calls included."""
    resumed: int
    """Of them, finished by earlier calls."""
    targets: int
    errors: int
    seconds: float
    """Wall time of this call."""
    first_error: str | None = None
    """Why the first of the errors happened, and where."""


def run(
    dataset: Dataset,
    out: Path,
    method: Method,
    *,
    engine: Engine | None = None,
    limit: int | None = None,
    retry_errors: bool = False,
    on_progress: Progress | None = None,
) -> RunSummary:
    """Trace every target of the first `limit` conversations and keep the result in `out`.

    Conversations that an earlier call has finished are not done again; `retry_errors` makes an
    exception for those that failed. Raises `RunError` where `out` holds another run, `ModelError`
    where the backend would not read with the model that the method names, and `DatasetError` where
    the data have no gold at all or a correction does not fit.
    """
    require_a_reader(method.backend, method.options)
    engine = engine or InlineEngine()
    folder = RunFolder(out)
    if not dataset.gold_ids:
        raise DatasetError(
            f"{dataset.folder} has no gold/ID.json, so there is no target to trace; make gold with "
            "`tokengeist annotate` or put yours there"
        )
    dataset.check_corrections()
    ids = dataset.all_ids[:limit]
    asked = method.backend, method.options
    clock = perf_counter()
    with folder.locked():
        meta = _start_meta(folder, dataset, method)
        folder.write_meta(meta | {"status": "unfinished"})
        done = folder.resume(_whole(dataset, frozenset(ids), retry_errors))
        todo = [id for id in ids if id not in done]
        count = len(done)
        with folder.appending() as append, closing(_work(engine, method, dataset, todo)) as work:
            for finished in work:
                append(finished)
                if meta["made_by"] is None and finished.spec:
                    # Not before: a model may be fetched or converted when it is first needed.
                    meta |= {"made_by": finished.spec, "answers_key": answers_key(*asked)}
                    folder.write_meta(meta | {"status": "unfinished"})
                count += 1
                if on_progress is not None:
                    on_progress(count, len(ids))
        folder.sort(dataset.all_ids)
        seconds = perf_counter() - clock
        totals, first_error = _totals(folder)
        meta["sessions"].append(
            {"engine": engine.name, "conversations": len(todo), "seconds": round(seconds, 3)}
        )
        meta |= {
            "status": "complete" if count == len(dataset.all_ids) else "limited",
            "finished": _now(),
            "conversations": count,
            **totals,
        }
        folder.write_meta(meta)
    return RunSummary(
        out, count, len(done), totals["targets"], totals["errors"], seconds, first_error
    )


def run_repeats(
    dataset: Dataset,
    out: Path,
    method: Method,
    repeats: int,
    **options: Any,
) -> list[RunSummary]:
    """The same run several times with seeds that count up, for backends that draw lots.

    Each is a run of its own in `out/repeat-N`.
    """
    summaries = []
    for number in range(repeats):
        seeded = replace(method.options, seed=method.options.seed + number)
        repeat = replace(method, options=seeded)
        summaries.append(run(dataset, out / f"repeat-{number + 1}", repeat, **options))
    return summaries


def _work(
    engine: Engine, method: Method, dataset: Dataset, ids: list[str]
) -> Generator[Finished, None, None]:
    """Have the conversations `ids` done; files that cannot even be opened come last, as errors."""
    unreadable: list[Finished] = []

    def jobs() -> Iterator[Job]:
        for id in ids:
            try:
                yield Job(id, *dataset.files(id))
            except DatasetError as error:
                unreadable.append(failed(Job(id, b"", b""), str(error)))

    if ids:
        with closing(engine.run(method, jobs())) as finished:
            yield from finished
    yield from unreadable


def _whole(
    dataset: Dataset, wanted: frozenset[str], retry_errors: bool
) -> Callable[[str, list[Prediction]], bool]:
    """Whether stored predictions are all that there should be of their conversation."""
    known = frozenset(dataset.all_ids)

    def is_whole(id: str, predictions: list[Prediction]) -> bool:
        has_failed = any(prediction.error is not None for prediction in predictions)
        if id not in known or (retry_errors and has_failed and id in wanted):
            return False
        expected = expected_rows(_gold(dataset, id))
        return [(p.target, p.target_turn) for p in predictions] == expected

    return is_whole


def _gold(dataset: Dataset, id: str) -> bytes:
    if id in dataset.corrected_ids:
        return dataset.files(id)[1]
    path = dataset.gold_path(id)
    return path.read_bytes() if path.is_file() else b""


def _start_meta(folder: RunFolder, dataset: Dataset, method: Method) -> dict[str, Any]:
    """The meta data of a new run, or of the one to be resumed."""
    digest = dataset.digest()
    if not folder.exists():
        if folder.predictions.path.exists():
            raise RunError(f"{folder.predictions.path} is there without a meta.json; move it away")
        return {
            "data": {
                "path": str(dataset.folder.resolve()),
                "name": dataset.name,
                "conversations": len(dataset),
                "digest": digest,
                "corrections": dataset.corrections.counts(),
            },
            "method": method.json(),
            "made_by": None,
            "answers_key": None,
            "versions": _versions(),
            "machine": _machine(),
            "started": _now(),
            "sessions": [],
        }
    meta = folder.meta()
    if meta["method"] != method.json():
        different = [key for key in meta["method"] if meta["method"][key] != method.json().get(key)]
        raise RunError(
            f"{folder.path} holds a run with another {' and '.join(different)}; "
            "choose another folder, or the same options to resume it"
        )
    if meta.get("answers_key") not in (None, answers_key(method.backend, method.options)):
        raise RunError(
            f"{folder.path} holds a run by another version of Tokengeist, or by a model or probe "
            "whose files have changed since; choose another folder"
        )
    if meta["data"]["digest"] != digest:
        raise RunError(
            f"{folder.path} holds a run over other data ({meta['data']['path']}, or an earlier "
            "version of it); choose another folder"
        )
    return meta


def _totals(folder: RunFolder) -> tuple[dict[str, Any], str | None]:
    """What a run amounts to, for its meta data, and its first error."""
    targets = errors = 0
    seconds = 0.0
    first_error = None
    for place in folder.index().values():
        for prediction in folder.read(place):
            targets += prediction.target is not None
            errors += prediction.error is not None
            seconds += prediction.seconds
            if prediction.error is not None and first_error is None:
                first_error = f"{prediction.conversation_id}: {prediction.error}"
    mean = seconds / targets if targets else 0.0
    totals = {
        "targets": targets,
        "errors": errors,
        "timings": {
            "target_seconds_total": round(seconds, 3),
            "target_seconds_mean": round(mean, 6),
        },
    }
    return totals, first_error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _machine() -> dict[str, Any]:
    return {
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cpus": os.cpu_count(),
    }
