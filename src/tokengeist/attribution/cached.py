"""Readings that come from the disk: an unchanged transcript is not read twice.

What is kept is the tables of a one-pass reading (`models/tables.py`), from which any span is
answered, so that a repeated trace needs neither the model nor torch. The key covers everything that
the tables depend on: the transcript, the sources, the backend with its options, the model's files
and the version of Tokengeist. A file begins with a digest of the rest and is not used unless it
fits; whatever is wrong with one, it is made again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tokengeist.attribution.protocol import Attributor, AttributorSpec, OptionValue, Reading
from tokengeist.models.cache import cache_root, is_whole, sampled_digest
from tokengeist.models.loading import (
    LoadedModel,
    directory_fingerprint,
    load_model,
    require_models_extra,
)
from tokengeist.models.store import ModelPlace, locate
from tokengeist.rendering import Piece, Rendering
from tokengeist.segmentation import Source
from tokengeist.transcript import Span, Transcript

if TYPE_CHECKING:
    from tokengeist.attribution.registry import BackendOptions
    from tokengeist.models.tables import AttentionTables

_DIGEST_BYTES = 32


def load_for(options: BackendOptions) -> LoadedModel:
    """The model that a user's options ask for."""
    return load_model(
        options.model,
        device=options.device,
        dtype=options.dtype,
        trust_remote_code=options.trust_remote_code,
    )


def cached(
    name: str,
    options: BackendOptions,
    said: Mapping[str, OptionValue],
    load: Callable[[BackendOptions], Attributor],
) -> Attributor:
    """The backend that `load` makes, or one that makes it only for what is not on the disk."""
    if not options.cache:
        return load(options)
    place = locate(options.model)
    require_models_extra()  # numpy is part of it, and what is on the disk is arrays
    model = _fingerprint(place)
    if model is None:  # not on this machine yet, or not converted: nothing can have been read
        return load(options)
    return CachedAttributor(
        AttributorSpec(name, place.name, said),
        key=_digest(version("tokengeist"), model, str(options.device), str(options.dtype), name)
        + _digest(json.dumps(dict(said), sort_keys=True), _content_of(options.probe)),
        load=lambda: load(options),
    )


class CachedAttributor:
    """A one-pass backend that keeps its readings on the disk."""

    def __init__(self, spec: AttributorSpec, *, key: str, load: Callable[[], Attributor]) -> None:
        self._spec = spec
        self._key = key
        self._load = load
        self._loaded: Attributor | None = None

    @property
    def spec(self) -> AttributorSpec:
        return self._spec

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> Reading:
        from tokengeist.models.tables import AttentionTables

        spans = [(s.turn, s.span.start, s.span.end) for s in sources]
        path = readings_directory() / (
            _digest(self._key, transcript.fingerprint, json.dumps(spans)) + ".reading"
        )
        stored = _read_file(path, sources)
        if stored is not None:
            return stored
        if self._loaded is None:
            self._loaded = self._load()
        reading = self._loaded.read(transcript, sources)
        if isinstance(reading, AttentionTables):  # one that reads hop by hop is never complete
            _write_file(path, reading)
        return reading


@dataclass(frozen=True, slots=True)
class CacheSize:
    """What the readings on the disk amount to."""

    readings: int
    bytes: int


def readings_directory() -> Path:
    """Where readings are kept."""
    return cache_root() / "readings"


def cache_size() -> CacheSize:
    """How much is kept."""
    sizes = [path.stat().st_size for path in readings_directory().glob("*.reading")]
    return CacheSize(len(sizes), sum(sizes))


def clear_cache() -> CacheSize:
    """Delete all readings; returns what there was."""
    before = cache_size()
    for path in readings_directory().glob("*.reading"):
        path.unlink(missing_ok=True)
    return before


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _fingerprint(place: ModelPlace) -> str | None:
    """Of the files that would be loaded; None where they are not there yet."""
    if place.converted is not None:
        return directory_fingerprint(place.converted) if is_whole(place.converted) else None
    return directory_fingerprint(place.path) if place.path else None


def _content_of(probe: str | None) -> str:
    """What a probe's name stands for: the content of its files where it is a path."""
    path = Path(probe or "")
    if path.is_file():
        return sampled_digest(path)
    if probe and path.is_dir():
        return _digest(*(sampled_digest(p) for p in sorted(path.iterdir()) if p.is_file()))
    return str(probe)


def _write_file(path: Path, tables: AttentionTables) -> None:
    """Write atomically. A cache that cannot be written to is no reason to fail."""
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
    content = buffer.getvalue()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)


def _read_file(path: Path, sources: Sequence[Source]) -> AttentionTables | None:
    """The reading in a file, or None where there is none that can be trusted."""
    import numpy as np

    from tokengeist.models.alignment import TokenizedText
    from tokengeist.models.tables import AttentionTables, RenderedText, TurnRows

    try:
        raw = path.read_bytes()
        digest, content = raw[:_DIGEST_BYTES], raw[_DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != digest:
            return None
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
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
