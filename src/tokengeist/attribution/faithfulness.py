"""How faithful a backend's scores are, where nobody has written down the right answer.

Two measures, both by taking sources away and asking the model how likely the target is then:

- *LDS* (linear datamodeling score): over random halves of the sources, the rank correlation of
  what the scores predict (the sum over the sources that were kept) with the log-odds measured.
- *top-k drop*: how much log-probability the target loses without the k best sources.

They say whether scores fit the model that is asked, and nothing about whether it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tokengeist.attribution.protocol import Reading
from tokengeist.attribution.rendered import text_up_to
from tokengeist.errors import TargetError
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

if TYPE_CHECKING:
    import numpy.typing as npt

    from tokengeist.models.loading import LoadedModel


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """The measures for one target."""

    lds: float
    """From -1 to 1; 0 where the scores, or the outcomes, are all alike."""
    top_k_drop: dict[int, float]
    """k → loss of log-probability, in nats."""


@dataclass(frozen=True, slots=True)
class FaithfulnessOptions:
    """How to measure. The masks of the seed are not those that any backend fits on."""

    masks: int = 32
    keep: float = 0.5
    ks: tuple[int, ...] = (1, 3, 5)
    seed: int = 1_000_003


def faithfulness(
    model: LoadedModel,
    transcript: Transcript,
    sources: Sequence[Source],
    *,
    reading: Reading,
    target: Target,
    render: str | None = None,
    options: FaithfulnessOptions | None = None,
) -> Faithfulness:
    """Measure how well `reading`'s scores for `target` foretell what `model` does without sources.

    Raises `TargetError` for a target with nothing before it.
    """
    from tokengeist.models.ablations import Ablations, random_masks
    from tokengeist.models.scoring import log_probs, sequence_log_odds

    chosen = options or FaithfulnessOptions()
    text = text_up_to(model, transcript, sources, turn=target.turn, render=render)
    count = len(text.sources)
    if not count:
        raise TargetError(f"nothing stands before turn {target.turn}, so nothing can be taken away")
    scores = np.array(reading.score(target))
    ablations = Ablations(
        model, text.tokens.ids, text.owners, sources=count, tokens=text.tokens_of(target)
    )
    random = np.random.default_rng(chosen.seed)
    masks = random_masks(chosen.masks, count, keep=chosen.keep, random=random)
    best_first = np.argsort(-scores, kind="stable")
    without = np.ones((1 + len(chosen.ks), count), dtype=bool)
    for row, k in enumerate(chosen.ks, start=1):
        without[row, best_first[:k]] = False
    log_odds = ablations.log_odds(np.concatenate([masks, without]))
    log_p = log_probs(log_odds[len(masks) :]).sum(axis=1)
    return Faithfulness(
        lds=rank_correlation(masks @ scores, sequence_log_odds(log_odds[: len(masks)])),
        top_k_drop={k: float(log_p[0] - log_p[row]) for row, k in enumerate(chosen.ks, start=1)},
    )


def rank_correlation(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    """Spearman's rho, equal values sharing the mean of their ranks.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))
    0.5
    """
    a, b = _ranks(first), _ranks(second)
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else 0.0


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: npt.NDArray[np.float64] = ((last - sizes) + (last - 1))[group] / 2
    return ranks
