"""Attention weights for a few rows of a layer, beside the layer's normal output.

`attend` does what the model would have done anyway and `RowWeights` gives the softmaxed weights of
any rows on request. Both take what transformers' attention registry hands over: queries and keys
after rotary embedding and qk-norm, the layer's true mask, scaling, soft-cap and sinks. So nothing
here knows of architectures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from transformers.integrations.sdpa_attention import sdpa_attention_forward

_flash_with_lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu


@dataclass(frozen=True, slots=True)
class LayerInputs:
    """What one attention layer was called with."""

    query: Tensor  # (batch, heads, tokens, head_dim)
    key: Tensor  # (batch, key_heads, tokens, head_dim), and of any earlier tokens before them
    value: Tensor  # (batch, key_heads, tokens, value_dim), likewise
    mask: Tensor | None  # (batch | 1, heads | 1, tokens, tokens), boolean or additive
    scaling: float
    is_causal: bool
    softcap: float | None = None
    sinks: Tensor | None = None  # (heads,)
    position_bias: Tensor | None = None  # (batch | 1, heads, tokens | 1, tokens)

    @property
    def is_plain(self) -> bool:
        """Whether this is nothing but scaled, causal dot-product attention."""
        return (
            self.mask is None
            and self.is_causal
            and self.softcap is None
            and self.sinks is None
            and self.position_bias is None
        )


def layer_inputs(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    is_causal: bool | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    position_bias: Tensor | None = None,
    **options: Any,
) -> tuple[LayerInputs, dict[str, Any]]:
    """What the registry calls a layer's attention with, and the options that are not used here."""
    causal = is_causal if is_causal is not None else bool(getattr(module, "is_causal", True))
    inputs = LayerInputs(
        query=query,
        key=key,
        value=value,
        mask=attention_mask,
        scaling=query.shape[-1] ** -0.5 if scaling is None else scaling,
        is_causal=causal and query.shape[2] > 1,
        softcap=softcap,
        sinks=s_aux,
        position_bias=position_bias,
    )
    return inputs, options


def attend(
    module: torch.nn.Module, inputs: LayerInputs, options: dict[str, Any]
) -> tuple[Tensor, Tensor | None]:
    """The layer's output (batch, tokens, heads, value_dim), and each row's log-sum-exp if known.

    The CPU's flash kernel computes the log-sum-exp in passing, and with it the weights of any row
    need no second softmax: exp(q·k - lse).
    """
    query, key, value = inputs.query, inputs.key, inputs.value
    if (
        inputs.is_plain
        and query.device.type == "cpu"
        and query.shape[2] > 1
        and query.shape[-1] == value.shape[-1]
    ):
        output, lse = _flash_with_lse(query, key, value, 0.0, True, scale=inputs.scaling)
        return output.transpose(1, 2).contiguous(), lse  # lse: (batch, heads, tokens)
    if inputs.softcap is None and inputs.sinks is None:
        output, _ = sdpa_attention_forward(
            module,
            query,
            key,
            value,
            inputs.mask,
            scaling=inputs.scaling,
            is_causal=inputs.is_causal,
            position_bias=inputs.position_bias,
            **options,
        )
        return output, None
    return _attend_by_rows(inputs), None


def attend_after(
    inputs: LayerInputs, output: Tensor, lse: Tensor, earlier: tuple[Tensor, Tensor]
) -> tuple[LayerInputs, Tensor, Tensor]:
    """What `attend` returns, had `earlier` keys and values stood before those of `inputs`.

    Every row sees all of them, so they are attended to on their own, and the log-sum-exps say how
    much each of the two results counts.
    """
    key, value = earlier
    before, before_lse = _flash_with_lse(inputs.query, key, value, 0.0, False, scale=inputs.scaling)
    both = torch.logaddexp(lse, before_lse)
    share = (lse - both).exp_().transpose(1, 2)[..., None]  # (batch, tokens, heads, 1)
    merged = torch.lerp(before.transpose(1, 2), output, share)
    keys = torch.cat([key, inputs.key], dim=2)
    values = torch.cat([value, inputs.value], dim=2)
    return replace(inputs, key=keys, value=values), merged, both


def _attend_by_rows(inputs: LayerInputs) -> Tensor:
    """Attention with a soft-cap or sinks, which no fused kernel has, a block of rows at a time."""
    batch, heads, tokens, _ = inputs.query.shape
    value = inputs.value
    key_heads = value.shape[1]
    output = torch.empty(
        batch, tokens, heads, value.shape[-1], dtype=value.dtype, device=value.device
    )
    for item in range(batch):
        rows = RowWeights(inputs, item, None)
        for start in range(0, tokens, 256):
            stop = min(start + 256, tokens)
            weights = rows.between(start, stop, tokens).to(value.dtype)  # (heads, rows, tokens)
            mixed = weights.view(key_heads, -1, tokens) @ value[item]  # (key_heads, group·rows, d)
            output[item, start:stop] = mixed.view(heads, stop - start, -1).transpose(0, 1)
    return output


class RowWeights:
    """The attention weights of one sequence in one layer, computed for the rows that are asked for.

    With `into`, a flat float32 buffer, results share its memory and last until the next call: fresh
    memory for every block costs as much as the product itself.
    """

    def __init__(
        self, inputs: LayerInputs, item: int, lse: Tensor | None, into: Tensor | None = None
    ) -> None:
        self.inputs = inputs
        self.heads = inputs.query.shape[1]
        self._query = inputs.query[item]
        self._key = inputs.key[item]
        self._item = item
        self._lse = None if lse is None else lse[item]
        self._into = into
        self._before = inputs.key.shape[2] - inputs.query.shape[2]  # tokens that have no query

    def between(self, start: int, stop: int, columns: int) -> Tensor:
        """Weights of rows [start, stop) on the first `columns` columns: (heads, rows, columns).

        The softmax runs over everything a row may see, whatever `columns` is. With a known
        log-sum-exp, no column may lie after `start`: what needs no mask is not masked.
        """
        if self._lse is not None:
            if columns > start + 1:
                raise ValueError(f"columns to {columns} are not all visible from row {start}")
            first, last = start - self._before, stop - self._before
            scores = self._scores(first, last, columns)
            return scores.sub_(self._lse[:, first:last, None]).exp_()
        tokens = self._key.shape[1]
        scores = self._scores(start, stop, tokens)
        scores = self._masked(self._capped(scores), start, stop)
        if (sinks := self.inputs.sinks) is not None:
            # A sink takes part in the normalisation and receives nothing.
            extra = sinks.float().view(-1, 1, 1).expand(-1, stop - start, 1)
            top = torch.maximum(scores.amax(-1, keepdim=True), extra)
            scores = scores.sub_(top).exp_()
            scores /= scores.sum(-1, keepdim=True) + (extra - top).exp()
        else:
            scores = torch.softmax(scores, dim=-1)
        return scores[:, :, :columns]

    def _scores(self, start: int, stop: int, columns: int) -> Tensor:
        """Scaled products of queries and keys, heads that share keys in one product, in float32."""
        key_heads, _, dim = self._key.shape
        query = self._query[:, start:stop].float() * self.inputs.scaling
        query = query.reshape(key_heads, -1, dim)  # (key_heads, group·rows, dim)
        keys = self._key[:, :columns].float().transpose(1, 2)
        shape = (key_heads, query.shape[1], columns)
        size = math.prod(shape)
        if self._into is not None and self._into.numel() >= size:
            scores = torch.bmm(query, keys, out=self._into[:size].view(shape))
        else:
            scores = torch.bmm(query, keys)
        return scores.view(self.heads, stop - start, columns)

    def _capped(self, scores: Tensor) -> Tensor:
        softcap = self.inputs.softcap
        return scores if softcap is None else scores.div_(softcap).tanh_().mul_(softcap)

    def _masked(self, scores: Tensor, start: int, stop: int) -> Tensor:
        tokens = scores.shape[-1]
        bias, mask = self.inputs.position_bias, self.inputs.mask
        if bias is not None:
            scores += self._rows_of(bias, start, stop)[..., :tokens]
        if mask is not None:
            rows = self._rows_of(mask, start, stop)[..., :tokens]
            return (
                scores.masked_fill_(~rows, -torch.inf)
                if rows.dtype == torch.bool
                else (scores.add_(rows))
            )
        if self.inputs.is_causal:
            places = torch.arange(tokens, device=scores.device)
            scores.masked_fill_(places > places[start:stop, None], -torch.inf)
        return scores

    def _rows_of(self, table: Tensor, start: int, stop: int) -> Tensor:
        """Rows of a mask or bias that may be shared by all sequences, heads or rows."""
        own = table[min(self._item, table.shape[0] - 1)]
        return own[:, start:stop] if own.shape[1] > 1 else own
