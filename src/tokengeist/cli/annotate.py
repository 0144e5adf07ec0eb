"""`tokengeist annotate`: gold provenance graphs for a folder of transcripts, made by a model."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokengeist.cli.output import print_json, progress_bar
from tokengeist.errors import TokengeistWarning
from tokengeist.export.terminal import printable

if TYPE_CHECKING:
    from tokengeist.bench.annotation.run import Summary
    from tokengeist.bench.annotation.settings import ServerSettings

_SHOWN_FAULTS = 5


def annotate(
    data: Annotated[
        Path,
        typer.Argument(
            help="A benchmark folder (with conversations/), or transcripts of any format."
        ),
    ],
    base_url: Annotated[
        str,
        typer.Option(
            envvar="OPENAI_BASE_URL",
            help="An OpenAI-compatible server, such as http://127.0.0.1:8000/v1.",
        ),
    ],
    model: Annotated[str, typer.Option(help="The model that annotates.")],
    out: Annotated[
        Path | None, typer.Option(help="The benchmark folder to make; not for one that is there.")
    ] = None,
    escalate_model: Annotated[
        str | None, typer.Option(help="The model to ask when the first one keeps failing.")
    ] = None,
    api_key_env: Annotated[
        str, typer.Option(help="The environment variable that holds the API key.")
    ] = "OPENAI_API_KEY",
    prompts: Annotated[
        Path | None,
        typer.Option(help="A folder with your own targets.md, graph.md or again.md."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first conversations.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most calls at a time.")] = 4,
    retries: Annotated[
        int, typer.Option(min=0, help="How often a model may put a faulty answer right.")
    ] = 3,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one call.")] = 300.0,
    tries: Annotated[
        int, typer.Option(min=1, help="How often to call a server that is busy or fails.")
    ] = 6,
    stream: Annotated[bool, typer.Option("--stream", help="Receive answers in parts.")] = False,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="Left to the server by default.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Longest answer. Left to the server by default.")
    ] = None,
    price: Annotated[
        str, typer.Option(help="Price of a million tokens, read/written, such as 2.50/10.")
    ] = "0/0",
    escalate_price: Annotated[str, typer.Option(help="The same for --escalate-model.")] = "0/0",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace gold that was not made by this command.")
    ] = False,
    retry_set_aside: Annotated[
        bool, typer.Option("--retry-set-aside", help="Ask again for what was set aside before.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Choose target spans and trace each to its sources, with a model behind an API.

    What breaks a rule of the protocol goes back to the model, then to --escalate-model, and is set
    aside with its reasons in the end. The same command again goes on where a run was stopped. Exit
    code 1 if the server left conversations unfinished.
    """
    from tokengeist.bench.annotation.gather import gather
    from tokengeist.bench.annotation.prompts import Prompts
    from tokengeist.bench.annotation.run import Plan
    from tokengeist.bench.annotation.run import annotate as annotate_folder
    from tokengeist.bench.annotation.settings import (
        Models,
        Price,
        ServerSettings,
        key_from_environment,
    )
    from tokengeist.cli.dataset import say_corrections

    server = ServerSettings(
        base_url,
        key_from_environment(api_key_env),
        timeout=timeout,
        tries=tries,
        concurrency=concurrency,
        stream=stream,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    models = Models(
        model, escalate_model, Price.parse(price), Price.parse(escalate_price), retries=retries
    )
    words = Prompts.load(prompts)
    _warn_of_open_key(server)
    dataset = gather(data, out)
    dataset.check_corrections()
    say_corrections(dataset)
    with progress_bar():
        summary = annotate_folder(
            dataset, server, models, prompts=words, plan=Plan(limit, overwrite, retry_set_aside)
        )
    if as_json:
        print_json(asdict(summary))
    else:
        _show(summary, dataset.folder)
    if summary.unfinished:
        raise typer.Exit(1)


def _warn_of_open_key(server: ServerSettings) -> None:
    if server.api_key and server.base_url.startswith("http://") and not server.is_loopback:
        warnings.warn(
            f"the API key travels unencrypted to {server.public_url}; use https if the server "
            "has it",
            TokengeistWarning,
            stacklevel=2,
        )


def _show(summary: Summary, folder: Path) -> None:
    lines = [
        f"{summary.finished} of {summary.conversations} conversations annotated in {folder}: "
        f"{summary.targets} targets ({summary.escalated} by the second model), "
        f"{summary.set_aside} set aside"
    ]
    if summary.done_before:
        lines.append(f"{summary.done_before} were finished before")
    if summary.had_gold:
        lines.append(f"{summary.had_gold} have gold already and were left alone (--overwrite)")
    if summary.unfinished:
        lines.append(f"{summary.unfinished} are unfinished; run the same command again:")
        lines += [f"  {fault}" for fault in summary.faults[:_SHOWN_FAULTS]]
    lines.append(
        f"{summary.calls} calls, {summary.tokens_read:,} tokens read, "
        f"{summary.tokens_written:,} written, cost {summary.cost:.4f} "
        f"({summary.total_cost:.4f} with earlier runs)"
    )
    if summary.calls_without_usage:
        lines.append(f"for {summary.calls_without_usage} calls the server reported no tokens")
    typer.echo(printable("\n".join(lines)))
