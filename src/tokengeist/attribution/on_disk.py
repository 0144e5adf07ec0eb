"""The files of readings: tables of one pass, answers given so far, or vectors of texts.

A file begins with a digest of the rest and is not used unless it fits. It is written under another
name and renamed, and a disk that cannot be written to is no reason to fail.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tokengeist.rendering import Piece, Rendering
from tokengeist.segmentation import Source
from tokengeist.transcript import Span, Target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokengeist.models.tables import AttentionTables

    Vector = NDArray[np.float32]

_DIGEST_BYTES = 32

Answers = dict[Target, Sequence[float]]


def write_tables(path: Path, tables: AttentionTables) -> None:
    """Write the tables and the text that they are about."""
    import numpy as np

    text, rendering = tables.text, tables.text.rendering
    pieces = [(p.turn, p.span.start, p.span.end, p.place.start) for p in rendering.pieces]
    arrays = {
        "text": np.frombuffer(rendering.text.encode("utf-8", "surrogatepass"), dtype=np.uint8),
        "style": np.frombuffer(rendering.style.encode(), dtype=np.uint8),
        "pieces": np.array(pieces, dtype=np.int64).reshape(-1, 4),
        "ids": np.array(text.tokens.ids, dtype=np.int64),
        "starts": text.tokens.starts,
        "ends": text.tokens.ends,
        "owners": text.owners,
        "turns": np.array([(t, r.first_token) for t, r in tables.turns.items()], dtype=np.int64),
    }
    for turn, rows in tables.turns.items():
        arrays[f"table{turn}"] = rows.table
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    _write(path, buffer.getvalue())


def read_tables(path: Path, sources: Sequence[Source]) -> AttentionTables | None:
    """The tables in a file, or None where there are none that can be trusted."""
    import numpy as np

    from tokengeist.models.alignment import TokenizedText
    from tokengeist.models.tables import AttentionTables, RenderedText, TurnRows

    content = _read(path)
    if content is None:
        return None
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        written = arrays["text"].tobytes().decode("utf-8", "surrogatepass")
        pieces = tuple(
            Piece(turn, Span(start, end), Span(place, place + end - start))
            for turn, start, end, place in arrays["pieces"].tolist()
        )
        tokens = TokenizedText(
            written, tuple(arrays["ids"].tolist()), arrays["starts"], arrays["ends"]
        )
        rendering = Rendering(written, pieces, arrays["style"].tobytes().decode())
        text = RenderedText(rendering, tokens, arrays["owners"], tuple(sources))
        turns = {
            turn: TurnRows(first, arrays[f"table{turn}"])
            for turn, first in arrays["turns"].reshape(-1, 2).tolist()
        }
        return AttentionTables(text, turns)
    except (ValueError, KeyError, zipfile.BadZipFile):
        return None


def write_answers(path: Path, answers: Mapping[Target, Sequence[float]]) -> None:
    """Write every target with its scores; a float is written so that the same one is read."""
    rows = [
        [target.turn, [[span.start, span.end] for span in target.spans], list(scores)]
        for target, scores in answers.items()
    ]
    _write(path, json.dumps(rows).encode())


def read_answers(path: Path) -> Answers:
    """The answers in a file; none where it cannot be trusted."""
    try:
        return {
            Target(turn, tuple(Span(*span) for span in spans)): scores
            for turn, spans, scores in json.loads(_read(path) or b"[]")
        }
    except (ValueError, TypeError):
        return {}


def write_vectors(path: Path, vectors: Mapping[str, Vector]) -> None:
    """Write texts with their vectors."""
    import numpy as np

    file = io.BytesIO()
    texts = json.dumps(list(vectors)).encode()
    np.savez(
        file,
        texts=np.frombuffer(texts, dtype=np.uint8),
        vectors=np.stack(list(vectors.values())),
    )
    _write(path, file.getvalue())


def read_vectors(path: Path) -> dict[str, Vector]:
    """The texts and vectors in a file; none where it cannot be trusted."""
    import numpy as np

    content = _read(path)
    if content is None:
        return {}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            texts = json.loads(stored["texts"].tobytes())
            return dict(zip(texts, stored["vectors"], strict=True))
    except (ValueError, KeyError, zipfile.BadZipFile):
        return {}


def _write(path: Path, content: bytes) -> None:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)


def _read(path: Path) -> bytes | None:
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    digest, content = raw[:_DIGEST_BYTES], raw[_DIGEST_BYTES:]
    return content if hashlib.sha256(content).digest() == digest else None
