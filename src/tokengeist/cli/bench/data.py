"""`tokengeist bench validate`, `gold`, `stats`, `subset`, `import` and `synth`: the folders."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tokengeist.bench.dataset import Dataset, GoldForm, write_gold
from tokengeist.bench.domains import find_domains
from tokengeist.bench.importing import write_conversations
from tokengeist.bench.importing.confetti import import_confetti
from tokengeist.bench.importing.tau_bench import import_tau_bench
from tokengeist.bench.report.data import to_csv, write_figures
from tokengeist.bench.stats import describe
from tokengeist.bench.subset import write_subset
from tokengeist.bench.synth import DOMAINS, SynthConversation, generate, write
from tokengeist.bench.validation import validate as find_problems
from tokengeist.cli.bench.tables import show_stats
from tokengeist.cli.dataset import open_dataset, say_corrections
from tokengeist.cli.options import named_file
from tokengeist.cli.output import print_json, write_file
from tokengeist.errors import DatasetError, TokengeistWarning
from tokengeist.export.terminal import printable

Data = Annotated[Path, typer.Argument(help="A folder with conversations/ and gold/.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]


def validate(
    data: Data,
    as_json: AsJson = False,
    advice: Annotated[
        bool, typer.Option("--advice", help="Also show what the protocol merely recommends.")
    ] = False,
) -> None:
    """Check every rule of the annotation protocol. Exit code 1 if any is broken."""
    dataset = Dataset(data)
    say_corrections(dataset)
    problems = [p for p in find_problems(dataset) if advice or not p.is_advice]
    broken = sum(not problem.is_advice for problem in problems)
    if as_json:
        print_json(
            {
                "conversations": len(dataset),
                "corrections": dataset.corrections.counts(),
                "is_valid": not broken,
                "problems": [asdict(problem) for problem in problems],
            }
        )
    else:
        for problem in problems:
            typer.echo(printable(f"{'advice: ' if problem.is_advice else ''}{problem}"))
        verdict = f"{broken} problems" if broken else "every rule is kept"
        typer.echo(f"{len(dataset)} conversations: {verdict}")
    if broken:
        raise typer.Exit(1)


def gold(
    data: Data,
    out: Annotated[Path, typer.Option("--out", help="The folder for the new gold files.")],
    form: Annotated[GoldForm, typer.Option(help="How to write them.")] = GoldForm.OFFSETS,
    as_json: AsJson = False,
) -> None:
    """Write gold files in the other form: with quotes, or as offsets that quote nothing.

    Comments may quote the conversation, so the offsets form leaves them out.
    """
    if out.resolve() == (data / "gold").resolve():
        raise DatasetError(f"{out} holds the gold that is read; choose another folder for --out")
    count = write_gold(open_dataset(data), out, form)
    if as_json:
        print_json({"files": count, "form": form, "folder": str(out)})
    else:
        typer.echo(f"{count} gold files in the {form} form: {out}")


def stats(
    data: Annotated[list[Path], typer.Argument(help="Benchmark folders.")],
    csv: Annotated[
        Path | None,
        typer.Option("--csv", callback=named_file, help="Also write the tables as CSV."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="Also draw SVG figures into this folder.")
    ] = None,
    domains: Annotated[
        bool, typer.Option("--domains", help="Find task families by the tools that are called.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What data sets are made of: targets, turns, depths, tags, tokens, domains."""
    datasets = [open_dataset(folder) for folder in data]
    described = [describe(dataset) for dataset in datasets]
    families = [find_domains(dataset) for dataset in datasets] if domains else []
    if csv is not None:
        write_file(csv, to_csv(described, families))
    if figures is not None:
        write_figures(described, figures)
    if as_json:
        found = [stats.json() for stats in described]
        for entry, family in zip(found, families, strict=False):
            entry["domains"] = family.json()
        print_json(found)
    else:
        show_stats(described, families)


def subset(
    data: Data,
    out: Annotated[Path, typer.Option("--out", help="The benchmark folder to make.")],
    targets: Annotated[int, typer.Option(min=1, help="How many targets to draw.")],
    before_turn: Annotated[
        int | None, typer.Option(min=1, help="Draw only from targets before this turn.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed, the same targets.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Make a smaller benchmark of randomly drawn targets, for methods that cost minutes each."""
    whole = open_dataset(data)
    count = write_subset(whole, out, targets=targets, before_turn=before_turn, seed=seed)
    made = len(Dataset(out))
    if as_json:
        print_json({"targets": count, "conversations": made, "folder": str(out)})
    else:
        typer.echo(f"{count} targets of {made} conversations: {out}")


class Origin(StrEnum):
    """Whose files are imported."""

    TAU_BENCH = "tau-bench"
    CONFETTI = "confetti"


def import_(
    origin: Annotated[Origin, typer.Argument(help="Whose files they are.")],
    files: Annotated[list[Path], typer.Argument(help="The project's own files.")],
    out: Annotated[Path, typer.Option("--out", help="The benchmark folder to make.")],
    as_json: AsJson = False,
) -> None:
    """Make conversations from another project's files, as they are; gold graphs come later."""
    reader = import_tau_bench if origin is Origin.TAU_BENCH else import_confetti
    count = write_conversations((found for file in files for found in reader(file)), out)
    if as_json:
        print_json({"conversations": count})
    else:
        typer.echo(f"{count} conversations: {out}")


def synth(
    out: Annotated[Path, typer.Option("--out", help="The benchmark folder to make.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many conversations.")] = 200,
    seed: Annotated[int, typer.Option(help="The same seed, the same conversations.")] = 1,
    start: Annotated[int, typer.Option(min=0, help="The number of the first one.")] = 0,
    domains: Annotated[
        str | None, typer.Option(help=f"Some of {', '.join(DOMAINS)}, with commas.")
    ] = None,
    max_depth: Annotated[int, typer.Option(help="The deepest provenance, up to 14.")] = 14,
    turns: Annotated[
        str | None, typer.Option(metavar="A:B", help="Turns to aim at, such as 20:44.")
    ] = None,
    mix: Annotated[
        str | None,
        typer.Option(help="Shares of dependency types, such as direct=1,multi_source=2."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Generate agent conversations with gold graphs by construction."""
    chosen: dict[str, Any] = {}
    if domains is not None:
        chosen["domains"] = domains.split(",")
    if turns is not None:
        chosen["turns"] = _range(turns)
    if mix is not None:
        chosen["mix"] = _shares(mix)
    stream = generate(n, seed=seed, start=start, max_depth=max_depth, **chosen)
    if turns is not None:
        stream = _noting_overruns(stream, chosen["turns"][1])
    count = write(out, stream)
    if as_json:
        print_json({"conversations": count, "folder": str(out), "seed": seed})
    else:
        typer.echo(f"{count} conversations with gold graphs: {out}")


def _noting_overruns(stream: Iterator[SynthConversation], most: int) -> Iterator[SynthConversation]:
    """The same conversations, and at their end a note if some are longer than asked for."""
    count = longest = 0
    for conversation in stream:
        length = len(conversation.messages)
        count += length > most
        longest = max(longest, length)
        yield conversation
    if count:
        warnings.warn(
            f"{count} conversations have more than {most} turns, the longest {longest}: each goes "
            "on until all its targets are there",
            TokengeistWarning,
            stacklevel=2,
        )


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition(":")
    if not (low.isdecimal() and high.isdecimal()):
        raise typer.BadParameter(f"--turns takes a range such as 20:44, not {text!r}")
    return int(low), int(high)


def _shares(text: str) -> dict[str, float]:
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {name.strip(): float(share) for name, share in pairs}
    except ValueError:
        raise typer.BadParameter(f"--mix takes shares such as direct=1, not {text!r}") from None
