"""What a probe learns from: sentences of assistant turns, and what they lose without their context.

For each sentence there are the attention features of all earlier sources, one number per head, and
the log-odds of the sentence behind random halves of these sources (AT2, section 3). As in AT2 a
feature is summed over a source's tokens and averaged over the sentence's predicting rows. Unlike
it, what is dropped is the sources that will be scored, not single tokens, and dropped text is taken
out rather than masked, which is what an answer without it would have looked like.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tokengeist.models.ablations import Ablations, random_masks
from tokengeist.models.alignment import Indices
from tokengeist.models.capture import Rows, capture
from tokengeist.models.loading import LoadedModel
from tokengeist.models.scoring import sequence_log_odds
from tokengeist.models.tables import RenderedText

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TurnExamples:
    """The sentences of one turn."""

    inputs: Floats32  # (sentences, masks, layers · heads): sum over sources of ±feature
    outcomes: Floats32  # (sentences, masks): log-odds of the sentence

    def save(self, path: Path) -> None:
        """Write atomically: whoever stops the work finds only whole files."""
        temporary = path.with_suffix(".partial")
        with temporary.open("wb") as file:
            np.savez(file, inputs=self.inputs, outcomes=self.outcomes)
        os.replace(temporary, path)

    @classmethod
    def load(cls, path: Path) -> TurnExamples | None:
        """Read what `save` wrote; None where there is nothing whole."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                return cls(stored["inputs"], stored["outcomes"])
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            return None


def turn_examples(
    model: LoadedModel,
    text: RenderedText,
    sentences: Sequence[Indices],
    *,
    masks: int,
    keep: float,
) -> TurnExamples:
    """Examples from a text that ends with the turn whose `sentences` (tokens of each) are given."""
    count = len(text.sources)
    features = _features(model, text, sentences)  # (sentences, layers · heads, sources)
    tokens = np.unique(np.concatenate(sentences))
    ablations = Ablations(model, text.tokens.ids, text.owners, sources=count, tokens=tokens)
    # Every text gets masks of its own, and the same ones whenever it is read again.
    seed = int.from_bytes(hashlib.sha256(str(text.tokens.ids).encode()).digest()[:8], "big")
    kept = random_masks(masks, count, keep=keep, random=np.random.default_rng(seed))
    log_odds = ablations.log_odds(kept)
    signs = np.where(kept, 1.0, -1.0).astype(np.float32)
    return TurnExamples(
        inputs=np.einsum("ms,tfs->tmf", signs, features),
        outcomes=np.stack(
            [
                sequence_log_odds(log_odds[:, np.isin(ablations.tokens, sentence)])
                for sentence in sentences
            ]
        ).astype(np.float32),
    )


def _features(model: LoadedModel, text: RenderedText, sentences: Sequence[Indices]) -> Floats32:
    """Attention of every sentence to every source: (sentences, layers · heads, sources)."""
    first = min(int(tokens[0]) for tokens in sentences)
    last = max(int(tokens[-1]) for tokens in sentences)
    columns = int(np.flatnonzero(text.owners[:first] >= 0)[-1]) + 1
    block = Rows(first - 1, last, columns)
    share = torch.zeros(len(sentences), last - first + 1)
    for number, tokens in enumerate(sentences):
        share[number, tokens - first] = 1 / len(tokens)
    sink = _HeadFeatures(share, torch.from_numpy(text.owners[:columns]), len(text.sources))
    capture(model.model, [text.tokens.ids[: last + 1]], blocks=[block], sink=sink)
    return sink.results()


class _HeadFeatures:
    """Keeps heads apart, and reduces rows to sentences and columns to sources."""

    def __init__(self, share: Tensor, owners: Tensor, sources: int) -> None:
        self._share = share  # (sentences, rows)
        self._owners = torch.where(owners < 0, sources, owners)
        self._sources = sources
        self._layers: dict[int, Tensor] = {}

    def take(self, layer: int, block: int, first_row: int, weights: Tensor) -> None:
        del block
        heads, rows, _ = weights.shape
        share = self._share[:, first_row : first_row + rows].to(weights.device)
        per_sentence = torch.matmul(share, weights)  # (heads, sentences, columns)
        shape = (heads, len(share), self._sources + 1)
        sums = self._layers.setdefault(layer, torch.zeros(shape, device=weights.device))
        sums.index_add_(2, self._owners.to(weights.device), per_sentence)

    def results(self) -> Floats32:
        stacked = torch.cat([self._layers[layer] for layer in sorted(self._layers)])
        features: Floats32 = stacked[..., :-1].transpose(0, 1).cpu().numpy()
        return features
