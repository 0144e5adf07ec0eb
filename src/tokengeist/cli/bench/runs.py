"""`tokengeist bench run`, `score` and `compare`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tokengeist.api import DEFAULT_BACKEND, settings_for
from tokengeist.attribution.named_model import refuse_idle_options
from tokengeist.attribution.registry import BackendOptions
from tokengeist.bench.compare import compare as compare_runs
from tokengeist.bench.engines import Engine, InlineEngine
from tokengeist.bench.run import Progress, RunSummary, run_repeats
from tokengeist.bench.run import run as run_benchmark
from tokengeist.bench.scoring import score as score_run
from tokengeist.bench.scoring import spread
from tokengeist.bench.store import RunFolder
from tokengeist.bench.worker import Method
from tokengeist.cli.bench.data import AsJson, Data
from tokengeist.cli.bench.tables import show_comparisons, show_scores, show_spread
from tokengeist.cli.dataset import open_dataset
from tokengeist.cli.options import (
    Alpha,
    Cut,
    Device,
    Dtype,
    Flat,
    MaxDepth,
    Model,
    Probe,
    Render,
    Seed,
    TopK,
    TrustRemoteCode,
    adjusted,
)
from tokengeist.cli.output import print_json
from tokengeist.export.terminal import printable


class EngineName(StrEnum):
    """Where the work happens."""

    INLINE = "inline"
    PROCESSES = "processes"
    RAY = "ray"


def run(
    data: Data,
    out: Annotated[Path, typer.Option("--out", help="Where the run is kept, and resumed from.")],
    backend: Annotated[
        str, typer.Option(help="How to attribute; see `tokengeist backends`.")
    ] = DEFAULT_BACKEND,
    flat: Flat = False,
    model: Model = None,
    device: Device = None,
    dtype: Dtype = None,
    render: Render = None,
    trust_remote_code: TrustRemoteCode = False,
    probe: Probe = None,
    seed: Seed = 0,
    granularity: Cut = None,
    top_k: TopK = None,
    max_depth: MaxDepth = None,
    alpha: Alpha = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first conversations.")] = None,
    runs: Annotated[
        int, typer.Option(min=1, help="Repeat with counted-up seeds, for mean and deviation.")
    ] = 1,
    engine: Annotated[
        EngineName | None, typer.Option(help="Default: processes with --workers, else inline.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes or Ray actors, one model each.")
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="A Ray cluster; without it, one on this machine.")
    ] = None,
    cpus: Annotated[
        float | None, typer.Option(min=0.01, help="CPUs of each Ray actor; may be a fraction.")
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Do failed conversations again.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Trace every target. The same command again continues where a run was stopped.

    Exit code 1 if any target or conversation failed.
    """
    options = BackendOptions(
        model=model,
        device=device,
        dtype=dtype,
        render=render,
        trust_remote_code=trust_remote_code,
        seed=seed,
        probe=probe,
    )
    refuse_idle_options(backend, options)
    settings = adjusted(
        settings_for(backend),
        granularity=granularity,
        top_k=top_k,
        max_depth=max_depth,
        flat=flat,
        alpha=alpha,
    )
    dataset, method = open_dataset(data), Method(backend, options, settings)
    chosen = make_engine(engine, workers, address=address, cpus=cpus)
    with progress("tracing") as on_progress:
        if runs > 1:
            summaries = run_repeats(
                dataset,
                out,
                method,
                runs,
                engine=chosen,
                limit=limit,
                retry_errors=retry_errors,
                on_progress=on_progress,
            )
        else:
            summaries = [
                run_benchmark(
                    dataset,
                    out,
                    method,
                    engine=chosen,
                    limit=limit,
                    retry_errors=retry_errors,
                    on_progress=on_progress,
                )
            ]
    if as_json:
        extra = {"corrections": dataset.corrections.counts()}
        print_json([asdict(s) | {"folder": str(s.folder)} | extra for s in summaries])
    else:
        for summary in summaries:
            typer.echo(_said(summary))
    failed = [summary for summary in summaries if summary.errors]
    for summary in failed:
        others = f" ({summary.errors - 1} more failed)" if summary.errors > 1 else ""
        typer.echo(printable(f"failed: {summary.first_error}{others}"), err=True)
    if failed:
        raise typer.Exit(1)


def _said(summary: RunSummary) -> str:
    before = f", {summary.resumed} of them before" if summary.resumed else ""
    errors = f", {summary.errors} failed" if summary.errors else ""
    return (
        f"{summary.targets} targets of {summary.conversations} conversations{before}{errors}, "
        f"{summary.seconds:.1f} s: {summary.folder}"
    )


def make_engine(
    name: EngineName | None,
    workers: int | None,
    *,
    address: str | None,
    cpus: float | None,
) -> Engine:
    """The engine that the options ask for."""
    if name is None:
        name = EngineName.PROCESSES if workers else EngineName.INLINE
    if name is not EngineName.RAY and (address or cpus):
        raise typer.BadParameter("--address and --cpus are for --engine ray")
    if name is EngineName.INLINE:
        if workers:
            raise typer.BadParameter("--engine inline has no workers")
        return InlineEngine()
    count = workers or os.cpu_count() or 1
    if name is EngineName.RAY:
        from tokengeist.bench.engines.ray import DEFAULT_CPUS, RayEngine

        return RayEngine(count, address, cpus or DEFAULT_CPUS)
    from tokengeist.bench.engines.processes import ProcessEngine

    return ProcessEngine(count)


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """A bar on standard error while a person is watching."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def score(
    data: Data,
    run: Annotated[Path, typer.Argument(help="A run, or a folder of repeats.")],
    as_json: AsJson = False,
) -> None:
    """Score a run against the gold graphs: the paper's metrics, in per cent."""
    dataset, folders = open_dataset(data), RunFolder(run).repeats()
    scores = [score_run(dataset, folder) for folder in folders]
    spreads = spread(scores) if len(scores) > 1 else {}
    if as_json:
        found = scores[0].json() if len(scores) == 1 else {"repeats": [s.json() for s in scores]}
        over_runs = {name: asdict(value) for name, value in spreads.items()}
        found |= {"corrections": dataset.corrections.counts()}
        print_json(found | ({"spread": over_runs} if over_runs else {}))
        return
    for folder, found_scores in zip(folders, scores, strict=True):
        show_scores(str(folder.path), found_scores)
    if spreads:
        show_spread(spreads)


def compare(
    runs: Annotated[
        list[Path], typer.Argument(help="Two runs or more; the first is the baseline.")
    ],
    data: Annotated[
        Path | None, typer.Option("--data", help="The data, if it is no longer where it was.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Paired differences between runs over the same data, in points."""
    if len(runs) < 2:
        raise typer.BadParameter("comparing takes two runs or more")
    folders = [RunFolder(run).repeats()[0] for run in runs]
    dataset = open_dataset(data or folders[0].meta()["data"]["path"])
    found = [compare_runs(dataset, folders[0], other) for other in folders[1:]]
    if as_json:
        print_json([comparison.json() for comparison in found])
        return
    show_comparisons(found)
