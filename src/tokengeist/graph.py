"""The answer: a provenance graph over turns, and the invariants it keeps.

A graph as the tracer makes it is *unpruned*: it holds every dependency that was followed, so that
any stricter view of it (`extraction.prune`) costs nothing. Edges point back in time, from a
`dependent` to its `source`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from tokengeist.attribution.protocol import AttributorSpec, OptionValue, Unit
from tokengeist.errors import GraphError
from tokengeist.transcript import Role, Span, Target


class EdgeKind(StrEnum):
    """How an edge is known: scored by the backend, or given by a tool result's call."""

    ATTRIBUTION = "attribution"
    STRUCTURAL = "structural"


class Confirmation(StrEnum):
    """What taking an edge's evidence away did to the probability of the dependent text."""

    CONFIRMED = "confirmed"
    """At most half as likely."""
    WEAK = "weak"
    """It lost more than a tenth of its probability."""
    NOT_CONFIRMED = "not confirmed"

    @classmethod
    def of(cls, drop: float) -> Confirmation:
        """The verdict on a loss of log-probability, in nats."""
        if drop >= math.log(2):
            return cls.CONFIRMED
        return cls.WEAK if drop >= -math.log(0.9) else cls.NOT_CONFIRMED


class Stop(StrEnum):
    """Why nothing lies behind a node."""

    EXOGENOUS = "exogenous"
    """A system or user turn: the trace has arrived."""
    DEPTH = "depth"
    """The maximum depth was reached; there may be more behind it."""
    NO_SOURCE = "no source"
    """No earlier turn scored: what stands here is unsupported as far as the backend can tell."""
    ORPHAN_RESULT = "orphan result"
    """A tool result that no earlier turn could have asked for."""


@dataclass(frozen=True, slots=True)
class Node:
    """One turn of the graph."""

    turn: int
    role: Role
    depth: int
    """Fewest edges from the target turn when it was traced, structural ones included."""
    spans: tuple[Span, ...]
    """The evidence: what its dependents used of it; for the root, the target itself."""
    stop: Stop | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """`dependent` rests on `source`, an earlier turn."""

    dependent: int
    source: int
    score: float
    kind: EdgeKind
    evidence: tuple[Span, ...]
    """The text of `source` that `dependent` rests on."""
    drop: float | None = None
    """Loss of the dependent text's log-probability without the evidence; None if not verified."""

    @property
    def confirmation(self) -> Confirmation | None:
        """What verification said, where there was one."""
        return None if self.drop is None else Confirmation.of(self.drop)


@dataclass(frozen=True)
class ProvenanceGraph:
    """A weighted DAG over turns with the target turn as its only root (paper, section 3.2).

    Raises `GraphError` when constructed with anything else.
    """

    target: Target
    nodes: tuple[Node, ...]
    """In order of turns, latest first."""
    edges: tuple[Edge, ...]
    """Grouped by dependent, latest first; within one dependent the best score first."""
    spec: AttributorSpec
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """How the graph was traced: top_k, max_depth, min_score and the like."""
    units: tuple[Unit, ...] = ()
    """What each claim-bearing piece of the target rests on, where the backend says so."""
    transcript_id: str = "transcript"
    fingerprint: str = ""
    """Of the transcript; a graph shown beside another transcript is a mistake worth catching."""

    def __post_init__(self) -> None:
        by_turn = {node.turn: node for node in self.nodes}
        if len(by_turn) != len(self.nodes):
            raise GraphError("a graph has one node per turn; this one repeats a turn")
        if self.target.turn not in by_turn:
            raise GraphError(f"the target turn {self.target.turn} is not in the graph")
        seen: set[tuple[int, int]] = set()
        for edge in self.edges:
            pair = (edge.dependent, edge.source)
            if edge.source >= edge.dependent:
                raise GraphError(f"edge {pair} does not point back in time")
            if edge.dependent not in by_turn or edge.source not in by_turn:
                raise GraphError(f"edge {pair} has an end that is not in the graph")
            if pair in seen:
                raise GraphError(f"edge {pair} stands twice in the graph")
            seen.add(pair)
        if unreachable := set(by_turn) - self._reachable():
            raise GraphError(f"turns {sorted(unreachable)} are not reached from the target")

    def _reachable(self) -> set[int]:
        reached = {self.target.turn}
        for turn in sorted((node.turn for node in self.nodes), reverse=True):  # topological
            if turn in reached:
                reached.update(edge.source for edge in self.sources_of(turn))
        return reached

    @cached_property
    def _edges_by_dependent(self) -> dict[int, list[Edge]]:
        grouped: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            grouped[edge.dependent].append(edge)
        return grouped

    @cached_property
    def _nodes_by_turn(self) -> dict[int, Node]:
        return {node.turn: node for node in self.nodes}

    @property
    def root(self) -> Node:
        """The node of the target turn."""
        return self.node(self.target.turn)

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes that depend on nothing."""
        return tuple(node for node in self.nodes if not self.sources_of(node.turn))

    def node(self, turn: int) -> Node:
        """The node of a turn that is in the graph."""
        try:
            return self._nodes_by_turn[turn]
        except KeyError:
            raise GraphError(f"turn {turn} is not in the graph") from None

    def sources_of(self, turn: int) -> tuple[Edge, ...]:
        """The edges from a turn to what it rests on, best first."""
        return tuple(self._edges_by_dependent.get(turn, ()))
