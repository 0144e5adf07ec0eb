"""Texts that begin alike are read from where they part, where the model's cache allows it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.models.tiny import ARCHITECTURES, REFUSED, Architecture, tiny_ids, tiny_model
from tokengeist.models.many_texts import log_odds_of_all
from tokengeist.models.scoring import Text, token_log_odds

if TYPE_CHECKING:
    from torch.nn import Module
    from transformers import PreTrainedModel

    from tokengeist.models.loading import LoadedModel

LIMITED = {"mistral", "gemma3_text", "gpt_oss", "gemma2", "starcoder2", "qwen3_next", "mamba"}
"""Models that do not keep the keys and values of all tokens in all layers."""

STRETCHING = replace(
    next(a for a in ARCHITECTURES if a.model_type == "phi3"),
    changes={
        "original_max_position_embeddings": 30,  # some of the texts are longer, and some shorter
        "rope_parameters": {
            "rope_type": "longrope",
            "rope_theta": 10000.0,
            "original_max_position_embeddings": 30,
            "short_factor": [1.0] * 4,
            "long_factor": [4.0] * 4,
        },
    },
)


def masked_texts(ids: list[int], *, parts: int, target: int, count: int) -> list[Text]:
    """The text without random halves of its parts, asked about its last `target` tokens."""
    random = np.random.default_rng(0)
    owners = np.arange(len(ids)) * parts // len(ids)
    owners[-target:] = parts
    texts: list[Text] = []
    for choice in random.permutation(2**parts)[:count]:
        mask = choice >> np.arange(parts) & 1 == 1
        kept = np.flatnonzero(np.append(mask, True)[owners])
        texts.append(([ids[place] for place in kept], [*range(len(kept) - target, len(kept))]))
    return texts


def read_all(model: PreTrainedModel, texts: list[Text]) -> tuple[int, dict[int, Any]]:
    """How many tokens the model was given, and the log-odds of each text."""
    sizes: list[int] = []

    def note(module: Module, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        sizes.append(options["input_ids"].numel())

    hook = model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        found = dict(log_odds_of_all(model, texts))
    finally:
        hook.remove()
    return sum(sizes), found


@pytest.mark.parametrize("architecture", [*ARCHITECTURES, *REFUSED, STRETCHING], ids=str)
def test_every_architecture_reads_no_more_than_it_must(architecture: Architecture) -> None:
    model = tiny_model(architecture)
    texts = masked_texts(tiny_ids(), parts=6, target=3, count=12)
    texts.append(texts[0])  # nothing of it is new, and still its tokens are to be predicted
    read, found = read_all(model, texts)
    for number, text in enumerate(texts):
        assert found[number] == pytest.approx(token_log_odds(model, [text])[0], abs=1e-4)
    if architecture is STRETCHING or architecture.model_type in LIMITED:
        assert read >= sum(len(ids) for ids, _ in texts)
    else:
        beginnings = {tuple(ids[:end]) for ids, _ in texts for end in range(1, len(ids) + 1)}
        # Again only what predicts the target: once for each text, and all of it for the last.
        assert len(beginnings) < read <= len(beginnings) + len(texts) + 3


def test_the_embedded_model_finds_the_same_when_it_shares(embedded: LoadedModel) -> None:
    story = "".join(f"Crate {n} holds {n * n} lamps from Oslo. " for n in range(12))
    ids = embedded.tokenizer.encode(f"{story}So crate 9 holds 81 lamps.")
    texts = masked_texts(list(ids), parts=12, target=6, count=8)
    read, found = read_all(embedded.model, texts)
    assert read < sum(len(ids) for ids, _ in texts)
    for number, text in enumerate(texts):
        alone = token_log_odds(embedded.model, [text])[0]
        assert found[number] == pytest.approx(alone, abs=1e-4)
