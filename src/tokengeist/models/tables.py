"""What a reading keeps: a text with its tokens, and a table of attention for every turn.

Torch is not needed to ask questions of these, so that a reading from the disk answers at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tokengeist.models.alignment import (
    Indices,
    TokenizedText,
    source_owners,
    target_tokens,
    tokenize,
)
from tokengeist.rendering import Rendering
from tokengeist.segmentation import Source
from tokengeist.transcript import Target

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TurnRows:
    """Attention from one turn's tokens to the sources before it."""

    first_token: int
    table: Matrix  # (tokens, sources before the turn)

    def mean(self, tokens: Indices) -> Matrix:
        """The mean over some of the turn's tokens (Eq. 1, outer mean): (sources,)."""
        mean: Matrix = self.table[tokens - self.first_token].mean(axis=0, dtype=np.float32)
        return mean


@dataclass(frozen=True, slots=True, eq=False)
class RenderedText:
    """A rendering with its tokens, and which source each token belongs to."""

    rendering: Rendering
    tokens: TokenizedText
    owners: Indices
    sources: tuple[Source, ...]

    @classmethod
    def make(
        cls, model: LoadedModel, rendering: Rendering, sources: Sequence[Source]
    ) -> RenderedText:
        tokens = tokenize(model.tokenizer, rendering.text)
        owners = source_owners(tokens, rendering, sources)
        return cls(rendering, tokens, owners, tuple(sources))

    def tokens_of(self, target: Target) -> Indices:
        """The tokens of `target`."""
        return target_tokens(self.tokens, self.rendering, target)


@dataclass(frozen=True, slots=True, eq=False)
class AttentionTables:
    """A text that has been read: what every assistant turn in it attends to."""

    text: RenderedText
    turns: dict[int, TurnRows]
    """Turns with text and with something before them."""

    def score(self, target: Target) -> list[float]:
        """Attention from the target to every source of an earlier turn; only arithmetic."""
        rows = self.turns.get(target.turn)
        tokens = self.text.tokens_of(target)
        if rows is None or not (tokens := tokens[tokens > 0]).size:
            return [0.0] * sum(source.turn < target.turn for source in self.text.sources)
        # A probe may weigh heads negatively. A source below zero speaks against the target, which
        # is no support: it scores 0, and so does a turn all of whose sources do.
        return [max(0.0, float(score)) for score in rows.mean(tokens)]
