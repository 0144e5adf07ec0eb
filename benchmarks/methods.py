"""All methods on one benchmark, in one table: `python -m benchmarks.methods DATA SYNTH`.

Methods that read a conversation once are run on all of DATA. `blend` is tested only on domains that
its weights have not seen: fitted on SYNTH, on DATA's other domains, and on these and, as what
ships, the handwritten conversations (`--beside`), without and with the sentence model.
`attntrace` and `ablation` cost minutes a target, so they are run on as many randomly drawn early
targets as `--attntrace` and `--ablation` say, and the other methods stand beside them on the same
targets.

Runs are kept in `--out` and resumed from there; those of `blend`, which take a minute, are made
anew, because nothing in them tells by which features. The tables are Markdown, on standard output
or, with `--docs FILE`, between the two marks in that file.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokengeist.api import Settings, settings_for
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.gold import TAGS
from tokengeist.bench.metrics import LABELS, METRICS
from tokengeist.bench.mistakes import PARTIES, EdgeCounts
from tokengeist.bench.run import run
from tokengeist.bench.scoring import RunScores, score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.subset import write_subset
from tokengeist.bench.transfer import across, elsewhere, transfer
from tokengeist.bench.worker import Method
from tokengeist.models.sentences import SentenceModel

BEGIN, END = "<!-- made by benchmarks.methods -->", "<!-- until here -->"
ONE_READING = ("attention", "at2", "lexical", "blend")
"""Backends that read a conversation once, or not at all."""
HANDWRITTEN = Path(__file__).parent / "handwritten"
EARLY = 12
"""Slow methods are run on targets before this turn: what they cost grows with the context."""


@dataclass(frozen=True, slots=True)
class Row:
    """A method with what it scores."""

    name: str
    scores: RunScores


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the benchmark folder to test on")
    parser.add_argument("synth", type=Path, help="`tokengeist bench synth --n 200 --seed 1`")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="where runs are kept")
    parser.add_argument("--only", nargs="+", default=ONE_READING, help="some of these backends")
    parser.add_argument(
        "--beside",
        type=Path,
        nargs="*",
        default=[folder for folder in sorted(HANDWRITTEN.iterdir()) if folder.is_dir()],
        help="data of other domains to fit on as well (default: handwritten)",
    )
    parser.add_argument("--attntrace", type=int, default=0, metavar="N", help="targets for it")
    parser.add_argument("--ablation", type=int, default=0, metavar="N", help="targets for it")
    parser.add_argument("--docs", type=Path, help="a file to put the tables into")
    options = parser.parse_args(arguments)

    data, synth, out = Dataset(options.data), Dataset(options.synth), options.out
    folders = dict(plain_runs(data, out, options.only))
    if "blend" in options.only:
        folders |= blend_runs(data, synth, [Dataset(folder) for folder in options.beside], out)
    rows = [Row(name, score(data, folder)) for name, folder in folders.items()]
    said = f"All {rows[0].scores.targets} targets, in per cent, with 95 % intervals:"
    parts = [said, scores_table(rows), *error_tables(rows)]
    for backend, count in (("attntrace", options.attntrace), ("ablation", options.ablation)):
        parts += [slow_table(backend, count, data, out, folders)] if count else []
    text = "\n\n".join(part.rstrip() for part in parts)
    if options.docs is None:
        print(text)
    else:
        put_into(options.docs, text)


def plain_runs(data: Dataset, out: Path, chosen: Sequence[str]) -> Iterator[tuple[str, RunFolder]]:
    """The methods that are what they are, whatever they are tested on; by their names."""
    for backend in (name for name in ONE_READING if name in chosen and name != "blend"):
        for name, is_flat in (("flat", True), ("recursive", False)):
            folder = out / f"{name}-{backend}"
            run(data, folder, Method(backend, settings=settings(backend, is_flat=is_flat)))
            said = f"{name} (the paper)" if folder.name == "recursive-attention" else name
            yield f"{backend}, {said}", RunFolder(folder)


def blend_runs(
    data: Dataset, synth: Dataset, beside: Sequence[Dataset], out: Path
) -> dict[str, RunFolder]:
    """`blend`, fitted in different ways on domains other than those tested; by their names."""
    model = SentenceModel.find("blend with a model")
    trials = {
        "blend, no model, fitted on synthetic worlds": (
            "blend-synthetic",
            elsewhere([synth], data),
        ),
        "blend, no model, fitted on the other domain": ("blend-across", across(data)),
        "blend, no model, fitted on other domains": ("blend-others", across(data, others=beside)),
        "blend with minilm, fitted on other domains": (
            "blend-minilm",
            across(data, model=model, others=beside),
        ),
    }
    folders = {}
    for name, (folder, divisions) in trials.items():
        shutil.rmtree(out / folder, ignore_errors=True)
        transfer(data, divisions, out / folder)
        folders[name] = RunFolder(out / folder)
    return folders


def settings(backend: str, *, is_flat: bool) -> Settings:
    """A backend's own settings, or the same with one hop."""
    found = settings_for(backend)
    return replace(found, trace=replace(found.trace, max_depth=1)) if is_flat else found


def scores_table(rows: Sequence[Row]) -> str:
    """The four metrics with their intervals."""
    head = ("method", *(LABELS[metric] for metric in METRICS))
    lines = []
    for row in rows:
        found = [row.scores.overall[metric] for metric in METRICS if metric in row.scores.overall]
        cells = [f"{100 * e.mean:.1f} [{100 * e.low:.0f}–{100 * e.high:.0f}]" for e in found]
        lines.append((row.name, *cells))
    return table(head, lines)


def error_tables(rows: Sequence[Row]) -> list[str]:
    """Missed and spurious edges, by what they join and by dependency type."""
    kinds = [f"{one} → {other}" for one in PARTIES for other in PARTIES]
    return [
        "Edges missed / made up over all targets, by what they join (who rests on whom):",
        counts_table("edge", kinds, rows, lambda s, kind: s.mistakes.by_kind.get(kind)),
        "The same by dependency type of the target:",
        counts_table("type", TAGS, rows, lambda s, tag: s.mistakes.by_tag.get(tag)),
    ]


def counts_table(
    what: str,
    keys: Sequence[str],
    rows: Sequence[Row],
    of: Callable[[RunScores, str], EdgeCounts | None],
) -> str:
    """Missed / spurious, a column per method."""
    lines = []
    for key in keys:
        found = [of(row.scores, key) or EdgeCounts() for row in rows]
        if any(counts != EdgeCounts() for counts in found):
            cells = [f"{counts.missed} / {counts.spurious}" for counts in found]
            lines.append((key.replace("_", "-"), str(max(c.gold for c in found)), *cells))
    return table((what, "gold", *(row.name for row in rows)), lines)


def slow_table(
    backend: str, count: int, data: Dataset, out: Path, folders: dict[str, RunFolder]
) -> str:
    """A slow method on early targets, flat and recursive, and the others on the same ones."""
    folder = out / f"targets-{backend}-{count}"
    if not folder.exists():
        write_subset(data, folder, targets=count, before_turn=EARLY)
    some = Dataset(folder)
    rows = []
    for name, is_flat in (("flat", True), ("recursive", False)):
        kept = out / f"{name}-{backend}-{count}"
        run(some, kept, Method(backend, settings=settings(backend, is_flat=is_flat)))
        rows.append(Row(f"{backend}, {name}", score(some, RunFolder(kept))))
    rows += [Row(name, score(some, kept)) for name, kept in folders.items()]
    said = f"`{backend}` on {count} random targets before turn {EARLY}, the others on the same:"
    return f"{said}\n\n{scores_table(rows)}"


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    shown = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in shown)


def put_into(page: Path, text: str) -> None:
    """Replace what stands between the marks."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{page} has no place for the tables: {BEGIN} … {END}")
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
