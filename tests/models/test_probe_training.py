"""Training: features are the capture's, a stopped run goes on, a planted signal is found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.probe_training import TrainingOptions, train_probe
from tokengeist.attribution.rendered import text_up_to
from tokengeist.errors import TranscriptError
from tokengeist.models import probe_examples
from tokengeist.models.probe import load_probe, save_probe
from tokengeist.models.probe_examples import TurnExamples
from tokengeist.models.probe_training import FitOptions, correlation, fit_probe
from tokengeist.segmentation import segment
from tokengeist.transcript import Role, Target, Transcript, Turn

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

QUICK = TrainingOptions(masks=6, held_out=0.5, fit=FitOptions(steps=20))


def talk(number: int) -> Transcript:
    return Transcript(
        (
            Turn(0, Role.USER, f"My code is {number}. The sky is blue. It rains."),
            Turn(1, Role.ASSISTANT, f"Your code is {number}. Noted."),
        )
    )


def test_features_summed_over_heads_are_the_attention_scores(
    tiny: LoadedModel, refund: Transcript
) -> None:
    sources, target = segment(refund), Target.whole(refund.turns[4])
    text = text_up_to(tiny, refund, sources, turn=4, render=None)
    features = probe_examples._features(tiny, text, [text.tokens_of(target)])
    expected = AttentionAttributor(tiny).read(refund, sources).score(target)
    assert features[0].mean(axis=0) == pytest.approx(expected, abs=1e-6)


def planted(sentences: int, seed: int) -> TurnExamples:
    """Outcomes that depend on the third head and on nothing else."""
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(sentences, 16, 6)).astype(np.float32)
    noise = 0.1 * random.normal(size=(sentences, 16))
    return TurnExamples(inputs, (inputs[:, :, 2] + noise).astype(np.float32))


def test_a_planted_signal_is_found_and_holds_out() -> None:
    options = FitOptions(steps=400, learning_rate=1e-2)
    probe, scores = fit_probe(
        [planted(40, 0)], [planted(10, 1)], layers=2, heads=3, options=options
    )
    assert probe.weights.abs().sum().item() == pytest.approx(1.0)
    assert int(probe.weights.argmax()) == 2
    assert scores.held_out > 0.95 > 0.6 > scores.held_out_uniform


def test_weights_can_be_kept_from_going_negative() -> None:
    options = FitOptions(steps=100, learning_rate=1e-2, non_negative=True)
    probe, _ = fit_probe([planted(40, 0)], [], layers=2, heads=3, options=options)
    assert (probe.weights >= 0).all()


def test_correlation_of_what_does_not_vary_is_zero() -> None:
    assert correlation(torch.ones(4), torch.arange(4.0)).item() == 0


def test_a_stopped_run_goes_on_where_it_was(
    tiny: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcripts = [talk(n) for n in (12, 34, 56, 78)]
    first, scores = train_probe(tiny, transcripts, tmp_path, options=QUICK)
    files = sorted(tmp_path.glob("*.npz"))
    assert len(files) == 4
    files[0].write_bytes(b"half a file")
    made = []
    original = probe_examples.turn_examples

    def counting(*args: object, **options: object) -> TurnExamples:
        made.append(1)
        return original(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(probe_examples, "turn_examples", counting)
    again, _ = train_probe(tiny, transcripts, tmp_path, options=QUICK)
    assert len(made) == 1
    assert torch.equal(first.weights, again.weights)
    save_probe(again, tmp_path / "probe")
    loaded = load_probe(str(tmp_path / "probe"), tiny)
    assert loaded.about["train_sentences"] == 4
    assert loaded.about["correlation"]["held_out"] == pytest.approx(scores.held_out)


def test_nothing_to_learn_from(tiny: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="nothing to learn from"):
        train_probe(tiny, [Transcript((Turn(0, Role.USER, "Hello."),))], tmp_path)
