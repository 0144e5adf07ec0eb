"""Options that several commands share, said once: how to find a transcript, how to attribute."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from tokengeist.api import Settings
from tokengeist.segmentation import Granularity

File = Annotated[str, typer.Argument(help="A transcript; - for standard input.")]
Conversation = Annotated[
    str | None, typer.Option(help="Which conversation, in a file with several.")
]
Format = Annotated[str | None, typer.Option(help="The file's format, where detection is wrong.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]

Model = Annotated[
    str | None,
    typer.Option(
        help="A directory, hub id or GGUF file; for blend, minilm or none. Default: what is there."
    ),
]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, mps, …")]
Dtype = Annotated[str | None, typer.Option(help="float32, float16, bfloat16.")]
TrustRemoteCode = Annotated[
    bool, typer.Option("--trust-remote-code", help="Run code that comes with the model.")
]
Render = Annotated[
    Literal["plain", "chat"] | None, typer.Option(help="How the model sees the turns.")
]
Probe = Annotated[
    str | None,
    typer.Option(help="For at2: a probe's path or hub id, or `uniform`. Default: the model's own."),
]
Seed = Annotated[int, typer.Option(help="For backends that draw lots.")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Read again, and keep nothing on the disk.")
]

Cut = Annotated[Granularity | None, typer.Option(help="How finely sources are cut.")]
TopK = Annotated[int | None, typer.Option(min=1, help="Most sources followed at one turn.")]
MaxDepth = Annotated[int | None, typer.Option(min=1, help="Most hops from the span.")]
MinScore = Annotated[float | None, typer.Option(min=0, help="Ignore scores below this.")]
Alpha = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Keep sources scoring at least this share of the best."),
]
Flat = Annotated[bool, typer.Option("--flat", help="One hop only: --max-depth 1.")]


def named_file(path: Path | None) -> Path | None:
    """What an option for an output file was given; `-` would silently make a file of that name."""
    if path == Path("-"):
        raise typer.BadParameter(
            "give the name of a file; for standard output leave the option out and use --json"
        )
    return path


def adjusted(
    base: Settings,
    *,
    granularity: Granularity | None,
    top_k: int | None,
    max_depth: int | None,
    flat: bool,
    alpha: float | None,
    min_score: float | None = None,
) -> Settings:
    """`base` with what the user said instead of what it says."""
    if flat and max_depth not in (None, 1):
        raise typer.BadParameter("--flat means --max-depth 1; give one of them")
    trace, view = base.trace, base.view
    if top_k is not None:
        trace = replace(trace, top_k=top_k)
    if flat:
        trace = replace(trace, max_depth=1)
    elif max_depth is not None:
        trace = replace(trace, max_depth=max_depth)
    if min_score is not None:
        trace = replace(trace, min_score=min_score)
    if alpha is not None:
        view = replace(view, alpha=alpha)
    return Settings(trace, view, granularity or base.granularity)
