"""Many texts that are much alike: what two of them begin with is read once.

Masked copies of one context share long beginnings. In the order of their tokens, what a text has
in common with any earlier one it has in common with the one before. So one cache of keys and values
is enough: it is cut back to that much, and only the rest is read.

This needs layers that keep the keys and values of all tokens. Models with others (sliding windows,
linear attention), and GPUs, which are idle with one short text, read every text in full, as many
together as fit. Where positions depend on the length of the text, each is read in full on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from tokengeist.models.scoring import Floats, Text, token_log_odds

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_CPU_BATCH, _GPU_BATCH = 1024, 8192
"""Most tokens read at once. One long text keeps a CPU busy, and filling up others is lost time."""

_STRETCHING = ("dynamic", "longrope")
"""Rotary positions whose frequencies depend on the length of the text."""


def log_odds_of_all(model: PreTrainedModel, texts: Sequence[Text]) -> Iterator[tuple[int, Floats]]:
    """`token_log_odds` of every text with its number, in the order in which they are read."""
    if _stretches(model):
        return _in_batches(model, texts, most=0)
    if model.device.type != "cpu":
        return _in_batches(model, texts, most=_GPU_BATCH)
    cache = DynamicCache(config=model.config)
    if all(type(layer) is DynamicLayer for layer in cache.layers):
        return _in_turn(model, texts, cache)
    return _in_batches(model, texts, most=_CPU_BATCH)


def _stretches(model: PreTrainedModel) -> bool:
    """Whether the same token looks different in a longer text."""
    kinds = {str(getattr(module, "rope_type", "")) for module in model.modules()}
    return any(stretching in kind for kind in kinds for stretching in _STRETCHING)


def _in_turn(
    model: PreTrainedModel, texts: Sequence[Text], cache: DynamicCache
) -> Iterator[tuple[int, Floats]]:
    read: Sequence[int] = ()
    for number in sorted(range(len(texts)), key=lambda number: texts[number][0]):
        ids, positions = texts[number]
        # The rows that predict the wanted tokens must be read, whatever is known.
        known = min(_in_common(read, ids), min(positions) - 1)
        cache.crop(known - len(read))
        yield number, token_log_odds(model, [(ids, positions)], after=cache)[0]
        read = ids


def _in_common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _in_batches(
    model: PreTrainedModel, texts: Sequence[Text], *, most: int
) -> Iterator[tuple[int, Floats]]:
    # Shorter ones of a batch are filled up to the longest: equals belong together.
    waiting = sorted(range(len(texts)), key=lambda number: len(texts[number][0]))
    while waiting:
        size = 1
        while size < len(waiting) and len(texts[waiting[size]][0]) * (size + 1) <= most:
            size += 1
        batch, waiting = waiting[:size], waiting[size:]
        yield from zip(batch, token_log_odds(model, [texts[n] for n in batch]), strict=True)
