"""Gold provenance graphs: what an annotator says a target span depends on.

A gold file follows the paper's schema (appendix, annotation prompts) in either of two forms. The
*quoted* form carries the annotated text itself; the *offsets* form carries character ranges of
canonical turn text and quotes nothing, so that annotations of conversations that may not be passed
on can be. Both become the same types here. This file says what can be read at all; whether a graph
obeys the annotation protocol is `validation`'s business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tokengeist.transcript import Span, Target, Transcript, merge_spans

BASE_TAGS = ("direct", "chained")
TAGS = (*BASE_TAGS, "multi_source", "diamond", "hallucination")


@dataclass(frozen=True, slots=True)
class GoldEdge:
    """`dependent` needed the text `span` of the earlier turn `source`."""

    dependent: int
    source: int
    span: Span


@dataclass(frozen=True)
class GoldTarget:
    """One annotated target with its provenance graph."""

    name: str
    turn: int
    span: Span
    tags: tuple[str, ...]
    nodes: tuple[int, ...]
    """Every turn of the graph, the target turn included, latest first."""
    edges: tuple[GoldEdge, ...]
    """Latest dependent first."""
    comment: str = ""
    corrective: tuple[int, ...] = ()
    """For a hallucination: the turns of the graph that held the right value and were ignored."""
    flaw: str | None = None
    """For a hallucination: of which kind of the paper's taxonomy it is, where that is known."""
    corrected_from: str | None = None
    """For a target whose hallucinated value was replaced by the right one: the wrong value."""

    @property
    def target(self) -> Target:
        """What a tracer is asked for."""
        return Target(self.turn, (self.span,))

    @cached_property
    def sources(self) -> dict[int, tuple[int, ...]]:
        """For every turn of the graph, the turns that it depends on directly."""
        found: dict[int, list[int]] = {turn: [] for turn in self.nodes}
        for edge in self.edges:
            found[edge.dependent].append(edge.source)
        return {turn: tuple(sources) for turn, sources in found.items()}

    @cached_property
    def leaves(self) -> frozenset[int]:
        """The original sources: the turns besides the target that depend on nothing."""
        return frozenset(t for t, sources in self.sources.items() if not sources and t != self.turn)

    @cached_property
    def depth(self) -> int:
        """The longest way from the target to a leaf, in edges (paper, table 1)."""
        longest: dict[int, int] = {}
        for turn in sorted(self.sources):  # edges point back, so sources come first
            longest[turn] = max((1 + longest[s] for s in self.sources[turn]), default=0)
        return longest[self.turn]

    @cached_property
    def distances(self) -> dict[int, int]:
        """The fewest edges from the target to each turn (paper, signal coverage)."""
        fewest = {self.turn: 0}
        for turn in sorted(self.sources, reverse=True):  # a turn's dependents come before it
            for source in self.sources[turn] if turn in fewest else ():
                fewest[source] = min(fewest.get(source, len(self.nodes)), fewest[turn] + 1)
        return fewest

    @cached_property
    def is_diamond(self) -> bool:
        """Whether a leaf reaches the target by two separate ways, each with a turn in between.

        By Menger's theorem there are two ways that share no turn exactly when no single turn's
        removal cuts the leaf off. The edge straight from target to leaf does not count.
        """
        return any(self._has_two_ways(leaf) for leaf in self.leaves)

    def _has_two_ways(self, leaf: int) -> bool:
        between = [turn for turn in self.nodes if turn not in (self.turn, leaf)]
        return self._reaches(leaf) and all(self._reaches(leaf, without=turn) for turn in between)

    def _reaches(self, leaf: int, *, without: int | None = None) -> bool:
        reached = {self.turn}
        for turn in sorted(self.sources, reverse=True):
            if turn in reached and turn != without:
                reached.update(s for s in self.sources[turn] if (turn, s) != (self.turn, leaf))
        return leaf in reached

    def texts(self, transcript: Transcript) -> dict[int, tuple[str, ...]]:
        """For every annotated turn what its dependents needed of it, each character once."""
        found: dict[int, tuple[Span, ...]] = {}
        for edge in self.edges:
            found[edge.source] = merge_spans((*found.get(edge.source, ()), edge.span))
        return {
            turn: tuple(span.of(transcript.turns[turn].text) for span in spans)
            for turn, spans in found.items()
        }


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a gold file: where, which rule, and what."""

    file: str
    rule: str
    message: str
    target: str | None = None
    turn: int | None = None
    is_advice: bool = False
    """A departure from the protocol's recommendations; the file is usable all the same."""

    def __str__(self) -> str:
        place = [self.file]
        if self.target is not None:
            place.append(f"target '{self.target}'")
        if self.turn is not None:
            place.append(f"turn {self.turn}")
        return f"{', '.join(place)}: {self.message} [{self.rule}]"


class TargetReader:
    """Reads one target of a gold file in either form, noting every problem on the way."""

    def __init__(self, raw: object, transcript: Transcript, *, file: str, position: int) -> None:
        self.problems: list[Problem] = []
        self._raw: dict[str, Any] = raw if isinstance(raw, dict) else {}
        self._transcript = transcript
        self._file = file
        name = self._raw.get("name")
        self._name = name if isinstance(name, str) and name else f"#{position}"
        if not isinstance(raw, dict):
            self._note("form", "a target is an object")
        elif self._name != name:
            self._note("form", "a target has a 'name'")

    def read(self) -> GoldTarget | None:
        """The target, or None where `problems` says why there is none."""
        if self.problems:
            return None
        turn = self._raw.get("target_turn_idx")
        if not isinstance(turn, int) or not self._exists(turn):
            self._note("target", f"'target_turn_idx' names no turn: {turn!r}")
            return None
        span = self._span(
            turn, self._raw.get("target_text"), self._raw.get("target_span"), rule="target"
        )
        nodes = self._nodes()
        edges = tuple(sorted(self._edges(nodes), key=lambda edge: -edge.dependent))
        if turn not in nodes:
            self._note("root", f"the target turn {turn} is missing from 'ground_truth_deps'")
        tags = self._raw.get("dep_type_tags")
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            self._note("tags", "'dep_type_tags' is a list of tags")
            tags = []
        corrective = self._raw.get("corrective_turns", [])
        if not isinstance(corrective, list) or not set(corrective) <= set(nodes) - {turn}:
            self._note("form", "'corrective_turns' lists turns of the graph besides the target")
            corrective = []
        if self.problems or span is None:
            return None
        return GoldTarget(
            name=self._name,
            turn=turn,
            span=span,
            tags=tuple(tags),
            nodes=tuple(sorted(nodes, reverse=True)),
            edges=edges,
            comment=str(self._raw.get("comment") or ""),
            corrective=tuple(corrective),
            flaw=self._raw.get("hallucination_kind"),
            corrected_from=self._raw.get("corrected_from"),
        )

    def _nodes(self) -> dict[int, dict[str, Any]]:
        deps = self._raw.get("ground_truth_deps")
        if not isinstance(deps, dict):
            self._note("form", "'ground_truth_deps' is an object from turns to dependencies")
            return {}
        nodes = {}
        for key, node in deps.items():
            if not key.isdecimal() or not self._exists(int(key)):
                self._note("form", f"'ground_truth_deps' names a turn that does not exist: {key!r}")
            elif not isinstance(node, dict) or not isinstance(node.get("depends_on"), list):
                self._note("form", "a turn of the graph has a list 'depends_on'", int(key))
            else:
                nodes[int(key)] = node
        return nodes

    def _edges(self, nodes: dict[int, dict[str, Any]]) -> Iterator[GoldEdge]:
        for turn, node in nodes.items():
            quotes = node.get("spans") or {}
            offsets = node.get("span_offsets") or {}
            listed = node["depends_on"]
            if len(set(map(str, listed))) != len(listed):
                self._note("form", f"'depends_on' repeats a turn: {listed}", turn)
                continue
            for extra in sorted((set(quotes) | set(offsets)) - set(map(str, listed))):
                self._note("span", f"a span quotes turn {extra}, which is no dependency", turn)
            for source in listed:
                if not isinstance(source, int) or not self._exists(source):
                    self._note("form", f"depends on a turn that does not exist: {source!r}", turn)
                    continue
                if source >= turn:
                    self._note("backward", f"depends on turn {source}, which is not earlier", turn)
                    continue
                if source not in nodes:
                    self._note("node", f"depends on turn {source}, which has no entry", turn)
                    continue
                quote, place = quotes.get(str(source)), offsets.get(str(source))
                span = self._span(source, quote, place, rule="span", dependent=turn)
                if span is not None:
                    yield GoldEdge(turn, source, span)

    def _span(
        self, turn: int, quote: object, place: object, *, rule: str, dependent: int | None = None
    ) -> Span | None:
        """Where an annotation points, from its text, its offsets, or both if they agree."""
        text = self._transcript.turns[turn].text
        what = "the target text" if dependent is None else f"the span of turn {turn}"
        at = turn if dependent is None else dependent
        if place is not None:
            match place:
                case [int(start), int(end)] if 0 <= start < end <= len(text):
                    if quote is None or text[start:end] == quote:
                        return Span(start, end)
                    self._note(rule, f"{what} and its offsets {place} disagree", at)
                case _:
                    self._note(rule, f"{what} has offsets outside the turn: {place!r}", at)
        elif not isinstance(quote, str) or not quote.strip():
            self._note(rule, f"{what} is missing", at)
        elif quote not in text:
            self._note(rule, f"{what} is not verbatim in it: {quote!r}", at)
        else:
            start = text.index(quote)
            return Span(start, start + len(quote))
        return None

    def _exists(self, turn: int) -> bool:
        return 0 <= turn < len(self._transcript.turns)

    def _note(self, rule: str, message: str, turn: int | None = None) -> None:
        self.problems.append(Problem(self._file, rule, message, self._name, turn))


def fitting_tags(target: GoldTarget, *, is_hallucination: bool) -> list[str]:
    """The tags that a graph's shape calls for (paper, section 5.1)."""
    tags = ["direct" if target.depth <= 1 else "chained"]
    if len(target.leaves) >= 2:
        tags.append("multi_source")
    if target.is_diamond:
        tags.append("diamond")
    return [*tags, "hallucination"] if is_hallucination else tags


def quoted(target: GoldTarget, transcript: Transcript) -> dict[str, Any]:
    """A target in the quoted form.

    A quote means its first occurrence. Where an annotation points at a later one, its offsets are
    written beside the quote, so that nothing is lost on the way through this form.
    """

    def points_elsewhere(turn: int, span: Span) -> bool:
        text = transcript.turns[turn].text
        return text.index(span.of(text)) != span.start

    raw: dict[str, Any] = {
        "name": target.name,
        "target_turn_idx": target.turn,
        "target_text": target.span.of(transcript.turns[target.turn].text),
    }
    if points_elsewhere(target.turn, target.span):
        raw["target_span"] = [target.span.start, target.span.end]
    raw |= {"comment": target.comment, "dep_type_tags": list(target.tags)}
    deps: dict[str, Any] = {}
    for turn, edges in _by_dependent(target):
        node: dict[str, Any] = {
            "depends_on": [edge.source for edge in edges],
            "spans": {str(e.source): e.span.of(transcript.turns[e.source].text) for e in edges},
        }
        later = {
            str(edge.source): [edge.span.start, edge.span.end]
            for edge in edges
            if points_elsewhere(edge.source, edge.span)
        }
        deps[str(turn)] = node | ({"span_offsets": later} if later else {})
    corrected = {} if target.corrected_from is None else {"corrected_from": target.corrected_from}
    return raw | {"ground_truth_deps": deps} | _of_a_hallucination(target) | corrected


def offsets(target: GoldTarget) -> dict[str, Any]:
    """A target in the offsets form. Comments may quote the conversation, so they stay behind."""
    return {
        "name": target.name,
        "target_turn_idx": target.turn,
        "target_span": [target.span.start, target.span.end],
        "dep_type_tags": list(target.tags),
        "ground_truth_deps": {
            str(turn): {
                "depends_on": [edge.source for edge in edges],
                "span_offsets": {str(e.source): [e.span.start, e.span.end] for e in edges},
            }
            for turn, edges in _by_dependent(target)
        },
    } | _of_a_hallucination(target)


def _by_dependent(target: GoldTarget) -> list[tuple[int, list[GoldEdge]]]:
    return [(turn, [e for e in target.edges if e.dependent == turn]) for turn in target.nodes]


def _of_a_hallucination(target: GoldTarget) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if target.flaw is not None:
        found["hallucination_kind"] = target.flaw
    if target.corrective:
        found["corrective_turns"] = list(target.corrective)
    return found
