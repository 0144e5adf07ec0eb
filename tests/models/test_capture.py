"""Captured attention against what transformers itself returns with `output_attentions=True`."""

from __future__ import annotations

import pytest
import torch
from transformers import PreTrainedModel

from tests.models.tiny import ARCHITECTURES, REFUSED, TOKENS, Architecture, tiny_ids, tiny_model
from tokengeist.errors import ModelError
from tokengeist.models import capture as module
from tokengeist.models.capture import Rows, SourceSums, capture


def assert_same(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=5e-5, rtol=1e-4)


LLAMA = ARCHITECTURES[0]


class Everything:
    """A sink that keeps every weight, as only a test can afford."""

    def __init__(self) -> None:
        self.parts: dict[tuple[int, int], list[torch.Tensor]] = {}

    def take(self, layer: int, block: int, first_row: int, weights: torch.Tensor) -> None:
        self.parts.setdefault((layer, block), []).append(weights.clone())

    def weights(self, layer: int, block: int) -> torch.Tensor:
        return torch.cat(self.parts[layer, block], dim=1)


def oracle(model: PreTrainedModel, ids: list[int]) -> torch.Tensor:
    """(layers, heads, tokens, tokens)"""
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        output = model(torch.tensor([ids]), output_attentions=True, use_cache=False)
    return torch.stack([attention[0] for attention in output.attentions])


@pytest.fixture(params=ARCHITECTURES, ids=str)
def architecture(request: pytest.FixtureRequest) -> Architecture:
    chosen: Architecture = request.param
    return chosen


def test_every_weight_is_the_models_own(architecture: Architecture) -> None:
    model, ids = tiny_model(architecture), tiny_ids()
    expected = oracle(model, ids)
    assert expected.max() > 0.9, "attention is too even for this test to mean anything"
    blocks = [Rows(12, 20, 13), Rows(25, TOKENS - 1, 20)]
    sink = Everything()
    capture(model, [ids], blocks=blocks, sink=sink)
    for layer in range(expected.shape[0]):
        for number, block in enumerate(blocks):
            assert_same(
                sink.weights(layer, number),
                expected[layer, :, block.start : block.stop, : block.columns],
            )


def test_the_model_computes_what_it_did_before(architecture: Architecture) -> None:
    model, ids = tiny_model(architecture), torch.tensor([tiny_ids()])
    with torch.inference_mode():
        expected = model(ids).logits
        with module._implementation(model):
            found = model(ids).logits
    torch.testing.assert_close(found, expected, atol=2e-4, rtol=1e-3)
    assert model.config._attn_implementation == "eager"


def test_row_blocks_make_no_difference(
    architecture: Architecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, ids = tiny_model(architecture), tiny_ids()
    blocks = [Rows(10, TOKENS - 1, 10)]
    whole, parts = Everything(), Everything()
    capture(model, [ids], blocks=blocks, sink=whole)
    monkeypatch.setattr(module, "_BLOCK", 4 * TOKENS * 3)
    capture(model, [ids], blocks=blocks, sink=parts)
    assert len(parts.parts[0, 0]) > 1
    for key in whole.parts:
        assert_same(parts.weights(*key), whole.weights(*key))


def test_source_sums_are_the_mean_over_all_heads() -> None:
    model, ids = tiny_model(LLAMA), tiny_ids()
    source_of = torch.tensor([-1] * 3 + [0] * 5 + [1] * 2 + [-1] + [2] * 6 + [-1] * (TOKENS - 17))
    blocks = [Rows(20, 30, 17)]
    sink = SourceSums(blocks, source_of, sources=3)
    capture(model, [ids], blocks=blocks, sink=sink)
    mean = oracle(model, ids).mean((0, 1))[20:30]
    expected = torch.stack([mean[:, source_of == source].sum(1) for source in range(3)], dim=1)
    torch.testing.assert_close(sink.results()[0], expected, atol=1e-6, rtol=1e-4)


def test_source_sums_take_a_weight_for_every_head_and_token() -> None:
    model, ids = tiny_model(LLAMA), tiny_ids()
    heads = torch.randn(3, 4, generator=torch.Generator().manual_seed(1))
    tokens = torch.rand(TOKENS, generator=torch.Generator().manual_seed(2))
    source_of = torch.arange(TOKENS) // 4
    blocks = [Rows(20, 30, 20)]
    sink = SourceSums(blocks, source_of, sources=10, token_weight=tokens, head_weights=heads)
    capture(model, [ids], blocks=blocks, sink=sink)
    mixed = (oracle(model, ids) * heads[:, :, None, None]).sum((0, 1))[20:30] * tokens
    expected = torch.stack([mixed[:, 4 * s : 4 * s + 4].sum(1) for s in range(5)], dim=1)
    torch.testing.assert_close(sink.results()[0][:, :5], expected, atol=1e-5, rtol=1e-4)
    assert not sink.results()[0][:, 5:].any()


def test_a_batch_reads_sequences_of_different_lengths(architecture: Architecture) -> None:
    model = tiny_model(architecture)
    batch = [tiny_ids(1), tiny_ids(2, tokens=23)]
    blocks = [Rows(22, 30, 20, item=0), Rows(10, 22, 9, item=1)]
    together = Everything()
    capture(model, batch, blocks=blocks, sink=together)
    for number, block in enumerate(blocks):
        alone = Everything()
        own = Rows(block.start, block.stop, block.columns)
        capture(model, [batch[block.item]], blocks=[own], sink=alone)
        for layer in range(3):
            assert_same(together.weights(layer, number), alone.weights(layer, 0))


GOES_ON_FROM_A_BEGINNING = {"llama", "qwen2", "qwen3", "phi", "gpt2", "gpt_neox", "mixtral"}
"""Some of those with nothing but plain causal attention."""


def test_a_text_that_begins_alike_is_read_from_there(architecture: Architecture) -> None:
    model, ids = tiny_model(architecture), tiny_ids()
    other = ids[:17] + tiny_ids(seed=1)[17:]
    blocks = [Rows(12, 16, 10), Rows(20, TOKENS - 1, 18)]
    beginning = capture(model, [ids], blocks=blocks, sink=Everything(), keep=17)
    if beginning is None:
        assert str(architecture) not in GOES_ON_FROM_A_BEGINNING
        return
    expected = oracle(model, other)
    for known in (16, 17):
        sink = Everything()
        capture(model, [other], blocks=blocks[1:], sink=sink, after=beginning.shortened(known))
        for layer in range(expected.shape[0]):
            block = blocks[1]
            assert_same(
                sink.weights(layer, 0),
                expected[layer, :, block.start : block.stop, : block.columns],
            )


def test_columns_after_a_row_are_refused() -> None:
    with pytest.raises(ValueError, match="rows 5:9 cannot see 7 columns"):
        Rows(5, 9, 7)


@pytest.mark.parametrize("refused", REFUSED, ids=str)
def test_layers_without_attention_are_refused_by_name(refused: Architecture) -> None:
    model = tiny_model(refused)
    with pytest.raises(ModelError, match=f"'{refused.model_type}'.*linear_attention layers"):
        capture(model, [tiny_ids()], blocks=[Rows(5, 9, 5)], sink=Everything())
