"""What a probe learns from: sentences of assistant turns, and what they lose without their context.

For each sentence there are the attention features of all text before its turn, one number per head,
and the log-odds of the sentence without random halves of that text (AT2, section 3). A
feature is summed over a part's tokens and averaged over the sentence's predicting rows.

AT2 hides single tokens of one context from one answer. Here the parts that go are those that will
be scored, the sources, and they are taken out, as `ablations` does it. But an assistant turn goes
as a whole, and is hidden from everything but itself. So it can be context for later turns and still
be measured, and one pass over a transcript gives an outcome for every sentence in it.
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

from tokengeist.models.ablations import Masks, random_masks
from tokengeist.models.alignment import NOBODY, Indices
from tokengeist.models.capture import Rows, capture
from tokengeist.models.hiding import hiding
from tokengeist.models.loading import LoadedModel
from tokengeist.models.scoring import Floats, sequence_log_odds, token_log_odds
from tokengeist.models.tables import RenderedText
from tokengeist.progress import report

Floats32 = npt.NDArray[np.float32]
Sentences = Sequence[Indices]
"""The tokens of each sentence of one turn, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The sentences of one transcript."""

    inputs: Floats32  # (sentences, masks, layers · heads): sum over parts of ±feature
    outcomes: Floats32  # (sentences, masks): log-odds of the sentence

    def save(self, path: Path) -> None:
        """Write atomically: whoever stops the work finds only whole files."""
        temporary = path.with_suffix(".partial")
        with temporary.open("wb") as file:
            np.savez(file, inputs=self.inputs, outcomes=self.outcomes)
        os.replace(temporary, path)

    @classmethod
    def load(cls, path: Path) -> Examples | None:
        """Read what `save` wrote; None where there is nothing whole."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                return cls(stored["inputs"], stored["outcomes"])
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            return None


def make_examples(
    model: LoadedModel,
    text: RenderedText,
    turns: Sequence[Sentences],
    *,
    masks: int,
    keep: float,
) -> Examples:
    """Examples from the assistant turns of a text, given by their sentences."""
    parts = parts_of(text, turns)
    # Every text gets masks of its own, and the same ones whenever it is read again.
    seed = int.from_bytes(hashlib.sha256(str(text.tokens.ids).encode()).digest()[:8], "big")
    random = np.random.default_rng(seed)
    kept = random_masks(masks, int(parts.max()) + 1, keep=keep, random=random)
    signs = np.where(kept, 1.0, -1.0).astype(np.float32)
    inputs = [
        np.einsum("mp,tfp->tmf", signs[:, : features.shape[-1]], features)
        for features in head_features(model, text.tokens.ids, parts, turns)
    ]
    return Examples(np.concatenate(inputs), _outcomes(model, text.tokens.ids, parts, turns, kept))


def parts_of(text: RenderedText, turns: Sequence[Sentences]) -> Indices:
    """For every token up to the last sentence the number of its part, or `NOBODY`: its source, or
    all of its turn if that is one of `turns`. Parts are numbered in the order of the text."""
    parts = text.owners[: int(turns[-1][-1][-1]) + 1].copy()
    for number, sentences in enumerate(turns):
        parts[sentences[0][0] : sentences[-1][-1] + 1] = len(text.sources) + number
    _, first = np.unique(parts[parts != NOBODY], return_index=True)
    in_order = parts[parts != NOBODY][np.sort(first)]
    place = {part: number for number, part in enumerate(in_order.tolist())}
    return np.array([place.get(part, NOBODY) for part in parts.tolist()], dtype=np.int64)


def _outcomes(
    model: LoadedModel,
    token_ids: Sequence[int],
    parts: Indices,
    turns: Sequence[Sentences],
    kept: Masks,
) -> Floats32:
    """Log-odds of every sentence behind every mask: (sentences, masks)."""
    sentences = [tokens for turn in turns for tokens in turn]
    positions = np.concatenate(sentences)
    targets = np.isin(parts, [parts[turn[0][0]] for turn in turns])
    measured: list[Floats] = []
    for number, mask in enumerate(kept):
        report("ablating", number, len(kept))
        shown = np.append(mask, True)[parts]  # NOBODY, the last, is always shown
        there = np.flatnonzero(shown | targets)
        own = parts[there]
        visible = shown[there][None, :] | (own[:, None] == own[None, :])
        with hiding(model.model, torch.from_numpy(visible)):
            ids = [token_ids[place] for place in there.tolist()]
            places = np.searchsorted(there, positions).tolist()
            measured += token_log_odds(model.model, [(ids, places)])
    report("ablating", len(kept), len(kept))
    by_sentence = np.split(np.stack(measured), np.cumsum([len(s) for s in sentences])[:-1], axis=1)
    outcomes: Floats32 = np.stack([sequence_log_odds(s) for s in by_sentence]).astype(np.float32)
    return outcomes


def head_features(
    model: LoadedModel, token_ids: Sequence[int], parts: Indices, turns: Sequence[Sentences]
) -> list[Floats32]:
    """For every turn the attention of its sentences to every part before it:
    (sentences, layers · heads, parts)."""
    blocks, shares = [], []
    for sentences in turns:
        first, last = int(sentences[0][0]), int(sentences[-1][-1])
        blocks.append(Rows(first - 1, last, first))
        share = torch.zeros(len(sentences), last - first + 1)
        for number, tokens in enumerate(sentences):
            share[number, tokens - first] = 1 / len(tokens)
        shares.append(share)
    sink = _HeadFeatures(blocks, shares, torch.from_numpy(parts))
    capture(model.model, [token_ids[: len(parts)]], blocks=blocks, sink=sink)
    return sink.results()


class _HeadFeatures:
    """Keeps heads apart, and reduces rows to sentences and columns to parts."""

    def __init__(self, blocks: Sequence[Rows], shares: Sequence[Tensor], parts: Tensor) -> None:
        self._shares = shares  # for every block, (sentences, rows)
        # Tokens that are no part's are added to a column of their own, dropped at the end.
        self._counts = [int(parts[: block.columns].max()) + 1 for block in blocks]
        self._parts = [
            torch.where(parts[: block.columns] < 0, count, parts[: block.columns])
            for block, count in zip(blocks, self._counts, strict=True)
        ]
        self._layers: list[dict[int, Tensor]] = [{} for _ in blocks]

    def take(self, layer: int, block: int, first_row: int, weights: Tensor) -> None:
        heads, rows, _ = weights.shape
        share = self._shares[block][:, first_row : first_row + rows].to(weights.device)
        per_sentence = torch.matmul(share, weights)  # (heads, sentences, columns)
        shape = (heads, len(share), self._counts[block] + 1)
        sums = self._layers[block].setdefault(layer, torch.zeros(shape, device=weights.device))
        sums.index_add_(2, self._parts[block].to(weights.device), per_sentence)

    def results(self) -> list[Floats32]:
        stacked = (torch.cat([layers[n] for n in sorted(layers)]) for layers in self._layers)
        return [features[..., :-1].transpose(0, 1).cpu().numpy() for features in stacked]
