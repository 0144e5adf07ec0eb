"""ContextCite's surrogate: a sparse linear model of the log-odds over which sources were kept.

Solves the lasso by coordinate descent on standardised masks, with the constants of the reference
(alpha 0.01, intercept), so that its recorded weights come out, to the thousandth by which its
solver stops short of the minimum. A few dozen sources and ablations need no library for this.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tokengeist.models.scoring import Floats

ALPHA = 0.01


def lasso(features: Floats, outputs: Floats, *, alpha: float = ALPHA) -> Floats:
    """Minimise |y - Xw - b|² / 2n + alpha |w|₁ over w and an unpenalised b; returns w.

    Converged when no coordinate moves by more than a billionth of the outputs' spread.
    """
    count, width = features.shape
    centred = features - features.mean(axis=0)
    residual = outputs - outputs.mean()
    norms = (centred**2).sum(axis=0)
    weights = np.zeros(width)
    tolerance = 1e-9 * max(1.0, float(np.abs(residual).max(initial=0.0)))
    for _ in range(10_000):
        largest = 0.0
        for column in np.flatnonzero(norms > 0):
            values, before = centred[:, column], weights[column]
            fit = values @ residual + norms[column] * before
            after = np.sign(fit) * max(abs(fit) - alpha * count, 0.0) / norms[column]
            if after != before:
                residual += values * (before - after)
                weights[column] = after
                largest = max(largest, abs(after - before))
        if largest <= tolerance:
            break
    return weights


def surrogate_weights(masks: npt.NDArray[np.bool_], log_odds: Floats, tokens: int) -> Floats:
    """What each source adds to the log-odds of a target of `tokens` tokens when it is present.

    `masks` (ablations, sources) says what was kept; `log_odds` (ablations,) what came of it.
    """
    kept = masks.astype(np.float64)
    spread = kept.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    standardised = (kept - kept.mean(axis=0)) / scale
    # Per token, so that one alpha suits short and long targets.
    result: Floats = lasso(standardised, log_odds / tokens) / scale * tokens
    return result
