"""The search: what is followed, where it ends, and what holds for any scores whatever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import score_tables, traceable_transcripts
from tokengeist.attribution.protocol import Explanation, Link, Unit, Verdict
from tokengeist.attribution.scripted import ScriptedAttributor
from tokengeist.errors import AttributionError, TargetError
from tokengeist.graph import EdgeKind, ProvenanceGraph, Stop
from tokengeist.segmentation import segment
from tokengeist.tracer import Recurse, TraceOptions, Tracer
from tokengeist.transcript import Role, Span, Target, ToolCall, Transcript, Turn, locate_target

REFUND_SCORES = {4: {3: 0.6, 0: 0.1}, 3: {2: 0.5, 0: 0.2}, 1: {0: 0.7}}


def tracer(
    transcript: Transcript,
    table: Mapping[int, Mapping[int, float]],
    options: TraceOptions | None = None,
) -> Tracer:
    sources = segment(transcript)
    return Tracer.reading(transcript, ScriptedAttributor(table), sources=sources, options=options)


def trace(
    transcript: Transcript,
    table: Mapping[int, Mapping[int, float]],
    options: TraceOptions | None = None,
) -> ProvenanceGraph:
    return tracer(transcript, table, options).trace(locate_target(transcript))


def edges(graph: ProvenanceGraph) -> set[tuple[int, int]]:
    return {(edge.dependent, edge.source) for edge in graph.edges}


def test_the_papers_walk_through(refund: Transcript) -> None:
    graph = trace(refund, REFUND_SCORES)
    assert edges(graph) == {(4, 3), (4, 0), (3, 2), (3, 0), (2, 1), (1, 0)}
    structural = [edge for edge in graph.edges if edge.kind is EdgeKind.STRUCTURAL]
    assert [(edge.dependent, edge.source, edge.score) for edge in structural] == [(2, 1, 1.0)]
    assert structural[0].evidence[0].of(refund.turns[1].text).startswith("look_up_order(")
    assert [node.turn for node in graph.nodes] == [4, 3, 2, 1, 0]
    assert [node.depth for node in graph.nodes] == [0, 1, 2, 3, 1]
    assert [node.turn for node in graph.leaves] == [0]
    assert graph.node(0).stop is Stop.EXOGENOUS


def test_steps_come_latest_first_and_carry_what_was_asked(refund: Transcript) -> None:
    steps = list(tracer(refund, REFUND_SCORES).steps(locate_target(refund, "full refund", turn=4)))
    assert [step.node.turn for step in steps] == [4, 3, 2, 1, 0]
    assert steps[0].target is not None
    assert steps[0].target.spans[0].of(refund.turns[4].text) == "full refund"
    assert steps[1].target == Target.whole(refund.turns[3])
    assert steps[2].target is None
    assert [(link.turn, link.score) for link in steps[0].candidates][:2] == [(3, 0.6), (0, 0.1)]


def test_flat_is_depth_one(refund: Transcript) -> None:
    graph = trace(refund, REFUND_SCORES, TraceOptions(max_depth=1))
    assert edges(graph) == {(4, 3), (4, 0)}
    assert graph.node(3).stop is Stop.DEPTH
    assert graph.node(0).stop is Stop.EXOGENOUS


def test_a_structural_hop_spends_depth(refund: Transcript) -> None:
    graph = trace(refund, {4: {2: 1.0}, 1: {0: 1.0}}, TraceOptions(max_depth=2))
    assert edges(graph) == {(4, 2), (2, 1)}
    assert graph.node(1).stop is Stop.DEPTH


def test_top_k_and_min_score(refund: Transcript) -> None:
    scores = {4: {3: 0.4, 2: 0.3, 1: 0.2, 0: 0.1}}
    assert {s for d, s in edges(trace(refund, scores)) if d == 4} == {3, 2, 1}
    one = trace(refund, scores, TraceOptions(top_k=1))
    assert {s for d, s in edges(one) if d == 4} == {3}
    every = trace(refund, scores, TraceOptions(top_k=None, min_score=0.25))
    assert {s for d, s in edges(every) if d == 4} == {3, 2}


def test_nothing_scored_means_unsupported_not_an_invented_source(refund: Transcript) -> None:
    graph = trace(refund, {})
    assert graph.edges == ()
    assert graph.root.stop is Stop.NO_SOURCE


def test_equal_scores_go_to_the_later_turn(refund: Transcript) -> None:
    graph = trace(refund, {4: {0: 0.5, 2: 0.5, 3: 0.5}}, TraceOptions(top_k=2))
    assert {s for d, s in edges(graph) if d == 4} == {3, 2}


def test_an_orphan_result_ends_its_branch() -> None:
    transcript = Transcript((Turn(0, Role.TOOL, "x"), Turn(1, Role.ASSISTANT, "y")))
    assert trace(transcript, {1: {0: 1.0}}).node(0).stop is Stop.ORPHAN_RESULT


def test_parallel_calls_lead_to_their_turn_with_their_own_evidence() -> None:
    call_turn = Turn(1, Role.ASSISTANT, "", (ToolCall("f", "1", "a"), ToolCall("g", "2", "b")))
    transcript = Transcript(
        (
            Turn(0, Role.USER, "both"),
            call_turn,
            Turn(2, Role.TOOL, "one", call_id="a"),
            Turn(3, Role.TOOL, "two", call_id="b"),
            Turn(4, Role.ASSISTANT, "two"),
        )
    )
    only_second = trace(transcript, {4: {3: 1.0}, 1: {0: 1.0}})
    assert [span.of(call_turn.text) for span in only_second.node(1).spans] == ["g(2)"]
    both = trace(transcript, {4: {3: 1.0, 2: 1.0}, 1: {0: 1.0}})
    assert [span.of(call_turn.text) for span in both.node(1).spans] == ["f(1)", "g(2)"]


def test_a_users_own_tool_call_is_a_leaf() -> None:
    transcript = Transcript(
        (
            Turn(0, Role.USER, "", (ToolCall("toggle", "{}", "a"),)),
            Turn(1, Role.TOOL, "on", call_id="a"),
            Turn(2, Role.ASSISTANT, "It is on."),
        )
    )
    graph = trace(transcript, {2: {1: 1.0}})
    assert edges(graph) == {(2, 1), (1, 0)}
    assert graph.node(0).stop is Stop.EXOGENOUS


def test_a_summary_is_recursed_into() -> None:
    transcript = Transcript(
        (
            Turn(0, Role.USER, "I am M-208"),
            Turn(1, Role.USER, "Summary: member M-208", is_summary=True),
            Turn(2, Role.ASSISTANT, "Hello M-208"),
        )
    )
    assert edges(trace(transcript, {2: {1: 1.0}, 1: {0: 1.0}})) == {(2, 1), (1, 0)}


def test_only_assistant_turns_are_traced(refund: Transcript) -> None:
    with pytest.raises(TargetError, match="turn 0 is a user turn"):
        tracer(refund, {}).trace(Target(0, (Span(0, 2),)))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1])
def test_scores_that_break_the_contract_are_refused(refund: Transcript, bad: float) -> None:
    with pytest.raises(AttributionError, match="scores are finite, >= 0"):
        trace(refund, {4: {3: bad}})


def test_a_wrong_number_of_scores_is_refused(refund: Transcript) -> None:
    reading = ScriptedAttributor({}).read(refund, segment(refund))
    short = Tracer(refund, reading, sources=segment(refund)[:-3], spec=ScriptedAttributor({}).spec)
    with pytest.raises(AttributionError, match=r"returned \d+ scores for the \d+ sources"):
        short.trace(locate_target(refund))


@dataclass(frozen=True)
class Quoting:
    """A reading that names its evidence itself, to be recursed into."""

    asked: list[Target]

    def score(self, target: Target) -> list[float]:
        raise AssertionError("a reading that explains is not asked for scores")

    def explain(self, target: Target) -> Explanation:
        self.asked.append(target)
        if target.turn == 4:
            unit = Unit(4, Span(0, 4), Verdict.UNSUPPORTED)
            return Explanation((Link(3, 0.9, (Span(8, 12),)),), (unit,))
        return Explanation((Link(0, 0.8, (Span(0, 2),)),))


def test_recursion_can_follow_what_was_used(refund: Transcript) -> None:
    sources = segment(refund)
    reading = Quoting([])
    spec = ScriptedAttributor({}).spec
    options = TraceOptions(recurse=Recurse.EVIDENCE)
    graph = Tracer(refund, reading, sources=sources, spec=spec, options=options).trace(
        locate_target(refund)
    )
    assert reading.asked[1] == Target(3, (Span(8, 12),))
    assert [unit.verdict for unit in graph.units] == [Verdict.UNSUPPORTED]


@given(st.data())
def test_any_scores_give_an_acyclic_graph_with_one_node_per_turn(data: st.DataObject) -> None:
    """ProvenanceGraph checks its invariants when it is made; this says they can always be met."""
    transcript = data.draw(traceable_transcripts())
    table = data.draw(score_tables(transcript))
    options = TraceOptions(
        top_k=data.draw(st.sampled_from([1, 3, None])),
        max_depth=data.draw(st.integers(1, 9)),
        recurse=data.draw(st.sampled_from(list(Recurse))),
    )
    graph = trace(transcript, table, options)
    turns = [node.turn for node in graph.nodes]
    assert turns == sorted(set(turns), reverse=True)
    assert all(edge.source < edge.dependent for edge in graph.edges)
    assert max(node.depth for node in graph.nodes) <= options.max_depth
    for node in graph.nodes:
        assert (node.stop is None) == bool(graph.sources_of(node.turn))
        for edge in graph.sources_of(node.turn):
            assert graph.node(edge.source).depth <= node.depth + 1


@given(st.data())
def test_depths_are_those_of_a_breadth_first_search(data: st.DataObject) -> None:
    """The order of visits is ours; the graph must be the paper's."""
    transcript = data.draw(traceable_transcripts())
    table = data.draw(score_tables(transcript))
    graph = trace(transcript, table, TraceOptions(max_depth=4))
    depth = {graph.target.turn: 0}
    queue = [graph.target.turn]
    while queue:
        turn = queue.pop(0)
        for edge in graph.sources_of(turn):
            if edge.source not in depth:
                depth[edge.source] = depth[turn] + 1
                queue.append(edge.source)
    assert depth == {node.turn: node.depth for node in graph.nodes}
