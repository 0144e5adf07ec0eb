"""How often `blend` notes that a target is wrong, and whether it says in which way.

The kinds are those of the paper's taxonomy. Gold that does not say of which kind a hallucination is
still shows whether it was noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tokengeist.attribution.blend.attributor import BlendAttributor
from tokengeist.attribution.blend.checks.findings import INVENTION, STALE, WRONG_VALUE
from tokengeist.attribution.protocol import Explanation
from tokengeist.bench.dataset import Conversation
from tokengeist.bench.gold import GoldTarget

KINDS = {
    "wrong_value_transformation": WRONG_VALUE,
    "stale_context": STALE,
    "unsupported_invention": INVENTION,
}
"""What gold calls each kind, and what notes call it."""
UNSAID = "kind not given"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Of the targets that are wrong in one way, and of the notes that say so."""

    kind: str
    wrong: int
    noted: int
    """Of the wrong ones, those with a note of whatever kind."""
    named: int
    """Of these, those whose note is of this kind."""
    notes: int
    """Targets with a note of this kind, wrong or not."""
    false: int
    """Of these, those that are right."""

    @property
    def recall(self) -> float | None:
        return self.noted / self.wrong if self.wrong else None

    @property
    def precision(self) -> float | None:
        return 1 - self.false / self.notes if self.notes else None


def diagnose(conversations: Iterable[Conversation]) -> list[Diagnosis]:
    """One row per kind, and one for all."""
    pairs: Counter[tuple[str, str]] = Counter()  # what is wrong, what is noted; empty for nothing
    backend = BlendAttributor()
    for conversation in conversations:
        reading = backend.read(conversation.transcript, ())
        for gold in conversation.targets:
            pairs[_truth(gold), _noted(reading.explain(gold.target))] += 1
    rows = [_row(pairs, kind) for kind in (*KINDS.values(), UNSAID)]
    total = Diagnosis(
        "all",
        wrong=sum(row.wrong for row in rows),
        noted=sum(row.noted for row in rows),
        named=sum(row.named for row in rows),
        notes=sum(row.notes for row in rows),
        false=sum(row.false for row in rows),
    )
    return [*(row for row in rows if row.wrong or row.notes), total]


def _truth(gold: GoldTarget) -> str:
    if "hallucination" not in gold.tags:
        return ""
    return KINDS.get(gold.flaw or "", UNSAID)


def _noted(explanation: Explanation) -> str:
    """The kind of the first note that names one."""
    notes = (unit.note for unit in explanation.units)
    return next((k for note in notes for k in KINDS.values() if note.startswith(k)), "")


def _row(pairs: Counter[tuple[str, str]], kind: str) -> Diagnosis:
    here = {noted: n for (truth, noted), n in pairs.items() if truth == kind}
    notes = {truth: n for (truth, noted), n in pairs.items() if noted == kind}
    return Diagnosis(
        kind,
        wrong=sum(here.values()),
        noted=sum(n for noted, n in here.items() if noted),
        named=here.get(kind, 0),
        notes=sum(notes.values()),
        false=notes.get("", 0),
    )
