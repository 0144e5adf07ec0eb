"""From a mark to its gold provenance graph: a walk over recorded needs, nothing inferred.

The rules are those of the annotation protocol: a tool result rests on its call only, a call on
its arguments (and what authorised it), an assistant's own statement on what the reader of it
needed, users and the policy on nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tokengeist.bench.synth.ledger import Ledger, Mark
from tokengeist.bench.synth.value import Origin

Edges = dict[int, dict[int, Origin]]


@dataclass(frozen=True, slots=True)
class GoldGraph:
    """The graph of one target: for every turn, the turns it rests on and the text it took."""

    target: int
    edges: Edges

    @property
    def leaves(self) -> tuple[int, ...]:
        """The turns that rest on nothing, in order."""
        return tuple(sorted(turn for turn, sources in self.edges.items() if not sources))

    @property
    def depth(self) -> int:
        """The longest path from the target to a leaf, in edges."""
        depths: dict[int, int] = {}
        for turn in sorted(self.edges):  # sources come before their dependents
            depths[turn] = max((1 + depths[source] for source in self.edges[turn]), default=0)
        return depths[self.target]

    @property
    def is_diamond(self) -> bool:
        """Whether a leaf reaches the target by two disjoint paths, each with an intermediate."""
        return any(_disjoint_paths(self.edges, self.target, leaf) for leaf in self.leaves)

    def tags(self) -> list[str]:
        """The dependency types, without `hallucination`, which is a fact about the text."""
        tags = ["direct" if self.depth == 1 else "chained"]
        if len(self.leaves) > 1:
            tags.append("multi_source")
        if self.is_diamond:
            tags.append("diamond")
        return tags


def trace(ledger: Ledger, mark: Mark) -> GoldGraph:
    """The gold graph of a marked stretch."""
    edges: Edges = defaultdict(dict)
    pending: list[tuple[int, Origin]] = [(mark.place.turn, need) for need in mark.needs]
    seen = set(pending)
    while pending:
        dependent, source = pending.pop()
        known = edges[dependent].get(source.turn, source)
        edges[dependent][source.turn] = Origin(  # one contiguous span per pair of turns
            source.turn, min(known.start, source.start), max(known.end, source.end)
        )
        edges.setdefault(source.turn, {})
        for need in _needs(ledger, source):
            step = (source.turn, need)
            if step not in seen:
                seen.add(step)
                pending.append(step)
    return GoldGraph(mark.place.turn, dict(edges))


def _needs(ledger: Ledger, place: Origin) -> tuple[Origin, ...]:
    """What had to be read to write the text at `place`."""
    role = ledger.role(place.turn)
    if role == "tool":
        return (ledger.callers[place.turn],)
    return tuple(
        need
        for mark in ledger.marks[place.turn]
        if mark.place.start < place.end and place.start < mark.place.end
        for need in mark.needs
    )


def _disjoint_paths(edges: Edges, start: int, goal: int) -> bool:
    """Two paths from `start` to `goal` with no turn in common between them, by augmentation.

    The edge from start straight to goal is left out, so each path has an intermediate. Every turn
    in between is split into an entry and an exit that carry one path, which is Menger's theorem
    as a flow of two.
    """
    residual: dict[tuple[int, str], set[tuple[int, str]]] = defaultdict(set)
    for dependent, sources in edges.items():
        if dependent not in (start, goal):
            residual[dependent, "in"].add((dependent, "out"))
        for source in sources:
            if (dependent, source) != (start, goal):
                residual[dependent, "out"].add((source, "in"))
    for _ in range(2):
        came: dict[tuple[int, str], tuple[int, str]] = {}
        frontier = [(start, "out")]
        while frontier and (goal, "in") not in came:
            here = frontier.pop()
            for there in residual[here]:
                if there not in came and there != (start, "out"):
                    came[there] = here
                    frontier.append(there)
        if (goal, "in") not in came:
            return False
        here = (goal, "in")
        while here != (start, "out"):
            before = came[here]
            residual[before].discard(here)
            residual[here].add(before)
            here = before
    return True
