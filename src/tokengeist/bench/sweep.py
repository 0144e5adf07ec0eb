"""A matrix of runs from one file: models × backends × flat and recursive × data sets.

    out = "results"
    data = ["mtca-dev", "synth"]
    backends = ["lexical", "attention"]
    models = ["models/smollm2", "models/qwen"]   # each for the backends that can read with it
    recursion = ["flat", "recursive"]            # the default
    runs = 1                                     # repeats of each cell

    [trace]                                      # anything that differs from a backend's own
    alpha = 0.85

Paths are relative to the file. Cells that are done are not done again, so a sweep resumes and grows
like a single run does.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tokengeist.api import Settings, settings_for
from tokengeist.attribution.named_model import reads_with_it
from tokengeist.attribution.registry import BackendOptions, find_backend
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.engines import Engine
from tokengeist.bench.run import Progress, run, run_repeats
from tokengeist.bench.worker import Method
from tokengeist.errors import RunError, unknown_name
from tokengeist.segmentation import Granularity

_KEYS = {"out", "data", "backends", "models", "recursion", "runs", "limit", "trace", "options"}
_TRACE_KEYS = {"top_k", "max_depth", "alpha", "granularity"}
_OPTION_KEYS = {"device", "dtype", "render", "seed", "trust_remote_code"}


@dataclass(frozen=True, slots=True)
class SweepCell:
    """One run of the matrix."""

    folder: Path
    data: Path
    method: Method


@dataclass(frozen=True)
class Sweep:
    """A matrix as its file describes it."""

    out: Path
    data: tuple[Path, ...]
    backends: tuple[str, ...]
    models: tuple[str, ...] = ()
    recursion: tuple[str, ...] = ("flat", "recursive")
    runs: int = 1
    limit: int | None = None
    trace: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    def cells(self) -> Iterator[SweepCell]:
        """Every run, data set by data set: each backend with the models that it can read with.

        Raises `RunError` for a model that none of the backends can read with.
        """
        models = {backend: self._models_of(backend) for backend in self.backends}
        for named in self.models:
            if not any(named in read for read in models.values()):
                raise RunError(
                    f"none of the backends ({', '.join(self.backends)}) reads with the model "
                    f"'{named}', so listing it would do nothing. Leave it out, or add a backend "
                    "that does (see `tokengeist backends`)"
                )
        for data in self.data:
            for backend in self.backends:
                for model in models[backend]:
                    for recursion in self.recursion:
                        settings = self._settings(backend, is_flat=recursion == "flat")
                        options = BackendOptions(model=model, **self.options)
                        parts = [data.name, _file_name(model), f"{recursion}-{backend}"]
                        folder = self.out.joinpath(*(part for part in parts if part))
                        yield SweepCell(folder, data, Method(backend, options, settings))

    def _models_of(self, backend: str) -> tuple[str | None, ...]:
        """Those that it can read with, or else its own default."""
        find_backend(backend)  # an unknown one is refused whether there are models or not
        able = (m for m in self.models if reads_with_it(backend, BackendOptions(model=m)))
        return tuple(able) or (None,)

    def _settings(self, backend: str, *, is_flat: bool) -> Settings:
        base = settings_for(backend)
        trace, view = base.trace, base.view
        if "top_k" in self.trace:
            trace = replace(trace, top_k=self.trace["top_k"])
        if "max_depth" in self.trace:
            trace = replace(trace, max_depth=self.trace["max_depth"])
        if is_flat:
            trace = replace(trace, max_depth=1)
        if "alpha" in self.trace:
            view = replace(view, alpha=self.trace["alpha"])
        granularity = Granularity(self.trace.get("granularity", base.granularity))
        return Settings(trace, view, granularity)


def read_sweep(path: Path) -> Sweep:
    """Read a sweep's file. Raises `RunError` that names what is wrong with it."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is not TOML: {error}") from error
    _only(path, raw, _KEYS)
    _only(path, raw.get("trace", {}), _TRACE_KEYS)
    _only(path, raw.get("options", {}), _OPTION_KEYS)
    for key in ("data", "backends"):
        if not isinstance(raw.get(key), list) or not raw[key]:
            raise RunError(f"{path}: '{key}' is a list with at least one entry")
    recursion = tuple(raw.get("recursion", ("flat", "recursive")))
    for name in recursion:
        if name not in ("flat", "recursive"):
            raise RunError(f"{path}: 'recursion' lists 'flat' and 'recursive', not {name!r}")
    for key in ("runs", "limit"):
        if not isinstance(raw.get(key, 1), int) or raw.get(key, 1) < 1:
            raise RunError(f"{path}: '{key}' is a whole number from 1 up, not {raw[key]!r}")
    here = path.parent
    sweep = Sweep(
        out=here / raw.get("out", "results"),
        data=tuple(here / data for data in raw["data"]),
        backends=tuple(raw["backends"]),
        models=tuple(_model(here, model) for model in raw.get("models", ())),
        recursion=recursion,
        runs=raw.get("runs", 1),
        limit=raw.get("limit"),
        trace=raw.get("trace", {}),
        options=raw.get("options", {}),
    )
    try:
        list(sweep.cells())
    except (ValueError, TypeError) as error:
        raise RunError(f"{path}: {error}; put it right in [trace] or [options]") from error
    return sweep


def run_sweep(
    sweep: Sweep,
    *,
    engine: Engine | None = None,
    on_cell: Callable[[SweepCell, int, int], None] | None = None,
    on_progress: Progress | None = None,
) -> list[Path]:
    """Do every cell that is not done; returns the folders of all."""
    cells = list(sweep.cells())
    for number, cell in enumerate(cells):
        if on_cell is not None:
            on_cell(cell, number, len(cells))
        dataset = Dataset(cell.data)
        common: dict[str, Any] = {
            "engine": engine,
            "limit": sweep.limit,
            "on_progress": on_progress,
        }
        if sweep.runs > 1:
            run_repeats(dataset, cell.folder, cell.method, sweep.runs, **common)
        else:
            run(dataset, cell.folder, cell.method, **common)
    return [cell.folder for cell in cells]


def _only(path: Path, raw: dict[str, Any], known: set[str]) -> None:
    for key in raw:
        if key not in known:
            raise RunError(f"{path}: {unknown_name('setting', key, known)}")


def _model(here: Path, model: str) -> str:
    """A model that is a path beside the file, or a name as it stands."""
    return str(here / model) if (here / model).exists() else model


def _file_name(model: str | None) -> str:
    return re.sub(r"[^\w.-]+", "-", Path(model).name) if model else ""
