"""Put the conversations beside the gold graphs and the labelled hops of this folder.

    python -m benchmarks.tau ../shared/data/tau OUT

The first folder holds tau-bench result files, one `NAME-DOMAIN.json` for each model. OUT gets a
benchmark folder for every annotator, `OUT/tau-a` and so on, and `OUT/tau-hops`.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from tokengeist.bench import links
from tokengeist.bench.importing import Imported, write_conversations
from tokengeist.bench.importing.tau_bench import import_tau_bench

GOLD = Path(__file__).parent
_RUN = re.compile(r"(?P<model>.+)-(?P<domain>[a-z]+)-(?P<task>\d+)-(?P<trial>\d+)")


def sets() -> list[Path]:
    """The folders of gold files, one for each annotator."""
    return sorted(path for path in GOLD.glob("tau-*") if path.is_dir())


def runs(folder: Path) -> Iterator[Imported]:
    """All runs of all result files, called after domain, task, model and trial."""
    for file in sorted(folder.glob("*.json")):
        for run in import_tau_bench(file):
            if named := _RUN.fullmatch(run.id):
                id = "tau-{domain}-{task}-{model}-{trial}".format(**named.groupdict())
                yield Imported(id, run.source, run.messages)


def assemble(labels: Path, conversations: Iterable[Imported], out: Path, kind: str = "gold") -> int:
    """A benchmark folder with gold or links; returns how many conversations it has."""
    wanted = {path.stem for path in labels.glob("*.json")}
    found = [run for run in conversations if run.id in wanted]
    if missing := wanted - {run.id for run in found}:
        raise SystemExit(f"not among the result files: {', '.join(sorted(missing))}")
    count = write_conversations(found, out)
    (out / kind).mkdir(exist_ok=True)
    for path in labels.glob("*.json"):
        shutil.copy(path, out / kind)
    return count


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tau")
    parser.add_argument("results", type=Path, help="the folder with tau-bench result files")
    parser.add_argument("out", type=Path, help="where the benchmark folders go")
    given = parser.parse_args()
    everything = list(runs(given.results))
    labels = [(gold, gold.name, "gold") for gold in sets()]
    if (GOLD / "hops").is_dir():
        labels.append((GOLD / "hops", "tau-hops", links.FOLDER))
    for folder, name, kind in labels:
        count = assemble(folder, everything, given.out / name, kind)
        print(f"{name}: {count} conversations")


if __name__ == "__main__":
    main()
