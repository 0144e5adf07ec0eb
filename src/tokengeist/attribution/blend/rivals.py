"""The candidates of a target, seen side by side.

A weighted sum judges each candidate by itself and by a few counts of its rivals. What a source
explains its rivals need not, though, and a question points at the answer to it. So the candidates
also look at one another: two layers of a transformer over them, each given by its cues, features
and role, in no order but what these say. What comes out adds to a candidate's log-odds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokengeist.models.sentences import Matrix

LAYERS = 2
HEADS = 4
_STEADY = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """What the layers have learned."""

    numbers: Mapping[str, Matrix]
    """By name, as torch calls them: (to, from) for what maps one width to another."""

    def odds(self, given: Matrix) -> Matrix:
        """What to add to the log-odds of each: (candidates, known of each) → (candidates,)."""
        states = self._linear("into", given)
        for layer in range(LAYERS):
            name = f"look.layers.{layer}"
            states = states + self._look(name, self._norm(f"{name}.norm1", states))
            inner = self._linear(f"{name}.linear1", self._norm(f"{name}.norm2", states))
            states = states + self._linear(f"{name}.linear2", inner.clip(min=0))
        return self._linear("out", states)[:, 0]

    def _look(self, name: str, states: Matrix) -> Matrix:
        """Attention: every candidate takes from all of them."""
        import numpy as np

        count, width = states.shape
        joined = states @ self.numbers[f"{name}.self_attn.in_proj_weight"].T
        joined = joined + self.numbers[f"{name}.self_attn.in_proj_bias"]
        asked, held, said = joined.reshape(count, 3, HEADS, width // HEADS).transpose(1, 2, 0, 3)
        near = asked @ held.transpose(0, 2, 1) / math.sqrt(width // HEADS)  # (heads, from, to)
        share = np.exp(near - near.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        taken = (share @ said).transpose(1, 0, 2).reshape(count, width)
        return self._linear(f"{name}.self_attn.out_proj", taken)

    def _linear(self, name: str, states: Matrix) -> Matrix:
        found: Matrix = states @ self.numbers[f"{name}.weight"].T + self.numbers[f"{name}.bias"]
        return found

    def _norm(self, name: str, states: Matrix) -> Matrix:
        import numpy as np

        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _STEADY)
        scaled: Matrix = centred / spread * self.numbers[f"{name}.weight"]
        return scaled + self.numbers[f"{name}.bias"]
