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
from tokengeist.models.probe_examples import Examples, head_features, parts_of
from tokengeist.models.probe_training import FitOptions, correlation, fit_probe
from tokengeist.segmentation import segment, segment_turn
from tokengeist.transcript import Role, Target, Transcript, Turn

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

QUICK = TrainingOptions(masks=6, held_out=0.25, fit=FitOptions(steps=20))


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
    sources, targets = segment(refund), [Target.whole(refund.turns[turn]) for turn in (1, 4)]
    text = text_up_to(tiny, refund, sources, turn=4, render=None)
    turns = [[text.tokens_of(target)] for target in targets]
    features = head_features(tiny, text.tokens.ids, text.owners, turns)
    reading = AttentionAttributor(tiny).read(refund, sources)
    for target, found in zip(targets, features, strict=True):
        assert found[0].mean(axis=0) == pytest.approx(reading.score(target), abs=1e-6)


def test_a_part_is_a_source_or_a_whole_assistant_turn(
    tiny: LoadedModel, refund: Transcript
) -> None:
    sources = segment(refund)
    text = text_up_to(tiny, refund, sources, turn=4, render=None)
    turns = [
        [text.tokens_of(Target(turn, (s.span,))) for s in segment_turn(refund.turns[turn])]
        for turn in (1, 4)
    ]
    parts = parts_of(text, turns)
    own = parts[turns[1][0][0] : turns[1][-1][-1] + 1]
    assert len(turns[1]) > 1
    assert set(own) == {parts.max()}
    assert (np.diff(parts[parts >= 0]) >= 0).all(), "numbered in the order of the text"
    elsewhere = [n for n, s in enumerate(sources) if s.turn not in (1, 4) and n in text.owners]
    assert parts.max() + 1 == len(elsewhere) + 2


def test_outcomes_are_log_odds_behind_what_is_left(
    embedded: LoadedModel, refund: Transcript
) -> None:
    """Against transformers: sources taken out, an earlier assistant turn hidden by a mask."""
    text = text_up_to(embedded, refund, segment(refund), turn=4, render=None)
    turns = [[text.tokens_of(Target.whole(refund.turns[turn]))] for turn in (1, 4)]
    parts = parts_of(text, turns)
    early = parts[turns[0][0][0]]
    kept = np.ones((2, parts.max() + 1), dtype=bool)
    kept[1, [0, early]] = False  # the first source, and the first assistant turn
    outcomes = probe_examples._outcomes(embedded, text.tokens.ids, parts, turns, kept)
    stays = np.flatnonzero(parts != 0)
    blocked = torch.zeros(len(stays), len(stays))
    blocked[:, parts[stays] == early] = torch.finfo(torch.float32).min
    own = torch.from_numpy(np.flatnonzero(parts[stays] == early))
    blocked[own[:, None], own] = 0.0
    blocked.masked_fill_(torch.ones_like(blocked).triu(1).bool(), torch.finfo(torch.float32).min)
    with torch.inference_mode():
        logits = embedded.model(
            input_ids=torch.tensor([[text.tokens.ids[place] for place in stays]]),
            attention_mask=blocked[None, None],
        ).logits[0]
    for (tokens,), outcome in zip(turns, outcomes, strict=True):
        rows = np.searchsorted(stays, tokens) - 1
        log_p = logits.log_softmax(-1)[rows, [text.tokens.ids[token] for token in tokens]].sum()
        assert outcome[1] == pytest.approx(log_p.item() - np.log(-np.expm1(log_p.item())), abs=1e-3)
        assert abs(outcome[0] - outcome[1]) > 0.1


def planted(sentences: int, seed: int) -> Examples:
    """Outcomes that depend on the third head and on nothing else."""
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(sentences, 16, 6)).astype(np.float32)
    noise = 0.1 * random.normal(size=(sentences, 16))
    return Examples(inputs, (inputs[:, :, 2] + noise).astype(np.float32))


def test_a_planted_signal_is_found_and_holds_out() -> None:
    options = FitOptions(steps=400, learning_rate=1e-2)
    probe, scores = fit_probe(
        [planted(40, 0)], [planted(10, 1)], layers=2, heads=3, options=options
    )
    assert probe.weights.abs().sum().item() == pytest.approx(1.0)
    assert int(probe.weights.argmax()) == 2
    assert scores.held_out > 0.95 > 0.6 > scores.held_out_uniform


def test_the_uniform_mean_stays_where_nothing_learned_holds_elsewhere() -> None:
    """Outcomes that are the opposite of the third head on the transcripts that say when to stop."""
    opposite = Examples((elsewhere := planted(10, 1)).inputs, -elsewhere.outcomes)
    probe, _ = fit_probe([planted(40, 0)], [], choice=[opposite], layers=2, heads=3)
    assert probe.about["kept_step"] == 0
    assert probe.weights.flatten().tolist() == pytest.approx([1 / 6] * 6)


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
    original = probe_examples.make_examples

    def counting(*args: object, **options: object) -> Examples:
        made.append(1)
        return original(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(probe_examples, "make_examples", counting)
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
