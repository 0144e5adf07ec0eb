"""Put the conversations beside the gold graphs of this folder.

    python -m benchmarks.tau ../shared/data/tau OUT

The first folder holds tau-bench result files, one `NAME-DOMAIN.json` for each model. OUT gets a
benchmark folder for every annotator, `OUT/tau-a` and so on.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

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


def assemble(gold: Path, conversations: Iterable[Imported], out: Path) -> int:
    """One annotator's benchmark folder; returns how many conversations it has."""
    wanted = {path.stem for path in gold.glob("*.json")}
    found = [run for run in conversations if run.id in wanted]
    if missing := wanted - {run.id for run in found}:
        raise SystemExit(f"not among the result files: {', '.join(sorted(missing))}")
    count = write_conversations(found, out)
    for path in gold.glob("*.json"):
        shutil.copy(path, out / "gold")
    return count


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tau")
    parser.add_argument("results", type=Path, help="the folder with tau-bench result files")
    parser.add_argument("out", type=Path, help="where the benchmark folders go")
    given = parser.parse_args()
    everything = list(runs(given.results))
    for gold in sets():
        print(f"{gold.name}: {assemble(gold, everything, given.out / gold.name)} conversations")


if __name__ == "__main__":
    main()
