"""What a report is about: runs, scored and put in order, and what they were made on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokengeist.attribution.blend.model import shipped_weights
from tokengeist.bench.compare import Comparison, compare
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.scoring import RunScores, Spread, score, spread
from tokengeist.bench.stats import DatasetStats, describe
from tokengeist.bench.store import RunFolder
from tokengeist.errors import RunError
from tokengeist.models.store import NONE

_BACKENDS = {
    "attention": "Attention",
    "at2": "AT2",
    "attntrace": "AttnTrace",
    "lexical": "Lexical",
    "blend": "Blend",
}


@dataclass(frozen=True)
class ReportedRun:
    """A run with everything that a report says about it."""

    folder: RunFolder
    """Of repeats, the first."""
    meta: dict[str, Any]
    dataset: Dataset
    scores: RunScores
    """Of repeats, those of the first."""
    repeats: dict[str, Spread]
    """Mean and deviation of the metrics over repeats; empty for a single run."""

    @property
    def backend(self) -> str:
        """The backend's name in tables; where it has weights of its own, what they come from."""
        name: str = self.meta["method"]["backend"]
        shown = _BACKENDS.get(name, name)
        weights = ((self.meta["made_by"] or {}).get("options") or {}).get("weights")
        if weights is None or weights == shipped_weights().name:
            return shown
        return f"{shown} from {weights}"

    @property
    def is_flat(self) -> bool:
        """Whether it follows one hop only."""
        return bool(self.meta["method"]["trace"]["max_depth"] == 1)

    @property
    def label(self) -> str:
        """How the paper names methods."""
        return f"Flat {self.backend}" if self.is_flat else f"Tg + {self.backend}"

    @property
    def model(self) -> str:
        """The model that read the transcripts, by its last name."""
        made_by = self.meta["made_by"] or {}
        name = made_by.get("model") or self.meta["method"]["options"]["model"] or NONE
        return "no model" if name == NONE else Path(name).name

    @property
    def data(self) -> str:
        """The data set's name."""
        return self.dataset.name

    def mean(self, metric: str) -> float | None:
        """A metric over all targets, and over repeats where there are any."""
        if metric in self.repeats:
            return self.repeats[metric].mean
        found = self.scores.overall.get(metric)
        return found.mean if found else None


@dataclass(frozen=True)
class Material:
    """Everything that is reported on."""

    runs: tuple[ReportedRun, ...]
    """Models in order of appearance; within one, flat before recursive."""
    data: tuple[DatasetStats, ...]
    comparisons: tuple[tuple[ReportedRun, ReportedRun, Comparison], ...]
    """Flat and recursive runs that differ in nothing else."""

    @property
    def data_names(self) -> list[str]:
        """The data sets, in order."""
        return [stats.name for stats in self.data]

    def methods(self) -> list[tuple[str, str]]:
        """Every pair of model and method that was run on anything, in order."""
        return list(dict.fromkeys((run.model, run.label) for run in self.runs))

    def find(self, model: str, label: str, data: str) -> ReportedRun | None:
        """The run of a method on a data set, if there is one."""
        return next(
            (r for r in self.runs if (r.model, r.label, r.data) == (model, label, data)), None
        )


def gather(folders: Iterable[Path], data: Path | None = None) -> Material:
    """Score runs and put them in order.

    Raises `RunError` for two runs that differ in nothing that a table could show.
    """
    datasets: dict[str, Dataset] = {}
    runs: list[ReportedRun] = []
    for path in folders:
        repeats = RunFolder(path).repeats()
        meta = repeats[0].meta()
        where = str(data or meta["data"]["path"])
        dataset = datasets.setdefault(where, Dataset(where))
        scores = [score(dataset, folder) for folder in repeats]
        over_runs = spread(scores) if len(scores) > 1 else {}
        runs.append(ReportedRun(repeats[0], meta, dataset, scores[0], over_runs))
    if not runs:
        raise RunError("a report needs at least one run")
    models = list(dict.fromkeys(run.model for run in runs))
    runs.sort(key=lambda run: (models.index(run.model), not run.is_flat))
    seen: dict[tuple[str, str, str], ReportedRun] = {}
    for run in runs:
        twin = seen.setdefault((run.model, run.label, run.data), run)
        if twin is not run:
            raise RunError(
                f"{twin.folder.path} and {run.folder.path} are both {run.label} with {run.model} "
                f"on {run.data}; report on one of them"
            )
    return Material(
        tuple(runs),
        tuple(describe(dataset) for dataset in datasets.values()),
        tuple(_comparisons(runs)),
    )


def _comparisons(
    runs: list[ReportedRun],
) -> Iterable[tuple[ReportedRun, ReportedRun, Comparison]]:
    for flat in runs:
        for deep in runs:
            same = (flat.model, flat.backend, flat.data) == (deep.model, deep.backend, deep.data)
            if flat.is_flat and not deep.is_flat and same:
                yield flat, deep, compare(flat.dataset, flat.folder, deep.folder)
