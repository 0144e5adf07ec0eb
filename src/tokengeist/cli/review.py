"""`tokengeist review`: people check gold graphs on a local page, and numbers come of it."""

from __future__ import annotations

import getpass
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tokengeist.cli.output import print_json
from tokengeist.errors import missing_extra

if TYPE_CHECKING:
    from tokengeist.bench.review.agreement import GraphAgreement


def review(
    data: Annotated[Path, typer.Argument(help="A folder with conversations/ and gold/.")],
    reviewer: Annotated[
        str | None, typer.Option(help="Who reviews. Default: your user name.")
    ] = None,
    size: Annotated[
        int | None, typer.Option(min=1, help="How many targets to draw. [default: 100]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For drawing them. [default: 0]")] = None,
    split_by: Annotated[
        str | None,
        typer.Option(help="A pattern that finds the split in a conversation's id."),
    ] = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print acceptance and agreement; open no page.")
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(help="Another annotator's folder: print how far the graphs agree."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Default: any free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Judge a sample of gold graphs, put graphs right, and see how far people agree.

    Everything that reviewers say is kept in DATA/review, one file each; the sample is drawn once.
    """
    from tokengeist.bench.review.agreement import graph_agreement
    from tokengeist.bench.review.desk import ReviewDesk
    from tokengeist.bench.review.sample import SPLIT
    from tokengeist.cli.dataset import open_dataset

    dataset = open_dataset(data)
    if against is not None:
        found = graph_agreement(dataset, open_dataset(against))
        print_json(found.to_json()) if as_json else _show_graphs(found)
        return
    desk = ReviewDesk.over(dataset, size=size, seed=seed, split_by=split_by or SPLIT)
    if stats or as_json:
        statistics = desk.statistics()
        print_json(statistics) if as_json else _show(statistics)
        return
    try:
        from tokengeist.server.listening import Address, serve_app
        from tokengeist.server.review import create_review_app
    except ImportError as error:
        raise missing_extra("the review page", "serve") from error
    app = create_review_app(desk, reviewer=reviewer or _user_name())
    serve_app(app, Address(port=port), browser=browser)


def _user_name() -> str:
    """The user's name as a reviewer's name; a user without one is somebody."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = ""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:40] or "somebody"


def _show(statistics: dict[str, Any]) -> None:
    console = Console(highlight=False)
    sample = statistics["sample"]
    console.print(f"{sample['size']} targets, drawn with seed {sample['seed']}")
    tables = {"all reviewers": statistics["acceptance"]}
    if len(statistics["by_reviewer"]) > 1:
        tables |= statistics["by_reviewer"]
    for title, table in tables.items():
        console.print(_acceptance(title, table))
    if statistics["agreement"]:
        table = Table("reviewers", "n", "same", "kappa", "weighted", title="agreement", box=None)
        for pair in statistics["agreement"]:
            table.add_row(
                " and ".join(pair["reviewers"]),
                str(pair["n"]),
                _percent(pair["observed"]),
                *("undefined" if k is None else f"{k:.2f}" for k in _kappas(pair)),
            )
        console.print(table)

    if statistics["graphs"]:
        console.print(_graphs(statistics["graphs"]))


def _graphs(pairs: list[dict[str, Any]]) -> Table:
    from tokengeist.bench.metrics import LABELS, METRICS

    labels = (LABELS[metric] for metric in METRICS)
    title = "agreement on graphs, each reviewer's own"
    table = Table("reviewers", "targets", *labels, "same tags", title=title, box=None)
    for pair in pairs:
        found = [pair["metrics"].get(metric) for metric in METRICS]
        cells = ["–" if estimate is None else f"{100 * estimate['mean']:.1f}" for estimate in found]
        names = " and ".join(pair["reviewers"])
        table.add_row(names, str(pair["targets"]), *cells, _percent(pair["same_tags"]))
    return table


def _kappas(pair: dict[str, Any]) -> tuple[float | None, float | None]:
    return pair["kappa"], pair["weighted"]


def _acceptance(title: str, data: dict[str, Any]) -> Table:
    table = Table("bucket", title=title, box=None)
    for name in ("n", "correct", "minor", "wrong", "pre", "post", "judge again"):
        table.add_column(name, justify="right")
    for row in [*data["buckets"], *data["splits"], data["overall"]]:
        counts = [str(row[key]) for key in ("before", "correct", "minor", "wrong")]
        shares = [_percent(row["pre"]), _percent(row["post"])]
        table.add_row(row["name"], *counts, *shares, str(row["waiting"]))
    return table


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}%"


def _show_graphs(found: GraphAgreement) -> None:
    from tokengeist.bench.metrics import LABELS

    console = Console(highlight=False)
    table = Table("", "agreement", "95 % interval", box=None)
    for metric, estimate in found.metrics.items():
        interval = f"{100 * estimate.low:.1f} to {100 * estimate.high:.1f}"
        table.add_row(LABELS[metric], f"{100 * estimate.mean:.1f}", interval)
    console.print(table)
    console.print(
        f"{found.targets} targets, the same tags on {100 * (found.same_tags or 0):.1f} %; "
        f"{found.unmatched} targets have no counterpart"
    )
