"""Pruning and chains: views of a graph that never add anything to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import score_tables, traceable_transcripts
from tests.test_tracer import REFUND_SCORES, edges, trace
from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.extraction import View, chains, prune
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.tracer import TraceOptions
from tokengeist.transcript import Role, Span, Target, Transcript


def test_alpha_is_relative_to_the_best_at_each_node(refund: Transcript) -> None:
    scores = {4: {3: 0.10, 2: 0.09, 0: 0.05}, 3: {0: 0.001}, 1: {0: 0.5}}
    pruned = prune(trace(refund, scores), alpha=0.85)
    assert edges(pruned) == {(4, 3), (4, 2), (3, 0), (2, 1), (1, 0)}
    assert edges(prune(trace(refund, scores), alpha=1.0)) == {(4, 3), (3, 0)}


def test_what_the_target_no_longer_reaches_is_gone(refund: Transcript) -> None:
    pruned = prune(trace(refund, REFUND_SCORES))
    assert [node.turn for node in pruned.nodes] == [4, 3, 2, 1, 0]
    assert edges(pruned) == {(4, 3), (3, 2), (2, 1), (1, 0)}


def test_evidence_is_that_of_the_edges_that_are_left() -> None:
    first, second = Span(0, 3), Span(5, 9)
    graph = ProvenanceGraph(
        target=Target(2, (Span(0, 1),)),
        nodes=(
            Node(2, Role.ASSISTANT, 0, (Span(0, 1),)),
            Node(1, Role.ASSISTANT, 1, (Span(0, 1),)),
            Node(0, Role.USER, 1, (first, second), Stop.EXOGENOUS),
        ),
        edges=(
            Edge(2, 1, 1.0, EdgeKind.ATTRIBUTION, (Span(0, 1),)),
            Edge(2, 0, 0.1, EdgeKind.ATTRIBUTION, (first,)),
            Edge(1, 0, 1.0, EdgeKind.ATTRIBUTION, (second,)),
        ),
        spec=AttributorSpec("scripted"),
    )
    assert prune(graph).node(0).spans == (second,)


def test_a_node_without_support_keeps_nothing() -> None:
    graph = ProvenanceGraph(
        target=Target(1, (Span(0, 1),)),
        nodes=(Node(1, Role.ASSISTANT, 0, ()), Node(0, Role.USER, 1, (), Stop.EXOGENOUS)),
        edges=(Edge(1, 0, 0.0, EdgeKind.ATTRIBUTION, ()),),
        spec=AttributorSpec("scripted"),
    )
    pruned = prune(graph)
    assert pruned.edges == ()
    assert pruned.root.stop is Stop.NO_SOURCE


def test_min_score_spares_structural_edges(refund: Transcript) -> None:
    pruned = prune(trace(refund, {4: {2: 3.0}, 1: {0: 2.5}}), alpha=0, min_score=2)
    assert edges(pruned) == {(4, 2), (2, 1), (1, 0)}


def test_alpha_outside_its_range_is_refused(refund: Transcript) -> None:
    with pytest.raises(ValueError, match="alpha lies between 0 and 1"):
        prune(trace(refund, {}), alpha=1.5)


def test_chains_run_from_the_target_to_the_leaves(refund: Transcript) -> None:
    found = [[edge.source for edge in chain] for chain in chains(trace(refund, REFUND_SCORES))]
    assert found == [[3, 2, 1, 0], [3, 0], [0]]
    assert list(chains(trace(refund, {}))) == []


@st.composite
def graphs(draw: st.DrawFn) -> ProvenanceGraph:
    transcript = draw(traceable_transcripts())
    options = TraceOptions(top_k=draw(st.sampled_from([2, 3, None])))
    return trace(transcript, draw(score_tables(transcript)), options)


views = st.builds(
    View,
    alpha=st.floats(0, 1),
    top_k=st.one_of(st.none(), st.integers(1, 3)),
    max_depth=st.one_of(st.none(), st.integers(1, 5)),
    min_score=st.sampled_from([0.0, 0.5]),
)


@given(graphs(), views)
def test_pruning_is_idempotent(graph: ProvenanceGraph, view: View) -> None:
    once = view.of(graph)
    assert view.of(once) == once


@given(graphs(), st.floats(0, 1), st.floats(0, 1))
def test_pruning_is_monotone_in_alpha(graph: ProvenanceGraph, one: float, two: float) -> None:
    loose, strict = sorted((one, two))
    assert edges(prune(graph, alpha=strict)) <= edges(prune(graph, alpha=loose)) <= edges(graph)


@given(st.data(), st.integers(1, 5))
def test_a_depth_view_is_what_a_shallower_trace_finds(data: st.DataObject, depth: int) -> None:
    transcript = data.draw(traceable_transcripts())
    table = data.draw(score_tables(transcript))
    deep = trace(transcript, table, TraceOptions(max_depth=9))
    shallow = trace(transcript, table, TraceOptions(max_depth=depth))
    assert edges(prune(deep, max_depth=depth)) == edges(prune(shallow))
