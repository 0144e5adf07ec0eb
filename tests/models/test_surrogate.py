"""The ablation solver against ContextCite's recorded weights, and log-odds at their limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from tokengeist.models.ablations import Ablations
from tokengeist.models.scoring import Floats, log_probs, sequence_log_odds, token_log_odds
from tokengeist.models.surrogate import ALPHA, lasso, surrogate_weights

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

CASE: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "parity-library.json").read_text()
)


@pytest.mark.parametrize(
    ("recorded", "tokens"),
    [("scores_whole_response", slice(None)), ("scores_span", slice(9, 13))],  # "Marcus Oyelaran"
)
def test_the_weights_are_those_of_context_cite(recorded: str, tokens: slice) -> None:
    """To what its solver leaves open: scikit-learn stops before the minimum, and ours is there."""
    masks = np.array(CASE["context_cite"]["masks"], dtype=bool)
    theirs = np.array(CASE["context_cite"][recorded])
    per_token = np.array(CASE["context_cite"]["token_logit_probs"])[:, tokens]
    log_odds = sequence_log_odds(per_token)
    ours = surrogate_weights(masks, log_odds, per_token.shape[1])
    assert ours == pytest.approx(theirs, abs=2e-3)

    def objective(weights: Floats) -> float:
        kept = masks.astype(float)
        missed = (log_odds - kept @ weights) / per_token.shape[1]
        penalty = np.abs(weights * kept.std(axis=0)).sum() / per_token.shape[1]
        return float(missed.var() / 2 + ALPHA * penalty)

    assert objective(ours) <= objective(theirs) <= objective(ours) + 1e-4


def test_the_log_odds_are_those_of_context_cite(embedded: LoadedModel) -> None:
    """One of its ablations, made anew by taking tokens out of the recorded prompt."""
    recorded = CASE["context_cite"]
    owners = np.full(len(CASE["input_ids"]), -1)
    for number, source in enumerate(CASE["sources"]):
        owners[slice(*source["tokens"])] = number
    ablations = Ablations(
        embedded,
        CASE["input_ids"],
        owners,
        sources=20,
        tokens=np.arange(*CASE["target_tokens"]),
    )
    # The mask that keeps the first source: without it ContextCite's prompt begins with no space.
    row = next(i for i, mask in enumerate(recorded["masks"]) if mask[0])
    found = ablations.log_odds(np.array([recorded["masks"][row]], dtype=bool))[0]
    assert found == pytest.approx(np.array(recorded["token_logit_probs"][row]), abs=2e-2)


def test_a_lasso_with_no_penalty_is_least_squares() -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(50, 4))
    outputs = features @ np.array([1.0, -2.0, 0.0, 3.0]) + 5
    assert lasso(features, outputs, alpha=0.0) == pytest.approx([1, -2, 0, 3], abs=1e-6)


def test_a_source_that_was_always_kept_has_no_weight() -> None:
    masks = np.array([[True, True], [True, False], [True, True], [True, False]])
    weights = surrogate_weights(masks, np.array([4.0, 0.0, 4.0, 0.0]), 1)
    assert weights[0] == 0
    assert weights[1] > 3


def test_log_odds_stay_finite_where_probabilities_round() -> None:
    for value in (-800.0, -40.0, 0.0, 40.0, 800.0):
        assert np.isfinite(sequence_log_odds(np.array([value]))).all()
        assert np.isfinite(log_probs(np.array([value]))).all()
    # One token's sequence log-odds are its own, wherever the two formulas meet.
    for value in (-5.0, -0.1, 2.2, 2.4, 12.0):
        assert sequence_log_odds(np.array([value])) == pytest.approx(value, rel=1e-6)


def test_token_log_odds_are_those_of_the_softmax(tiny: LoadedModel) -> None:
    ids = [[5, 6, 7, 8, 9], [11, 12, 13]]
    found = token_log_odds(tiny.model, [(ids[0], [2, 4]), (ids[1], [1])])
    with torch.inference_mode():
        p = tiny.model(torch.tensor([ids[0]])).logits[0].double().softmax(-1)
        q = tiny.model(torch.tensor([ids[1]])).logits[0].double().softmax(-1)
    expected = [p[1, 7], p[3, 9]]
    assert found[0] == pytest.approx([torch.logit(v).item() for v in expected], abs=1e-4)
    assert found[1] == pytest.approx([torch.logit(q[0, 12]).item()], abs=1e-4)
