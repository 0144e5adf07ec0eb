"""What every backend owes the tracer, whatever it does inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from tokengeist.attribution import ablation, at2, attention, attntrace
from tokengeist.attribution.ablation import AblationAttributor, AblationOptions
from tokengeist.attribution.attntrace import AttnTraceAttributor, AttnTraceOptions
from tokengeist.attribution.protocol import Attributor
from tokengeist.attribution.registry import BackendOptions, backends, create_attributor
from tokengeist.segmentation import segment
from tokengeist.tracer import Tracer
from tokengeist.transcript import Role, Span, Target, Transcript, Turn, locate_target

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

Make = Callable[[int], Attributor]


@pytest.fixture(params=sorted(backends()))
def make(
    request: pytest.FixtureRequest, tiny: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> Make:
    """Every registered backend, by its factory; those with a model get a tiny one."""
    for module in (ablation, at2, attention, attntrace):
        monkeypatch.setattr(module, "load_for", lambda _: tiny)
    probe = "uniform" if request.param == "at2" else None
    return lambda seed: create_attributor(
        request.param, BackendOptions(seed=seed, probe=probe, cache=False)
    )


def scores_of(make: Make, transcript: Transcript, target: Target, seed: int = 0) -> Sequence[float]:
    return make(seed).read(transcript, segment(transcript)).score(target)


def test_one_finite_score_per_earlier_source(make: Make, refund: Transcript) -> None:
    sources = segment(refund)
    reading = make(0).read(refund, sources)
    for turn in refund.turns:
        if turn.role is not Role.ASSISTANT:
            continue
        for target in (Target.whole(turn), Target(turn.index, (Span(0, 3),))):
            scores = reading.score(target)
            assert len(scores) == sum(source.turn < turn.index for source in sources)
            assert all(math.isfinite(score) and score >= 0 for score in scores)


def test_the_same_seed_gives_the_same_scores(make: Make, refund: Transcript) -> None:
    target = locate_target(refund)
    assert scores_of(make, refund, target, 3) == scores_of(make, refund, target, 3)


def test_asking_twice_or_in_another_order_changes_nothing(make: Make, refund: Transcript) -> None:
    reading = make(0).read(refund, segment(refund))
    last, first = Target.whole(refund.turns[4]), Target.whole(refund.turns[1])
    before = list(reading.score(last))
    reading.score(first)
    assert list(reading.score(last)) == before
    other = make(0).read(refund, segment(refund))
    other.score(first)
    assert list(other.score(last)) == pytest.approx(before)


@pytest.mark.parametrize("sentences", [1, 2])
def test_a_short_context_is_scored_too(make: Make, sentences: int) -> None:
    user = Turn(0, Role.USER, " ".join(["The pass is red.", "It opens the gate."][:sentences]))
    transcript = Transcript((user, Turn(1, Role.ASSISTANT, "The pass is red.")))
    scores = scores_of(make, transcript, Target.whole(transcript.turns[1]))
    assert len(scores) == sentences


def test_the_spec_can_be_saved(make: Make) -> None:
    spec = make(0).spec
    assert spec.name in backends()
    assert all(isinstance(v, str | int | float | bool | None) for v in spec.options.values())


def test_every_backend_traces_the_refund_with_the_real_model(
    embedded: LoadedModel, refund: Transcript
) -> None:
    few = AttnTraceOptions(draws=2), AblationOptions(source_ablations=8)
    attributors: list[Attributor] = [
        create_attributor("lexical"),
        attention.AttentionAttributor(embedded),
        AttnTraceAttributor(embedded, options=few[0]),
        AblationAttributor(embedded, options=few[1]),
    ]
    for attributor in attributors:
        tracer = Tracer.reading(refund, attributor, sources=segment(refund))
        graph = tracer.trace(locate_target(refund))
        assert graph.root.turn == 4
        assert graph.edges, attributor.spec.name
