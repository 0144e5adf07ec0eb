"""Readings that come from the disk: an unchanged transcript is not read twice.

What is kept of a one-pass reading is its tables (`models/tables.py`), from which any span is
answered; of one that needs passes for every question, the answers given so far; of one by a
sentence model, the vectors of all texts. A repeated trace needs neither the model nor torch. The
key covers everything that they depend on: the transcript, the sources, the backend with its
options, the model's files and the version of Tokengeist. Whatever is wrong with a file
(`on_disk`), it is made again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

from tokengeist.attribution.named_model import is_language_model
from tokengeist.attribution.on_disk import (
    read_answers,
    read_tables,
    write_answers,
    write_tables,
)
from tokengeist.attribution.protocol import Attributor, AttributorSpec, OptionValue, Reading
from tokengeist.attribution.registry import BackendOptions, find_backend
from tokengeist.errors import ModelError, UnknownNameError
from tokengeist.models.cache import cache_root, is_whole, sampled_digest
from tokengeist.models.loading import (
    LoadedModel,
    directory_fingerprint,
    load_model,
    require_models_extra,
)
from tokengeist.models.store import NONE, SENTENCES, ModelPlace, locate
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

_TABLES = ".reading"
_ANSWERS = ".answers"
_VECTORS = ".vectors"


def load_for(options: BackendOptions) -> LoadedModel:
    """The model that a user's options ask for."""
    return load_model(
        options.model,
        device=options.device,
        dtype=options.dtype,
        trust_remote_code=options.trust_remote_code,
    )


def load_judge(options: BackendOptions) -> LoadedModel:
    """The language model that puts a graph to the test; a sentence model cannot."""
    return load_for(_with_language_model(options))


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
    loaded: Attributor | None = None
    model = _fingerprint(place)
    if model is None:  # not on this machine yet, or not converted: only now are there files
        loaded = load(options)
        model = _fingerprint(locate(options.model))
        if model is None:
            return loaded
    return CachedAttributor(
        AttributorSpec(name, place.name, said),
        key=_key(name, options, said, model),
        load=lambda: loaded or load(options),
    )


def answers_key(backend: str, options: BackendOptions) -> str:
    """Changes with whatever a backend's answers depend on beside the transcript; loads nothing."""
    return _key(backend, options, asdict(options), _fingerprint_for(backend, options) or "")


class CachedAttributor:
    """A backend that keeps its readings on the disk."""

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
            _digest(self._key, transcript.fingerprint, json.dumps(spans)) + _TABLES
        )
        stored = read_tables(path, sources)
        if stored is not None:
            return stored
        answers = path.with_suffix(_ANSWERS)
        if answers.is_file():
            return RememberedReading(answers, lambda: self._backend().read(transcript, sources))
        reading = self._backend().read(transcript, sources)
        if isinstance(reading, AttentionTables):
            write_tables(path, reading)
            return reading
        return RememberedReading(answers, lambda: reading)

    def _backend(self) -> Attributor:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded


class RememberedReading:
    """Answers from the disk, and from the backend to what has not been asked before."""

    def __init__(self, path: Path, read: Callable[[], Reading]) -> None:
        self._path = path
        self._read = read
        self._reading: Reading | None = None
        self._answers = read_answers(path)

    def score(self, target: Target) -> Sequence[float]:
        if target not in self._answers:
            if self._reading is None:
                self._reading = self._read()
            self._answers[target] = self._reading.score(target)
            write_answers(self._path, self._answers)
        return self._answers[target]


@dataclass(frozen=True, slots=True)
class CacheSize:
    """What the readings on the disk amount to."""

    readings: int
    bytes: int


def readings_directory() -> Path:
    """Where readings are kept."""
    return cache_root() / "readings"


def vectors_file(transcript: Transcript, model: str) -> Path:
    """Where the vectors that a sentence model makes of a transcript's texts are kept."""
    key = _digest(version("tokengeist"), model, transcript.fingerprint)
    return readings_directory() / (key + _VECTORS)


def cache_size() -> CacheSize:
    """How much is kept."""
    sizes = [path.stat().st_size for path in _files()]
    return CacheSize(len(sizes), sum(sizes))


def clear_cache() -> CacheSize:
    """Delete all readings; returns what there was."""
    before = cache_size()
    for path in _files():
        path.unlink(missing_ok=True)
    return before


def _files() -> list[Path]:
    kinds = (_TABLES, _ANSWERS, _VECTORS)
    return [path for kind in kinds for path in readings_directory().glob(f"*{kind}")]


def _key(name: str, options: BackendOptions, said: Mapping[str, OptionValue], model: str) -> str:
    return _digest(
        version("tokengeist"), model, str(options.device), str(options.dtype), name
    ) + _digest(json.dumps(dict(said), sort_keys=True), _content_of(options.probe))


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


def _with_language_model(options: BackendOptions) -> BackendOptions:
    return options if is_language_model(options.model) else replace(options, model=None)


def _fingerprint_for(backend: str, options: BackendOptions) -> str | None:
    try:
        if find_backend(backend).needs_model:
            return _fingerprint(locate(_with_language_model(options).model))
        return None if options.model == NONE else _fingerprint(locate(options.model or SENTENCES))
    except (UnknownNameError, ModelError):  # whoever loads it, maybe elsewhere, says what is wrong
        return None


def _content_of(probe: str | None) -> str:
    """What a probe's name stands for: the content of its files where it is a path."""
    path = Path(probe or "").expanduser()
    if path.is_file():
        return sampled_digest(path)
    if probe and path.is_dir():
        return _digest(*(sampled_digest(p) for p in sorted(path.iterdir()) if p.is_file()))
    return str(probe)
