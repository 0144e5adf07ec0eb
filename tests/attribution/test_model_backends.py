"""What is particular to `at2`, `attntrace` and `ablation`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from tokengeist.attribution.ablation import AblationAttributor, AblationOptions
from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.attntrace import AttnTraceAttributor, AttnTraceOptions
from tokengeist.attribution.rendered import text_up_to
from tokengeist.errors import ModelError, TokengeistWarning
from tokengeist.models.probe import uniform_probe
from tokengeist.segmentation import segment
from tokengeist.transcript import Role, Span, Target, Transcript, Turn, locate_target

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel


def test_uniform_at2_is_attention(embedded: LoadedModel, refund: Transcript) -> None:
    sources, target = segment(refund), locate_target(refund)
    plain = AttentionAttributor(embedded).read(refund, sources).score(target)
    weights = uniform_probe(embedded).weights
    probed = AttentionAttributor(embedded, head_weights=weights).read(refund, sources).score(target)
    assert probed == pytest.approx(plain, abs=1e-6)


def test_a_score_below_zero_is_no_support(tiny: LoadedModel, refund: Transcript) -> None:
    sources, target = segment(refund), locate_target(refund)
    against = -torch.ones(1, 2)
    scores = AttentionAttributor(tiny, head_weights=against).read(refund, sources).score(target)
    assert set(scores) == {0.0}


def test_attntrace_with_one_full_draw_is_the_mean_of_the_best_tokens(
    tiny: LoadedModel, refund: Transcript
) -> None:
    """Against transformers' own attention, with nothing left out."""
    options = AttnTraceOptions(draws=1, share=1.0)
    sources, target = segment(refund), locate_target(refund)
    reading = AttnTraceAttributor(tiny, options=options).read(refund, sources)
    text = text_up_to(tiny, refund, sources, turn=4, render=None)
    tokens = text.tokens_of(target)
    end = int(tokens[-1]) + 1
    tiny.model.set_attn_implementation("eager")
    with torch.inference_mode():
        output = tiny.model(torch.tensor([text.tokens.ids[:end]]), output_attentions=True)
    rows = [*(tokens - 1).tolist(), end - 1]
    means = torch.stack([a[0, :, rows].mean((0, 1)) for a in output.attentions]).mean(0).numpy()
    expected = [
        np.sort(means[text.owners[:end] == source])[-5:].mean()
        for source in range(len(text.sources))
    ]
    assert reading.score(target) == pytest.approx(expected, abs=1e-6)


def test_attntrace_draws_differ_by_seed(tiny: LoadedModel, refund: Transcript) -> None:
    sources, target = segment(refund), locate_target(refund)
    by_seed = [
        AttnTraceAttributor(tiny, options=AttnTraceOptions(draws=3, seed=seed))
        .read(refund, sources)
        .score(target)
        for seed in (0, 1)
    ]
    assert by_seed[0] != by_seed[1]


def test_attntrace_batches_make_no_difference(tiny: LoadedModel, refund: Transcript) -> None:
    sources, target = segment(refund), locate_target(refund)
    one, many = (
        AttnTraceAttributor(tiny, options=AttnTraceOptions(draws=6, batch_tokens=size))
        .read(refund, sources)
        .score(target)
        for size in (1, 4096)
    )
    assert one == pytest.approx(many, abs=1e-6)


def test_attntrace_says_when_a_draw_does_not_fit(tiny: LoadedModel, refund: Transcript) -> None:
    sources, target = segment(refund), locate_target(refund)
    small = replace(tiny, window=140)
    reading = AttnTraceAttributor(small, options=AttnTraceOptions(share=1.0)).read(refund, sources)
    with pytest.warns(TokengeistWarning, match="as many sources as fit"):
        scores = reading.score(target)
    assert any(scores)


def asked_twice() -> Transcript:
    filler = [
        Turn(i, Role.USER if i % 2 else Role.ASSISTANT, text)
        for i, text in enumerate(
            ["It rains today.", "Cats sleep a lot.", "The train was late.", "Bread is cheap."], 1
        )
    ]
    return Transcript(
        (
            Turn(0, Role.USER, "My locker number is 7352. Please remember it."),
            *filler,
            Turn(5, Role.USER, "What is my locker number?"),
            Turn(6, Role.ASSISTANT, "Your locker number is 7352."),
        )
    )


def test_ablation_finds_what_the_answer_needs(embedded: LoadedModel) -> None:
    transcript = asked_twice()
    sources = segment(transcript)
    options = AblationOptions(turn_ablations=16, source_ablations=16, best_turns=3)
    reading = AblationAttributor(embedded, options=options).read(transcript, sources)
    scores = reading.score(locate_target(transcript, "7352", turn=6))
    best = max(range(len(scores)), key=scores.__getitem__)
    assert "7352" in sources[best].span.of(transcript.turns[sources[best].turn].text)


def test_every_span_of_a_turn_shares_its_ablations(
    tiny: LoadedModel, refund: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = AblationAttributor(tiny).read(refund, segment(refund))
    whole = reading.score(Target.whole(refund.turns[4]))
    monkeypatch.setattr(tiny.model, "forward", None)
    part = reading.score(Target(4, (Span(0, 20),)))
    assert len(part) == len(whole)


def test_ablation_says_when_the_context_does_not_fit(tiny: LoadedModel, refund: Transcript) -> None:
    reading = AblationAttributor(replace(tiny, window=50)).read(refund, segment(refund))
    with pytest.raises(ModelError, match=r"do not fit into the 50"):
        reading.score(locate_target(refund))
