"""Edges put to the test with the real model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tokengeist.attribution.faithfulness import (
    FaithfulnessOptions,
    faithfulness,
    rank_correlation,
)
from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.errors import TargetError, TokengeistWarning
from tokengeist.graph import Confirmation, Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.segmentation import segment
from tokengeist.transcript import Role, Span, Target, Transcript, Turn, locate_target
from tokengeist.verification import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokengeist.models.loading import LoadedModel

LOCKER = Transcript(
    (
        Turn(0, Role.USER, "Bread is cheap in March."),
        Turn(1, Role.USER, "My locker number is 7352. What is my locker number?"),
        Turn(2, Role.ASSISTANT, "Your locker number is 7352."),
    )
)
ANSWER = locate_target(LOCKER, "7352")


class Fixed:
    """A reading that always says the same."""

    def __init__(self, scores: Sequence[float]) -> None:
        self._scores = scores

    def score(self, target: Target) -> Sequence[float]:
        return self._scores


def locker_graph() -> ProvenanceGraph:
    def edge(source: int, evidence: Span) -> Edge:
        return Edge(2, source, 0.5, EdgeKind.ATTRIBUTION, (evidence,))

    return ProvenanceGraph(
        target=ANSWER,
        nodes=(
            Node(2, Role.ASSISTANT, 0, ANSWER.spans),
            Node(1, Role.USER, 1, (Span(0, 25),), Stop.EXOGENOUS),
            Node(0, Role.USER, 1, (Span(0, 24),), Stop.EXOGENOUS),
        ),
        edges=(edge(1, Span(0, 25)), edge(0, Span(0, 24))),
        spec=AttributorSpec("scripted"),
    )


def test_what_the_answer_needs_is_confirmed_and_small_talk_is_not(embedded: LoadedModel) -> None:
    needed, small_talk = verify(locker_graph(), LOCKER, embedded).edges
    assert (needed.source, needed.confirmation) == (1, Confirmation.CONFIRMED)
    assert needed.drop is not None
    assert needed.drop > 3
    assert small_talk.confirmation in (Confirmation.WEAK, Confirmation.NOT_CONFIRMED)


def test_only_the_edges_asked_for_are_put_to_the_test(tiny: LoadedModel) -> None:
    one, other = verify(locker_graph(), LOCKER, tiny, edges={(2, 0)}).edges
    assert one.confirmation is None
    assert other.drop is not None


def test_structural_edges_are_not_put_to_the_test(tiny: LoadedModel, refund: Transcript) -> None:
    graph = ProvenanceGraph(
        target=Target(3, (Span(0, 5),)),
        nodes=(
            Node(3, Role.ASSISTANT, 0, (Span(0, 5),)),
            Node(2, Role.TOOL, 1, (Span(0, 9),)),
            Node(1, Role.ASSISTANT, 2, (Span(0, 9),), Stop.DEPTH),
        ),
        edges=(
            Edge(3, 2, 0.5, EdgeKind.ATTRIBUTION, (Span(0, 9),)),
            Edge(2, 1, 1.0, EdgeKind.STRUCTURAL, (Span(0, 9),)),
        ),
        spec=AttributorSpec("scripted"),
    )
    attributed, structural = verify(graph, refund, tiny).edges
    assert attributed.drop is not None
    assert structural.drop is None


@pytest.mark.parametrize(
    ("drop", "verdict"),
    [
        (0.7, "confirmed"),
        (0.69, "weak"),
        (0.11, "weak"),
        (0.1, "not confirmed"),
        (-2, "not confirmed"),
    ],
)
def test_verdicts_are_about_the_ratio_of_probabilities(drop: float, verdict: str) -> None:
    assert Confirmation.of(drop) == verdict


def test_good_scores_are_more_faithful_than_bad_ones(embedded: LoadedModel) -> None:
    sources = segment(LOCKER)
    right = [float("7352" in s.span.of(LOCKER.turns[s.turn].text)) for s in sources if s.turn < 2]
    wrong = [1.0 - score for score in right]
    options = FaithfulnessOptions(masks=8, ks=(1,))
    good, bad = (
        faithfulness(embedded, LOCKER, sources, reading=Fixed(s), target=ANSWER, options=options)
        for s in (right, wrong)
    )
    assert good.lds > 0.5 > bad.lds
    assert good.top_k_drop[1] > 3 > bad.top_k_drop[1]


def test_a_target_with_nothing_before_it(tiny: LoadedModel) -> None:
    alone = Transcript((Turn(0, Role.ASSISTANT, "Hello."),))
    with pytest.raises(TargetError, match="nothing stands before turn 0"):
        faithfulness(
            tiny, alone, segment(alone), reading=Fixed([]), target=Target(0, (Span(0, 5),))
        )


def test_rank_correlation_shares_ranks_and_survives_ties() -> None:
    import numpy as np

    assert rank_correlation(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])) == 0.0
    tied = rank_correlation(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert tied == pytest.approx(0.948683, abs=1e-6)


def test_what_does_not_fit_into_the_window_is_left_untested_and_said(tiny: LoadedModel) -> None:
    with pytest.warns(TokengeistWarning, match="turn 2 .* its 2 edges are not verified"):
        graph = verify(locker_graph(), LOCKER, replace(tiny, window=20))
    assert [edge.confirmation for edge in graph.edges] == [None, None]
