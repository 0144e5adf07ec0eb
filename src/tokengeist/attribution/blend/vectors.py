"""Vectors that come from the disk: texts of an unchanged transcript are not read twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokengeist.attribution.cached import vectors_file
from tokengeist.attribution.on_disk import read_vectors, write_vectors
from tokengeist.models.sentences import Embed, SentenceModel
from tokengeist.transcript import Transcript

if TYPE_CHECKING:
    from tokengeist.models.sentences import Matrix


def keeping(model: SentenceModel, transcript: Transcript) -> Embed:
    """The model's vectors for texts of a transcript; what it has made once is kept."""
    path = vectors_file(transcript, model.fingerprint)
    known = read_vectors(path)

    def embed(texts: Sequence[str]) -> Matrix:
        import numpy as np

        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, model.embed(missing), strict=True))
            write_vectors(path, known)
        return np.stack([known[text] for text in texts])

    return embed
