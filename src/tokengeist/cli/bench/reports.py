"""`tokengeist bench ablate`, `report` and `sweep`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tokengeist.bench import ablation
from tokengeist.bench.ablation import Ablation
from tokengeist.bench.report.build import build
from tokengeist.bench.report.curves import ablation_figure
from tokengeist.bench.report.writing import write_figure, write_report
from tokengeist.bench.store import RunFolder
from tokengeist.bench.sweep import SweepCell, read_sweep, run_sweep
from tokengeist.cli.bench.data import AsJson
from tokengeist.cli.bench.runs import EngineName, make_engine, progress
from tokengeist.cli.bench.tables import show_curves, show_main_table
from tokengeist.cli.dataset import open_dataset
from tokengeist.cli.output import print_json
from tokengeist.errors import RunError

DataOption = Annotated[
    Path | None, typer.Option("--data", help="The data, if it is no longer where it was.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Worker processes for new runs.")]


def ablate(
    what: Annotated[Ablation, typer.Argument(help="What to vary.")],
    run: Annotated[Path, typer.Argument(help="The run to vary.")],
    values: Annotated[
        str | None, typer.Option(help="Values to try, such as 0.5,0.7,0.9. Default: the paper's.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Conversations of the granularity ablation.")
    ] = ablation.GRANULARITY_CONVERSATIONS,
    figure: Annotated[
        Path | None, typer.Option(help="Also draw it: a .svg, .pdf or .png file.")
    ] = None,
    workers: Workers = None,
    data: DataOption = None,
    as_json: AsJson = False,
) -> None:
    """Vary one setting of a run, over its stored graphs wherever that is enough.

    A greater depth than the run's and another granularity are run anew, inside the run's folder.
    """
    folder = RunFolder(run).repeats()[0]
    dataset = open_dataset(data or folder.meta()["data"]["path"])
    engine = make_engine(None, workers, address=None, cpus=None)
    with progress("tracing") as on_progress:
        match what:
            case Ablation.ALPHA:
                alphas = _numbers(values) or ablation.ALPHAS
                curves = [ablation.alpha_curve(dataset, folder, alphas)]
            case Ablation.K:
                branches = _counts(values) or ablation.BRANCHES
                curves = ablation.branching_curves(dataset, folder, branches)
            case Ablation.DEPTH:
                depths = _counts(values) or ablation.DEPTHS
                deep = ablation.deepened(
                    dataset, folder, max(depths), engine=engine, on_progress=on_progress
                )
                curves = [ablation.depth_curve(dataset, deep, depths)]
            case Ablation.GRANULARITY:
                if values:
                    raise typer.BadParameter("granularity has no --values: it tries both")
                found = ablation.granularity_curve(
                    dataset, folder, limit=limit, engine=engine, on_progress=on_progress
                )
                curves = [found]
    if figure is not None:
        write_figure(ablation_figure(folder.meta()["method"]["backend"], curves), figure)
    if as_json:
        print_json([curve.json() for curve in curves])
    else:
        show_curves(curves)


def _numbers(text: str | None) -> list[float]:
    try:
        return [float(part) for part in text.split(",")] if text else []
    except ValueError:
        raise RunError(f"--values takes numbers such as 0.5,0.7, not {text!r}") from None


def _counts(text: str | None) -> list[int]:
    parts = text.split(",") if text else []
    if not all(part.strip().isdecimal() and int(part) for part in parts):
        raise RunError(f"--values takes whole numbers from 1 up such as 1,2,4, not {text!r}")
    return [int(part) for part in parts]


def report(
    runs: Annotated[list[Path], typer.Argument(help="Runs, or folders of repeats.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="A .html, .md or .tex file.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="The report's title.")] = None,
    data: DataOption = None,
    as_json: AsJson = False,
) -> None:
    """The paper's tables and figures for these runs."""
    files = write_report(build(runs, data, title=title), output)
    if as_json:
        print_json([str(file) for file in files])
    else:
        typer.echo("\n".join(map(str, files)))


def sweep(
    file: Annotated[Path, typer.Argument(help="A TOML file that describes the matrix.")],
    engine: Annotated[EngineName | None, typer.Option(help="Where the work happens.")] = None,
    workers: Workers = None,
    address: Annotated[str | None, typer.Option(help="A Ray cluster.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run models × backends × flat and recursive × data sets, and report on all of it."""
    matrix = read_sweep(file)
    chosen = make_engine(engine, workers, address=address, cpus=None)

    def say(cell: SweepCell, number: int, total: int) -> None:
        print(f"{number + 1}/{total} {cell.folder}", file=sys.stderr)

    with progress("tracing") as on_progress:
        folders = run_sweep(matrix, engine=chosen, on_cell=say, on_progress=on_progress)
    made = build(folders)
    page = matrix.out / "report.html"
    write_report(made, page)
    if as_json:
        print_json({"runs": [str(folder) for folder in folders], "report": str(page)})
        return
    show_main_table(made)
    typer.echo(f"report: {page}")
