"""How probable a model finds given text, and the log-odds that ablation methods work with.

All quantities are natural logarithms in float64. Where a probability rounds to one its complement
is computed from the other logits, never from 1 - p, so log-odds stay finite.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

if TYPE_CHECKING:
    from transformers import Cache, PreTrainedModel

Floats = npt.NDArray[np.float64]
Text = tuple[list[int], list[int]]
"""Token ids, and the positions of those that are asked about."""


def token_log_odds(
    model: PreTrainedModel, batch: Sequence[Text], *, after: Cache | None = None
) -> list[Floats]:
    """For every text of a batch, log p/(1-p) of the tokens at its positions.

    log p/(1-p) = z_token - logsumexp(z_others). Shorter sequences are filled up at the end, where
    nothing that is causal can see the filling.

    What `after` holds is how the texts begin: it is not read again, the rest is added to it, and
    every position lies behind it.
    """
    known = 0 if after is None else after.get_seq_length()
    longest = max(len(ids) for ids, _ in batch)
    filled = [[*ids[known:], *[0] * (longest - len(ids))] for ids, _ in batch]
    rows = sorted({position - 1 - known for _, positions in batch for position in positions})
    device = model.device
    options: dict[str, object] = {"use_cache": False}
    if after is not None:
        options = {"use_cache": True, "past_key_values": after}
    trims = "logits_to_keep" in inspect.signature(model.forward).parameters
    if trims:  # the vocabulary is large and few rows are wanted
        options["logits_to_keep"] = torch.tensor(rows, device=device)
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor(filled, device=device), **options).logits
    place = {row: number for number, row in enumerate(rows)} if trims else {r: r for r in rows}
    results = []
    for item, (ids, positions) in enumerate(batch):
        own = logits[item, [place[position - 1 - known] for position in positions]].float()
        tokens = torch.tensor([ids[position] for position in positions], device=device)[:, None]
        chosen = own.gather(1, tokens)
        others = own.scatter(1, tokens, -torch.inf).logsumexp(1, keepdim=True)
        results.append((chosen - others)[:, 0].double().cpu().numpy())
    return results


def log_probs(log_odds: Floats) -> Floats:
    """log p from log p/(1-p), token by token."""
    return -np.logaddexp(0.0, -log_odds)


def sequence_log_odds(log_odds: Floats) -> Floats:
    """log P/(1-P) of whole sequences from their tokens' log-odds, over the last axis.

    P is the product of the tokens' probabilities. For P near one, 1 - P is taken through expm1.
    """
    log_p = np.minimum(log_probs(log_odds).sum(axis=-1), -1e-12)
    log_rest = np.where(
        log_p > -0.1,
        np.log(-np.expm1(log_p)),
        np.log1p(-np.exp(np.minimum(log_p, -0.1))),
    )
    result: Floats = log_p - log_rest
    return result
