"""Passes in which some text is there but cannot be seen (AT2's ablation).

Like `capture`, this goes through transformers' attention registry, so that what is hidden is added
to each layer's true mask (causal, sliding, chunked) and nothing here knows of architectures.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.modeling_utils import AttentionInterface

from tokengeist.models.kernel import LayerInputs, attend, layer_inputs

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_IMPLEMENTATION = "tokengeist-hiding"

_visible: ContextVar[Tensor | None] = ContextVar("tokengeist_visible", default=None)


@contextmanager
def hiding(model: PreTrainedModel, visible: Tensor) -> Iterator[None]:
    """Have every pass of `model` see only `visible` (tokens, tokens), a row for each who looks.

    The causal order is the model's own business and holds in any case.
    """
    before = model.config._attn_implementation
    token = _visible.set(visible.to(model.device))
    model.set_attn_implementation(_IMPLEMENTATION)
    try:
        yield
    finally:
        model.set_attn_implementation(before)
        _visible.reset(token)


def _attention(
    module: torch.nn.Module, query: Tensor, key: Tensor, value: Tensor, *args: Any, **options: Any
) -> tuple[Tensor, None]:
    """What stands in for a layer's attention; the signature is the registry's."""
    inputs, rest = layer_inputs(module, query, key, value, *args, **options)
    visible = _visible.get()
    if visible is not None:
        inputs = replace(inputs, mask=_narrowed(inputs, visible), is_causal=False)
    output, _ = attend(module, inputs, rest)
    return output, None


def _narrowed(inputs: LayerInputs, visible: Tensor) -> Tensor:
    mask = inputs.mask
    if mask is None:
        return (visible.tril() if inputs.is_causal else visible)[None, None]
    if mask.dtype == torch.bool:
        return mask & visible
    return mask.masked_fill(~visible, torch.finfo(mask.dtype).min)


AttentionInterface.register(_IMPLEMENTATION, _attention)
AttentionMaskInterface.register(_IMPLEMENTATION, sdpa_mask)
