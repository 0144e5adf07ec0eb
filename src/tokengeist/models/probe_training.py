"""Examples → a probe: AT2's loss and schedule, in a minute on a laptop.

The loss is minus the Pearson correlation, over the masks of one sentence, of what the probe
predicts with what was measured. Training starts from the uniform mean and keeps the weights that do
best on transcripts set aside for that choice: the fewer steps, the nearer to uniform, and uniform
itself if nothing beats it. Other transcripts are held out, and what is reported of them was never
optimised, in any way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tokengeist.models.probe import Probe
from tokengeist.models.probe_examples import Examples
from tokengeist.progress import report


@dataclass(frozen=True, slots=True)
class FitOptions:
    """AT2's constants; a smaller batch, because few have its four thousand examples."""

    steps: int = 1000
    batch: int = 128
    learning_rate: float = 1e-3
    non_negative: bool = False
    """Clamp weights at zero. With few examples it keeps a probe from overfitting by signs."""
    look_every: int = 10
    """Steps between looks at the transcripts that say when to stop."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class FitScores:
    """Mean correlation of prediction and outcome; the uniform mean is where training starts."""

    train_uniform: float
    train: float
    held_out_uniform: float
    held_out: float


def fit_probe(
    train: Sequence[Examples],
    held_out: Sequence[Examples],
    *,
    choice: Sequence[Examples] = (),
    layers: int,
    heads: int,
    options: FitOptions | None = None,
) -> tuple[Probe, FitScores]:
    """Learn one weight per head; L1-normalised, as AT2's are.

    `choice` says which step's weights are best; without it they are the last ones.
    """
    chosen = options or FitOptions()
    inputs, outcomes = _stack(train)
    generator = torch.Generator().manual_seed(chosen.seed)
    uniform = torch.full((layers * heads,), 1 / (layers * heads))
    weights = uniform.clone().requires_grad_()
    optimiser = torch.optim.Adam([weights], lr=chosen.learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, chosen.steps)
    best, best_step, best_score = uniform, 0, _score(choice, uniform)
    for step in range(1, chosen.steps + 1):
        rows = torch.randperm(len(inputs), generator=generator)[: chosen.batch]
        loss = -correlation(inputs[rows] @ weights, outcomes[rows]).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([weights], 1.0)
        optimiser.step()
        schedule.step()
        if chosen.non_negative:
            with torch.no_grad():
                weights.clamp_(min=0)
        if step % chosen.look_every == 0 or step == chosen.steps:
            report("fitting", step, chosen.steps)
            score = _score(choice, weights.detach())
            if not choice or score > best_score:
                best, best_step, best_score = weights.detach().clone(), step, score
    learned = best / best.abs().sum()
    scores = FitScores(
        train_uniform=_score(train, uniform),
        train=_score(train, learned),
        held_out_uniform=_score(held_out, uniform),
        held_out=_score(held_out, learned),
    )
    return Probe(learned.view(layers, heads), {"kept_step": best_step}), scores


def correlation(predicted: Tensor, measured: Tensor) -> Tensor:
    """Pearson's r over the last axis; 0 where either does not vary."""
    a = predicted - predicted.mean(-1, keepdim=True)
    b = measured - measured.mean(-1, keepdim=True)
    r: Tensor = (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1) + 1e-8)
    return r


def _stack(examples: Sequence[Examples]) -> tuple[Tensor, Tensor]:
    inputs = torch.from_numpy(np.concatenate([e.inputs for e in examples]))
    outcomes = torch.from_numpy(np.concatenate([e.outcomes for e in examples]))
    return inputs, outcomes


def _score(examples: Sequence[Examples], weights: Tensor) -> float:
    if not examples:
        return float("nan")
    inputs, outcomes = _stack(examples)
    return float(correlation(inputs @ weights, outcomes).mean())
