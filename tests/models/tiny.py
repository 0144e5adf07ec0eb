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
_QUERIES_AND_KEYS = ("q_proj", "k_proj", "qkv", "query_key_value", "c_attn", "q_b", "kv_b")
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
    Architecture(
        "gemma2",
        "soft-cap, sliding and full layers",
        {
            "head_dim": 8,
            "sliding_window": 8,
            "query_pre_attn_scalar": 8,
            "attn_logit_softcapping": 5.0,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
    Architecture("olmo2", "norms after the blocks, qk-norm over all heads", {}),
    Architecture("granite", "scaled attention and residuals", {"attention_multiplier": 0.3}),
    Architecture("glm4", "interleaved partial rotary, four norms", {"head_dim": 8}),
    Architecture("gpt2", "learned positions, fused projections", {"n_inner": 48}),
    Architecture("gpt_neox", "parallel blocks, fused projections", {}),
    Architecture("qwen3_moe", "mixture of experts, qk-norm", {"num_experts": 4, **_MOE}),
    Architecture("mixtral", "mixture of experts", {"num_local_experts": 4}),
    Architecture("olmoe", "mixture of experts, qk-norm", {"num_experts": 4, **_MOE}),
    Architecture("cohere", "parallel blocks, interleaved rotary", {}),
    Architecture("starcoder2", "biases everywhere, sliding window", {"sliding_window": 8}),
    Architecture("stablelm", "partial rotary", {}),
    Architecture("phi", "parallel blocks, partial rotary", {}),
    Architecture("smollm3", "layers without positions", {"no_rope_layers": [1, 1, 0]}),
    Architecture(
        "deepseek_v3",
        "latent attention, mixture of experts",
        {
            "num_key_value_heads": 4,
            "q_lora_rank": 16,
            "kv_lora_rank": 8,
            "qk_rope_head_dim": 4,
            "qk_nope_head_dim": 8,
            "v_head_dim": 8,
            "n_routed_experts": 4,
            "n_group": 1,
            "topk_group": 1,
            "first_k_dense_replace": 1,
            **_MOE,
        },
    ),
)

REFUSED = (
    Architecture(
        "qwen3_next",
        "linear attention in most layers",
        {
            "head_dim": 8,
            "layer_types": ["linear_attention", "full_attention", "linear_attention"],
            "linear_num_value_heads": 2,
            "linear_num_key_heads": 2,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "moe_intermediate_size": 8,
            "shared_expert_intermediate_size": 8,
        },
    ),
    Architecture("mamba", "state-space layers only", {"state_size": 4}),
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
            elif any(part in name for part in _QUERIES_AND_KEYS):
                parameter.mul_(40.0)
    model.train(False)
    return model


def tiny_ids(seed: int = 0, tokens: int = TOKENS) -> list[int]:
    """Random token ids."""
    generator = torch.Generator().manual_seed(seed)
    ids: list[int] = torch.randint(3, 97, (tokens,), generator=generator).tolist()
    return ids
