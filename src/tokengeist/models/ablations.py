"""The same target behind less context: tokens of some sources taken out, the gaps closed.

Only a source's own tokens go. Roles, markup and call delimiters stay, so what is read is still a
well-formed transcript. Every result is remembered by what was kept, and holds the log-odds of all
tokens of the target turn, so that every span of the turn is answered by the same passes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tokengeist.errors import ModelError
from tokengeist.models.alignment import Indices
from tokengeist.models.loading import LoadedModel
from tokengeist.models.many_texts import log_odds_of_all
from tokengeist.models.scoring import Floats, Text
from tokengeist.progress import report

Masks = npt.NDArray[np.bool_]


class Ablations:
    """Passes over one text, up to and including the tokens to be explained."""

    def __init__(
        self,
        model: LoadedModel,
        token_ids: Sequence[int],
        owners: Indices,  # (tokens,) the number of a token's source, or -1
        *,
        sources: int,
        tokens: Indices,  # the tokens to be explained
    ) -> None:
        self.tokens = tokens[tokens > 0]  # nothing predicts the very first token
        if not self.tokens.size:
            raise ModelError("there is no token to explain: the template writes none of the target")
        self.sources = sources
        self._model = model
        self._ids = token_ids[: int(self.tokens[-1]) + 1]
        self._owners = owners[: len(self._ids)]
        self._known: dict[bytes, Floats] = {}
        fixed = int((self._owners < 0).sum())
        if len(self._ids) > model.window:
            raise ModelError(
                f"ablation reads the target with all of its context at once: {len(self._ids)} "
                f"tokens ({fixed} that cannot be taken away) do not fit into the {model.window} "
                f"that '{model.name}' reads. Use the attention backend, or a model that reads more"
            )

    def log_odds(self, masks: Masks) -> Floats:
        """Log-odds of the target's tokens for every row of `masks` (ablations, sources):
        (ablations, tokens)."""
        keys = [np.packbits(mask).tobytes() for mask in masks]
        fresh = {key: mask for key, mask in zip(keys, masks, strict=True) if key not in self._known}
        texts = [self._without(mask) for mask in fresh.values()]
        names = list(fresh)
        for done, (number, log_odds) in enumerate(log_odds_of_all(self._model.model, texts), 1):
            self._known[names[number]] = log_odds
            report("ablating", done, len(texts))
        return np.stack([self._known[key] for key in keys])

    def _without(self, mask: Masks) -> Text:
        """The remaining token ids, and where the target's tokens are among them."""
        kept = np.flatnonzero((self._owners < 0) | np.append(mask, True)[self._owners])
        ids = [self._ids[position] for position in kept.tolist()]
        return ids, np.searchsorted(kept, self.tokens).tolist()


def random_masks(count: int, width: int, *, keep: float, random: np.random.Generator) -> Masks:
    """(count, width) independent choices of what to keep."""
    return random.random((count, width)) < keep
