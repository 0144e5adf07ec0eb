"""One forward pass over a text, and from every layer the attention of the rows that matter.

The pass runs through transformers' attention registry: a function registered there stands in for
every layer's attention, returns the normal output, and hands the weights of the wanted rows to a
`Sink`, which reduces them at once. No weights, hidden states or logits are kept, and the pass ends
with the last layer's queries and keys, because nothing after them is asked for.

Rows are *predicting* positions: the row that speaks for token t is t - 1, where the model decided
on t (see `attribution/attention.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.modeling_utils import AttentionInterface

from tokengeist.errors import ModelError
from tokengeist.models.kernel import LayerInputs, RowWeights, attend, attend_after, layer_inputs

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_IMPLEMENTATION = "tokengeist"

_BLOCK = 1 << 20
"""Most weights computed at a time: 4 MiB of float32 stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows [start, stop) of one sequence of the batch, of which the first `columns` columns count.

    Every column lies at or before the first row, as earlier turns lie before a target.
    """

    start: int
    stop: int
    columns: int
    item: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop or not 0 <= self.columns <= self.start + 1:
            raise ValueError(f"rows {self.start}:{self.stop} cannot see {self.columns} columns")


class Sink(Protocol):
    """What is done with attention weights as they pass."""

    def take(self, layer: int, block: int, first_row: int, weights: Tensor) -> None:
        """Use `weights` (heads, rows, columns) of block number `block` from its row `first_row`.

        `layer` counts the layers that were captured. The memory is reused after the call.
        """
        ...


OnLayer = Callable[[int, int], None]
"""Called after each layer with how many are done and how many there are; may raise to stop."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a text begins, as every layer saw it: another that begins the same need not read it."""

    tokens: int
    layers: Sequence[tuple[Tensor, Tensor]]  # keys and values, (batch, key_heads, tokens, dim)

    def shortened(self, tokens: int) -> Beginning:
        """The first `tokens` of it."""
        layers = [(key[:, :, :tokens], value[:, :, :tokens]) for key, value in self.layers]
        return Beginning(tokens, layers)


class _PassComplete(Exception):  # noqa: N818  (it is not an error: nothing more is needed)
    """Raised inside the last layer to leave the forward pass."""


class _Pass:
    """A forward pass under way."""

    def __init__(
        self,
        blocks: Sequence[Rows],
        sink: Sink,
        layers: int,
        on_layer: OnLayer | None,
        keep: int,
        after: Beginning | None,
    ) -> None:
        self.blocks = blocks
        self.sink = sink
        self.layers = layers
        self.on_layer = on_layer
        self.captured = 0
        self._keep = keep
        self._kept: list[tuple[Tensor, Tensor]] = []
        self._after = after
        self._buffer: Tensor | None = None

    @property
    def beginning(self) -> Beginning | None:
        """What was to be kept, if all layers can go on from it."""
        if not self._keep or len(self._kept) < self.layers:
            return None
        return Beginning(self._keep, self._kept)

    def attend(
        self, module: torch.nn.Module, inputs: LayerInputs, options: dict[str, Any]
    ) -> Tensor:
        """A layer's output; its weights go to the sink."""
        output, lse = attend(module, inputs, options)
        if self._after is not None:
            assert lse is not None, "only plain causal layers are kept to go on from"
            earlier = self._after.layers[self.captured]
            inputs, output, lse = attend_after(inputs, output, lse, earlier)
        elif self._keep and lse is not None:
            first = slice(self._keep)
            self._kept.append((inputs.key[:, :, first].clone(), inputs.value[:, :, first].clone()))
        self._take(inputs, lse)
        return output

    def _take(self, inputs: LayerInputs, lse: Tensor | None) -> None:
        if self._buffer is None:
            self._buffer = torch.empty(_BLOCK, device=inputs.query.device)
        heads, tokens = inputs.query.shape[1], inputs.key.shape[2]
        for number, block in enumerate(self.blocks):
            weights = RowWeights(inputs, block.item, lse, self._buffer)
            width = block.columns if lse is not None else tokens
            step = max(1, _BLOCK // (heads * max(1, width)))
            for start in range(block.start, block.stop, step):
                stop = min(start + step, block.stop)
                part = weights.between(start, stop, block.columns)
                self.sink.take(self.captured, number, start - block.start, part)
        self.captured += 1
        if self.on_layer is not None:
            self.on_layer(self.captured, self.layers)


_active: ContextVar[_Pass | None] = ContextVar("tokengeist_pass", default=None)


def _attention(
    module: torch.nn.Module, query: Tensor, key: Tensor, value: Tensor, *args: Any, **options: Any
) -> tuple[Tensor, None]:
    """What stands in for a layer's attention; the signature is the registry's."""
    inputs, rest = layer_inputs(module, query, key, value, *args, **options)
    running = _active.get()
    if running is None:
        return attend(module, inputs, rest)[0], None
    output = running.attend(module, inputs, rest)
    if running.captured == running.layers:
        raise _PassComplete
    return output, None


AttentionInterface.register(_IMPLEMENTATION, _attention)
AttentionMaskInterface.register(_IMPLEMENTATION, sdpa_mask)


@contextmanager
def _implementation(model: PreTrainedModel) -> Iterator[None]:
    """Have `model` run its attention through `_attention`, and put things back afterwards."""
    before = model.config._attn_implementation
    try:
        model.set_attn_implementation(_IMPLEMENTATION)
    except ValueError as error:
        raise _uncapturable(model, str(error)) from error
    try:
        yield
    finally:
        model.set_attn_implementation(before)


def capture(
    model: PreTrainedModel,
    token_ids: Sequence[Sequence[int]],
    *,
    blocks: Sequence[Rows],
    sink: Sink,
    on_layer: OnLayer | None = None,
    keep: int = 0,
    after: Beginning | None = None,
) -> Beginning | None:
    """Read `token_ids` once and give `sink` the attention weights of every block in every layer.

    Sequences of a batch may differ in length: the shorter ones are filled up at the end, where
    nothing that is causal can see the filling.

    Returns the first `keep` tokens as they were read, or None where a pass cannot go on from them
    (only plain causal attention on the CPU can). With `after`, `token_ids` begin as that did; that
    much of them is not read again, and no block may begin in it.

    Raises `ModelError` for a model with layers that have no attention weights to give.
    """
    layers = _attention_layers(model)
    longest = max(len(ids) for ids in token_ids)
    filled = [list(ids) + [0] * (longest - len(ids)) for ids in token_ids]
    known = 0 if after is None else after.tokens
    places = {}
    if known:  # said only where it is needed: not every model wants to be told
        places["position_ids"] = torch.arange(known, longest, device=model.device)[None]
    running = _Pass(blocks, sink, layers, on_layer, keep, after)
    token = _active.set(running)
    try:
        with torch.inference_mode(), _implementation(model):
            model.base_model(
                input_ids=torch.tensor(filled, dtype=torch.long, device=model.device)[:, known:],
                use_cache=False,
                **places,
            )
    except _PassComplete:
        return running.beginning
    finally:
        _active.reset(token)
    raise _uncapturable(
        model,
        f"only {running.captured} of its {layers} layers use transformers' attention registry",
    )


def _attention_layers(model: PreTrainedModel) -> int:
    """How many layers must show their attention; refuses those that have none."""
    config = model.config.get_text_config(decoder=True)
    kinds = getattr(config, "layer_types", None) or []
    without = sorted({str(kind) for kind in kinds if "attention" not in kind or "linear" in kind})
    if without:
        raise _uncapturable(model, f"it has {' and '.join(without)} layers, which have no weights")
    return int(config.num_hidden_layers)


def _uncapturable(model: PreTrainedModel, why: str) -> ModelError:
    return ModelError(
        f"the attention of '{model.config.model_type}' models ({type(model).__name__}) cannot be "
        f"captured: {why}. Use another model, or a backend that needs no attention"
    )


class SourceSums:
    """Rows by sources: each row's attention summed over every source's tokens (Eq. 1, inner sum).

    Averaged over all layers and heads, or weighted by `head_weights` (layers, heads).
    """

    def __init__(
        self,
        blocks: Sequence[Rows],
        source_of: Tensor,  # (tokens,) the number of a token's source, or -1
        *,
        sources: int,
        token_weight: Tensor | None = None,  # (tokens,) how much a token counts; 1 if None
        head_weights: Tensor | None = None,  # (layers, heads)
    ) -> None:
        device = source_of.device
        # Tokens without a source are added to a column of their own, dropped at the end.
        self._source_of = torch.where(source_of < 0, sources, source_of)
        self._token_weight = token_weight
        self._head_weights = head_weights
        self._heads_seen: dict[int, int] = {}
        self._sums = [
            torch.zeros(block.stop - block.start, sources + 1, device=device) for block in blocks
        ]

    def take(self, layer: int, block: int, first_row: int, weights: Tensor) -> None:
        heads, rows, columns = weights.shape
        self._heads_seen[layer] = heads
        if self._head_weights is None:
            mixed = weights.sum(0)  # (rows, columns)
        else:
            mixed = torch.tensordot(self._head_weights[layer], weights, dims=1)
        if self._token_weight is not None:
            mixed = mixed * self._token_weight[:columns]
        into = self._sums[block][first_row : first_row + rows]
        into.index_add_(1, self._source_of[:columns], mixed)

    def results(self) -> list[Tensor]:
        """For every block, (rows, sources) in float32."""
        share = 1.0 if self._head_weights is not None else 1 / sum(self._heads_seen.values())
        return [(sums[:, :-1] * share).cpu() for sums in self._sums]


class TokenMeans:
    """For every block one value per token: its attention averaged over layers, heads and rows."""

    def __init__(
        self,
        blocks: Sequence[Rows],
        counted: Sequence[npt.NDArray[np.bool_]],  # for every block, which of its rows count
    ) -> None:
        self._counted = [torch.from_numpy(rows) for rows in counted]
        self._heads_seen: dict[int, int] = {}
        self._sums = [torch.zeros(block.columns) for block in blocks]

    def take(self, layer: int, block: int, first_row: int, weights: Tensor) -> None:
        heads, rows, _ = weights.shape
        self._heads_seen[layer] = heads
        counted = self._counted[block][first_row : first_row + rows].to(weights.device)
        self._sums[block] += weights[:, counted].sum((0, 1)).cpu()

    def results(self) -> list[npt.NDArray[np.float32]]:
        """For every block, (columns,)."""
        heads = sum(self._heads_seen.values())
        return [
            (sums / (heads * int(counted.sum()))).numpy()
            for sums, counted in zip(self._sums, self._counted, strict=True)
        ]
