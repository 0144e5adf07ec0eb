"""Characters ↔ tokens: which source, or which target, every token belongs to.

The rule: a token belongs to whatever holds most of its visible characters, and to nothing if most
of them are a template's markup (an even split goes to the text, and between texts to the earlier
one). White space does not vote, so a token that begins with a space belongs to the word it begins;
a token of white space alone belongs to the text around it. A character that takes several tokens
(an emoji, a rare script) gives all of them to its owner. So every token has one owner at most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tokengeist.rendering import Rendering
from tokengeist.segmentation import Source
from tokengeist.transcript import Span, Target

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Indices = npt.NDArray[np.int64]

NOBODY = -1

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class TokenizedText:
    """A text and its tokens."""

    text: str
    ids: tuple[int, ...]
    starts: Indices  # (tokens,) first character of each token
    ends: Indices  # (tokens,) one past its last

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def _visible(self) -> tuple[Indices, Indices]:
        """Each token's range without white space at its ends; the whole if it is only that."""
        size = len(self.text)
        space = np.fromiter((c.isspace() for c in self.text), dtype=bool, count=size)
        places = np.arange(size, dtype=np.int64)
        # The first visible character at or after a place, and one past the last before it.
        after = np.append(np.where(space, size, places), size)
        after = np.minimum.accumulate(after[::-1])[::-1]
        before = np.insert(np.where(space, 0, places + 1), 0, 0)
        before = np.maximum.accumulate(before)
        first, last = after[self.starts], before[self.ends]
        blank = first >= last
        return np.where(blank, self.starts, first), np.where(blank, self.ends, last)

    def owners(self, claims: Iterable[tuple[Span, int]]) -> Indices:
        """For every token the number of its owner, or `NOBODY`; claims do not overlap."""
        owner_of = np.full(len(self.text) + 1, NOBODY, dtype=np.int64)
        for span, owner in claims:
            owner_of[span.start : span.end] = owner
        first, last = self._visible
        at_first, at_last = owner_of[first], owner_of[np.maximum(last - 1, first)]
        owners = np.where(first < last, at_first, NOBODY)
        # Owners are stretches of text, so only a token whose two ends differ needs a count.
        for token in np.flatnonzero((at_first != at_last) & (first < last)):
            owners[token] = self._majority(owner_of[first[token] : last[token]].tolist())
        return owners

    def _majority(self, votes: Sequence[int]) -> int:
        counts = Counter(votes)
        most = max(counts.values())
        leading = [owner for owner in counts if counts[owner] == most and owner != NOBODY]
        return leading[0] if leading else NOBODY

    def touching(self, spans: Iterable[Span]) -> Indices:
        """The tokens that belong to `spans`, or touch them where they are less than a token."""
        spans = tuple(spans)
        owned = np.flatnonzero(self.owners((span, 0) for span in spans) == 0)
        if owned.size:
            return owned
        touched = np.zeros(len(self), dtype=bool)
        for span in spans:
            touched |= (self.starts < span.end) & (self.ends > span.start)
        return np.flatnonzero(touched)


def tokenize(tokenizer: PreTrainedTokenizerBase, text: str) -> TokenizedText:
    """Tokenize a rendered text, in which a template has already written all special tokens."""
    # Half of a surrogate pair cannot be encoded. One character for another keeps every offset.
    clean = _SURROGATE.sub("\ufffd", text)
    encoded = tokenizer(
        clean,
        add_special_tokens=False,
        return_offsets_mapping=True,
        return_attention_mask=False,
        verbose=False,
    )
    offsets = np.array(encoded["offset_mapping"], dtype=np.int64).reshape(-1, 2)
    return TokenizedText(text, tuple(encoded["input_ids"]), offsets[:, 0], offsets[:, 1])


def source_owners(
    tokens: TokenizedText, rendering: Rendering, sources: Sequence[Source]
) -> Indices:
    """For every token the number of its source, or `NOBODY`."""
    return tokens.owners(
        (place, number)
        for number, source in enumerate(sources)
        for place in rendering.places(source.turn, source.span)
    )


def target_tokens(tokens: TokenizedText, rendering: Rendering, target: Target) -> Indices:
    """The tokens of a target, in order.

    None where the template writes none of its characters, or the vocabulary has none of them.
    """
    return tokens.touching(
        place for span in target.spans for place in rendering.places(target.turn, span)
    )
