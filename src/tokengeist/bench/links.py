"""Labels of one hop: what a phrase or a call rests on directly, and nothing of what lies behind.

A benchmark folder may have `links/ID.json` beside or instead of `gold/ID.json`. A hop takes a
moment to label where a whole graph takes minutes, so there can be many of them; they are for
fitting, and nothing is scored against them. Spans are offsets, so that labels of conversations
that may not be passed on can be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokengeist.bench.dataset import Conversation, Dataset, read_bytes
from tokengeist.errors import DatasetError
from tokengeist.transcript import Role, Span, Target, Transcript

FOLDER = "links"


@dataclass(frozen=True)
class Linked:
    """A conversation with labelled hops."""

    transcript: Transcript
    hops: tuple[tuple[Target, Collection[int]], ...]
    """What is explained, and the turns that it rests on."""


def linked(dataset: Dataset, ids: Iterable[str] | None = None) -> Iterator[Linked]:
    """The conversations of a folder that have labelled hops, or those of them that are named."""
    known = _files(dataset)
    for id in dataset.ids if ids is None else ids:
        if id in known:
            path = known[id]
            yield read_links(read_bytes(path), dataset.transcript(id), file=str(path))


def graphs(dataset: Dataset) -> Iterable[Conversation]:
    """The conversations with gold graphs; none where a folder has labelled hops instead."""
    return dataset if dataset.gold_ids or not _files(dataset) else ()


def links_digest(dataset: Dataset) -> str:
    """A digest of all labels: equal digests, equal labels."""
    digest = hashlib.sha256()
    for id, path in sorted(_files(dataset).items()):
        digest.update(f"{id}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(dataset: Dataset) -> dict[str, Path]:
    return {path.stem: path for path in (dataset.folder / FOLDER).glob("*.json")}


def read_links(data: bytes, transcript: Transcript, *, file: str) -> Linked:
    """A file's content. Raises `DatasetError` at the first problem."""
    try:
        raw = json.loads(data)
        if raw["fingerprint"] != transcript.fingerprint:
            raise ValueError("made for another version of this conversation")
        hops = [_hop(entry, transcript) for entry in raw["links"]]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise DatasetError(f"{file}: not a file of labelled hops: {error}") from error
    return Linked(transcript, tuple(hops))


def links_json(found: Linked) -> dict[str, Any]:
    """The content of a file."""
    return {
        "conversation_id": found.transcript.id,
        "fingerprint": found.transcript.fingerprint,
        "links": [
            [target.turn, [[span.start, span.end] for span in target.spans], sorted(sources)]
            for target, sources in found.hops
        ],
    }


def _hop(entry: list[Any], transcript: Transcript) -> tuple[Target, tuple[int, ...]]:
    turn, spans, sources = entry
    text = transcript.turns[turn].text
    target = Target(turn, tuple(Span(start, end) for start, end in spans))
    if transcript.turns[turn].role is not Role.ASSISTANT:
        raise ValueError(f"turn {turn} is not the assistant's")
    if any(span.end > len(text) for span in target.spans):
        raise ValueError(f"turn {turn} has no such span")
    if not all(0 <= source < turn for source in sources):
        raise ValueError(f"a source of turn {turn} is not before it")
    return target, tuple(sources)
