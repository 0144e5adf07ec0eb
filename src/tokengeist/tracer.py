"""The method: backward search from a target span to where it came from (paper, section 4.1).

At a turn, a backend says which earlier turns the text there rests on. What happens to each of them
depends on its role: system and user turns end the search, a tool result leads by a structural edge
to the call that it answers, an assistant turn is explained in its turn.

The paper searches breadth-first. All edges point back in time, so visiting turns from the latest
to the earliest expands the same turns at the same depths, and has one advantage: when a turn comes
up, everything that depends on it has been seen, so its evidence is complete and it is explained
exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from tokengeist.attribution.protocol import (
    Attributor,
    AttributorSpec,
    Explanation,
    Link,
    Reading,
    Unit,
    explain,
)
from tokengeist.errors import OptionError, TargetError
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.segmentation import Source
from tokengeist.transcript import Role, Target, Transcript, merge_spans

STRUCTURAL_SCORE = 1.0


class Recurse(StrEnum):
    """What is explained at a turn that the search has reached."""

    TURN = "turn"
    """All of it, as the paper does."""
    EVIDENCE = "evidence"
    """What the turns depending on it used of it."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """How far and how wide to search. The defaults are the paper's."""

    top_k: int | None = 3
    """Most sources followed at one turn; None for no limit."""
    max_depth: int = 8
    """Most edges between the target and anything in the graph; 1 is flat attribution."""
    min_score: float = 0.0
    """Scores below this do not count (θ). A score of zero never does: it is no support at all."""
    recurse: Recurse = Recurse.TURN

    def __post_init__(self) -> None:
        if self.top_k is not None and self.top_k < 1:
            raise OptionError(f"top_k is at least 1, not {self.top_k}")
        if self.max_depth < 1:
            raise OptionError(f"max_depth is at least 1, not {self.max_depth}")


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the search, finished: what was asked there and what was found."""

    node: Node
    target: Target | None
    """What was explained; None where nothing had to be (a leaf, a tool result)."""
    candidates: tuple[Link, ...]
    """Everything the backend offered, best first."""
    edges: tuple[Edge, ...]
    """What was followed."""
    units: tuple[Unit, ...] = ()


class Tracer:
    """Traces any number of targets of one transcript over one reading of it."""

    def __init__(
        self,
        transcript: Transcript,
        reading: Reading,
        *,
        sources: Sequence[Source],
        spec: AttributorSpec,
        options: TraceOptions | None = None,
    ) -> None:
        self.transcript = transcript
        self.sources = sources
        self.spec = spec
        self.options = options or TraceOptions()
        self._reading = reading

    @classmethod
    def reading(
        cls,
        transcript: Transcript,
        attributor: Attributor,
        *,
        sources: Sequence[Source],
        options: TraceOptions | None = None,
    ) -> Tracer:
        """A tracer over a fresh reading; this is where a model does its work."""
        return cls(
            transcript,
            attributor.read(transcript, sources),
            sources=sources,
            spec=attributor.spec,
            options=options,
        )

    def steps(self, target: Target) -> Iterator[Step]:
        """Search backward from `target`, yielding each turn as it is finished, latest first."""
        turns = self.transcript.turns
        if turns[target.turn].role is not Role.ASSISTANT:
            raise TargetError(
                f"turn {target.turn} is a {turns[target.turn].role} turn; "
                "only assistant turns can be traced"
            )
        frontier: dict[int, Node] = {
            target.turn: Node(target.turn, Role.ASSISTANT, 0, target.spans)
        }
        while frontier:
            node = frontier.pop(max(frontier))
            step = self._expand(node, target)
            for edge in step.edges:
                known = frontier.get(edge.source)
                frontier[edge.source] = Node(
                    edge.source,
                    turns[edge.source].role,
                    min(node.depth + 1, known.depth) if known else node.depth + 1,
                    merge_spans((known.spans if known else ()) + edge.evidence),
                )
            yield step

    def trace(self, target: Target) -> ProvenanceGraph:
        """The whole search as a graph, unpruned."""
        return collect(self, target, list(self.steps(target)))

    def _expand(self, node: Node, target: Target) -> Step:
        """Apply the rule for the node's role and name what it rests on."""
        turn = self.transcript.turns[node.turn]
        if turn.is_exogenous:
            return _dead_end(node, Stop.EXOGENOUS)
        if node.depth >= self.options.max_depth:
            return _dead_end(node, Stop.DEPTH)
        if turn.role is Role.TOOL:
            site = self.transcript.call_sites.get(turn.index)
            if site is None:
                return _dead_end(node, Stop.ORPHAN_RESULT)
            edge = Edge(turn.index, site.turn, STRUCTURAL_SCORE, EdgeKind.STRUCTURAL, (site.span,))
            return Step(node, None, (), (edge,))
        question = target if node.turn == target.turn else self._question(node)
        explanation = explain(self._reading, question, self.sources)
        edges = tuple(
            Edge(node.turn, link.turn, link.score, EdgeKind.ATTRIBUTION, link.evidence)
            for link in self._select(explanation)
        )
        if not edges:
            node = replace(node, stop=Stop.NO_SOURCE)
        return Step(node, question, explanation.links, edges, explanation.units)

    def _question(self, node: Node) -> Target:
        if self.options.recurse is Recurse.EVIDENCE and node.spans:
            return Target(node.turn, node.spans)
        return Target.whole(self.transcript.turns[node.turn])

    def _select(self, explanation: Explanation) -> list[Link]:
        scored = [
            link
            for link in explanation.links
            if link.score > 0 and link.score >= self.options.min_score
        ]
        return scored[: self.options.top_k]


def _dead_end(node: Node, stop: Stop) -> Step:
    return Step(replace(node, stop=stop), None, (), ())


def collect(tracer: Tracer, target: Target, steps: Sequence[Step]) -> ProvenanceGraph:
    """The graph that a finished sequence of steps amounts to."""
    return ProvenanceGraph(
        target=target,
        nodes=tuple(step.node for step in steps),
        edges=tuple(edge for step in steps for edge in step.edges),
        spec=tracer.spec,
        options=asdict(tracer.options),
        units=next((step.units for step in steps if step.node.turn == target.turn), ()),
        transcript_id=tracer.transcript.id,
        fingerprint=tracer.transcript.fingerprint,
    )
