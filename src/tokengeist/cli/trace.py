"""`tokengeist trace`: from a file and a span to a provenance graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tokengeist.api import (
    DEFAULT_BACKEND,
    PAPER,
    PAPER_BACKEND,
    open_tracer,
    settings_for,
)
from tokengeist.attribution.named_model import refuse_idle_options, require_a_reader
from tokengeist.attribution.registry import BackendOptions
from tokengeist.cli.options import (
    Alpha,
    Conversation,
    Cut,
    Device,
    Dtype,
    File,
    Flat,
    Format,
    MaxDepth,
    MinScore,
    Model,
    NoCache,
    Probe,
    Render,
    Seed,
    TopK,
    TrustRemoteCode,
    adjusted,
    named_file,
)
from tokengeist.cli.output import print_json, progress_bar, spare_input, write_file
from tokengeist.errors import TargetError
from tokengeist.export.dot import to_dot
from tokengeist.export.graph_file import to_json
from tokengeist.export.html import to_html
from tokengeist.export.mermaid import to_mermaid
from tokengeist.export.redaction import Redaction
from tokengeist.export.terminal import summary, tree, verdicts
from tokengeist.extraction import View
from tokengeist.formats import load
from tokengeist.graph import ProvenanceGraph
from tokengeist.tracer import collect
from tokengeist.transcript import Span, Transcript, locate_target


def trace(
    file: File,
    span: Annotated[
        str | None,
        typer.Option(
            help="The text to trace, where it first stands in its turn. "
            "Without it: the whole last assistant turn."
        ),
    ] = None,
    turn: Annotated[int | None, typer.Option(help="The turn the span stands in.")] = None,
    chars: Annotated[
        str | None, typer.Option(metavar="A:B", help="The span as characters of --turn.")
    ] = None,
    conversation: Conversation = None,
    format: Format = None,
    backend: Annotated[
        str | None,
        typer.Option(
            help="How to attribute; see `tokengeist backends`.", show_default=DEFAULT_BACKEND
        ),
    ] = None,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="The paper's own method and settings: Avg. Attention."),
    ] = False,
    model: Model = None,
    device: Device = None,
    dtype: Dtype = None,
    trust_remote_code: TrustRemoteCode = False,
    render: Render = None,
    probe: Probe = None,
    seed: Seed = 0,
    no_cache: NoCache = False,
    granularity: Cut = None,
    top_k: TopK = None,
    max_depth: MaxDepth = None,
    min_score: MinScore = None,
    alpha: Alpha = None,
    flat: Flat = False,
    check: Annotated[
        bool,
        typer.Option(
            "--verify", help="Take each edge's evidence away, and see what the model makes of it."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The unpruned graph as JSON.")] = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="A Mermaid flowchart.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Graphviz DOT.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=named_file,
            help="Write to a file; JSON unless told otherwise.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            callback=named_file, help="Also write the page, as one file that needs nothing else."
        ),
    ] = None,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Take addresses, card numbers and keys out of the page."),
    ] = False,
    redact_pattern: Annotated[
        list[str] | None, typer.Option(metavar="REGEX", help="Take this out of the page, too.")
    ] = None,
) -> None:
    """Trace a span of an assistant turn back to where it came from.

    The tree shows the pruned graph; --json holds all of it.
    """
    if as_json + mermaid + dot > 1:
        raise typer.BadParameter("choose one of --json, --mermaid and --dot")
    if paper and backend not in (None, PAPER_BACKEND):
        raise typer.BadParameter(f"--paper means --backend {PAPER_BACKEND}; give one of them")
    meant = _MEANT_BY.get(output.suffix.lower()) if output else None
    if meant and not {"--mermaid": mermaid, "--dot": dot}.get(meant, False):
        raise typer.BadParameter(f"-o {output} would hold something else; say {meant}")
    if (redact or redact_pattern) and not html:
        raise typer.BadParameter("--redact is about the page; give --html FILE")
    spare_input(file, output, html)
    transcript = load(file, format=format, conversation=conversation)
    target = locate_target(transcript, span, turn=turn, chars=_char_range(chars))
    chosen = backend or (PAPER_BACKEND if paper else DEFAULT_BACKEND)
    settings = adjusted(
        PAPER if paper else settings_for(chosen),
        granularity=granularity,
        top_k=top_k,
        max_depth=max_depth,
        flat=flat,
        alpha=alpha,
        min_score=min_score,
    )
    options = BackendOptions(
        model=model,
        device=device,
        dtype=dtype,
        render=render,
        trust_remote_code=trust_remote_code,
        seed=seed,
        probe=probe,
        cache=not no_cache,
    )
    require_a_reader(chosen, options, is_judged=check)
    refuse_idle_options(chosen, options, is_judged=check)
    judge: str | None = None
    with progress_bar():
        tracer = open_tracer(transcript, backend=chosen, options=options, settings=settings)
        steps = tuple(tracer.steps(target))
        graph = collect(tracer, target, steps)
        if check:
            graph, judge = _verified(graph, transcript, settings.view, options)

    if html:
        redaction = Redaction(tuple(redact_pattern or ())) if redact or redact_pattern else None
        page = to_html(transcript, [graph], [settings.view], steps=[steps], redact=redaction)
        write_file(html, page)
    shown = settings.view.of(graph)
    if mermaid or dot:
        text = to_mermaid(shown, transcript) if mermaid else to_dot(shown, transcript)
        if output:
            write_file(output, text)
        else:
            typer.echo(text, nl=False)
        return
    data = to_json(graph, transcript, settings.view)
    if output:
        write_file(output, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    if as_json and not output:
        print_json(data)
    elif not as_json:
        console = Console(highlight=False, soft_wrap=True)
        console.print(tree(shown, transcript, width=console.width))
        if graph.units:
            console.print(verdicts(graph, transcript, width=console.width))
        console.print(summary(graph, judge=judge), style="dim", markup=False)


_MEANT_BY = {
    ".html": "--html FILE",
    ".htm": "--html FILE",
    ".mmd": "--mermaid",
    ".dot": "--dot",
    ".gv": "--dot",
}
"""What somebody means who gives the output such a name."""


def _char_range(text: str | None) -> Span | None:
    if text is None:
        return None
    start, _, end = text.partition(":")
    if not (start.isdecimal() and end.isdecimal() and int(start) < int(end)):
        raise TargetError(f"--chars takes a range such as 10:42, not {text!r}")
    return Span(int(start), int(end))


def _verified(
    graph: ProvenanceGraph, transcript: Transcript, view: View, options: BackendOptions
) -> tuple[ProvenanceGraph, str]:
    """The graph with the edges that will be shown put to the test, and the model that did it."""
    from tokengeist.attribution.cached import load_judge
    from tokengeist.verification import verify

    shown = {(edge.dependent, edge.source) for edge in view.of(graph).edges}
    judge = load_judge(options)
    return verify(graph, transcript, judge, edges=shown, render=options.render), judge.name
