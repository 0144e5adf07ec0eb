"""Choosing the spans to ask about, in the proportions wanted and at all depths."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tokengeist.bench.synth.gold import GoldGraph, trace
from tokengeist.bench.synth.ledger import Ledger, Mark

CATEGORIES = ("direct", "chained", "multi_source", "diamond", "hallucination")
"""Dependency types from the least to the most specific; a target counts as its most specific."""

_SHORTEST = 3
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that could be a target."""

    mark: Mark
    text: str
    graph: GoldGraph
    tags: tuple[str, ...]

    @property
    def category(self) -> str:
        """The most specific dependency type."""
        return max(self.tags, key=CATEGORIES.index)


def candidates(ledger: Ledger, max_depth: int) -> Iterator[Candidate]:
    """Every marked stretch that a reader could point to without ambiguity."""
    for turn, marks in enumerate(ledger.marks):
        for mark in marks:
            text = ledger.texts[turn][mark.place.start : mark.place.end]
            if mark.label.startswith("_") or not _SHORTEST <= len(text) <= _LONGEST:
                continue
            if ledger.texts[turn].count(text) != 1 or not mark.needs:
                continue
            graph = trace(ledger, mark)
            if graph.depth > max_depth:
                continue
            tags = graph.tags() + (["hallucination"] if mark.flaw else [])
            yield Candidate(mark, text, graph, tuple(tags))


def choose(rng: random.Random, pool: Sequence[Candidate], goals: Sequence[str]) -> list[Candidate]:
    """One candidate per goal: depth first, then a place far from those already chosen."""
    chosen: list[Candidate] = []
    for goal in sorted(goals, key=CATEGORIES.index, reverse=True):
        free = [c for c in pool if not any(_overlap(c, taken) for taken in chosen)]
        fitting = [c for c in free if c.category == goal] or [
            c for c in free if c.category != "hallucination"
        ]
        if not fitting:
            continue
        depths = sorted({c.graph.depth for c in fitting})
        (depth,) = rng.choices(depths, [_weight(depth) for depth in depths])
        deep = [c for c in fitting if c.graph.depth == depth]
        sample = rng.sample(deep, min(4, len(deep)))
        chosen.append(max(sample, key=lambda c: _distance(c, chosen)))
    return sorted(chosen, key=lambda c: (c.graph.target, c.mark.place.start))


def _weight(depth: int) -> float:
    """Deep graphs are rarer than shallow ones, and so are even depths, which need a statement of
    the agent's own in the chain of calls and results: both are favoured where they occur."""
    return (1 + depth / 6) * (1 if depth % 2 else 1.5)


def _overlap(one: Candidate, other: Candidate) -> bool:
    a, b = one.mark.place, other.mark.place
    return a.turn == b.turn and a.start < b.end and b.start < a.end


def _distance(candidate: Candidate, chosen: Sequence[Candidate]) -> int:
    return min((abs(candidate.graph.target - c.graph.target) for c in chosen), default=0)


def describe(ledger: Ledger, candidate: Candidate, name: str) -> dict[str, Any]:
    """A target in the paper's schema."""
    graph = candidate.graph
    record: dict[str, Any] = {
        "name": name,
        "target_turn_idx": graph.target,
        "target_text": candidate.text,
        "comment": _comment(ledger, candidate),
        "dep_type_tags": list(candidate.tags),
        "ground_truth_deps": {
            str(turn): {
                "depends_on": sorted(sources),
                "spans": {
                    str(source): ledger.texts[source][place.start : place.end]
                    for source, place in sorted(sources.items())
                },
            }
            for turn, sources in sorted(graph.edges.items(), reverse=True)
        },
    }
    if candidate.mark.flaw:
        record["hallucination_kind"] = candidate.mark.flaw.kind.value
        if candidate.mark.flaw.ignored:
            turns = {place.turn for place in candidate.mark.flaw.ignored}
            record["corrective_turns"] = sorted(turns)
    return record


def _comment(ledger: Ledger, candidate: Candidate) -> str:
    """The main chain in one sentence."""
    graph, flaw = candidate.graph, candidate.mark.flaw
    nearest = " and ".join(_naming(ledger, turn) for turn in sorted(graph.edges[graph.target]))
    leaves = ", ".join(f"{ledger.role(turn)} [{turn}]" for turn in graph.leaves)
    start = f"Wrong: {flaw.note}; it" if flaw else "It"
    end = "" if graph.depth == 1 else f", tracing back to {leaves}"
    return f"{start} rests on {nearest}{end}."


def _naming(ledger: Ledger, turn: int) -> str:
    role = ledger.role(turn)
    if role == "tool":
        return f"the result of {ledger.messages[turn]['name']} [{turn}]"
    words = {
        "system": "the policy",
        "user": "the user's words",
        "assistant": "the agent's own turn",
    }
    return f"{words[role]} [{turn}]"
