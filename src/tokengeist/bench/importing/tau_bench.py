"""tau-bench result files: each run of the list becomes a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tokengeist.bench.importing import Imported, read_records
from tokengeist.errors import DatasetError


def import_tau_bench(path: Path, *, prefix: str | None = None) -> Iterator[Imported]:
    """The runs of a result file, called `PREFIX-TASK-TRIAL`; the prefix is the file's name.

    Messages stay as they are, unknown keys included: turn numbers are message numbers.
    """
    name = path.stem if prefix is None else prefix
    for number, run in read_records(path):
        if not isinstance(run, dict) or not isinstance(run.get("traj"), list):
            raise DatasetError(f"{path}, run {number} has no list 'traj'; is it a tau-bench file?")
        task, trial = run.get("task_id", number), run.get("trial", 0)
        shown = f"{task:03d}" if isinstance(task, int) else str(task)
        yield Imported(f"{name}-{shown}-{trial}", f"tau-bench {path.name}", run["traj"])
