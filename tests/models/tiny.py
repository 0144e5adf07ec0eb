"""Tiny random models of many architectures, with attention that is anything but uniform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

TOKENS = 40
"""How many tokens the tests read: more than every sliding window here."""

_SIZE: dict[str, Any] = {
    "vocab_size": 97,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_MOE: dict[str, Any] = {"num_experts_per_tok": 2, "moe_intermediate_size": 24}


@dataclass(frozen=True)
class Architecture:
    """A model type, what is special about it, and a configuration in which that matters."""

    model_type: str
    what: str
    changes: dict[str, Any]

    def __str__(self) -> str:
        return self.model_type


ARCHITECTURES = (
    Architecture("llama", "dense, grouped keys", {}),
    Architecture("qwen2", "dense, biased projections", {}),
    Architecture("phi3", "fused projections, partial rotary", {"partial_rotary_factor": 0.5}),
    Architecture("qwen3", "dense, qk-norm", {"head_dim": 16}),
    Architecture("mistral", "sliding window", {"sliding_window": 8}),
    Architecture(
        "gemma3_text",
        "sliding and full layers, qk-norm, two rotary bases",
        {
            "head_dim": 8,
            "sliding_window": 8,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
    Architecture(
        "gpt_oss",
        "mixture of experts, attention sinks, sliding window",
        {
            "head_dim": 8,
            "sliding_window": 8,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
)


def tiny_model(architecture: Architecture, seed: int = 0) -> PreTrainedModel:
    """A random model whose queries and keys are large: attention saturates, so that a forgotten
    window, soft-cap or sink shows."""
    torch.manual_seed(seed)
    config = AutoConfig.for_model(architecture.model_type, **{**_SIZE, **architecture.changes})
    model: PreTrainedModel = AutoModelForCausalLM.from_config(
        config, attn_implementation="eager", dtype=torch.float32
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "sinks" in name:
                parameter.normal_(std=2.0)
            elif any(part in name for part in ("q_proj", "k_proj", "qkv", "c_attn")):
                parameter.mul_(40.0)
    model.train(False)
    return model


def tiny_ids(seed: int = 0, tokens: int = TOKENS) -> list[int]:
    """Random token ids."""
    generator = torch.Generator().manual_seed(seed)
    ids: list[int] = torch.randint(3, 97, (tokens,), generator=generator).tolist()
    return ids
