"""Transcripts in any format → the conversations of a benchmark folder.

A benchmark folder holds OpenAI chat messages. Each transcript is read back from what was written
for it and must be the same, turn by turn and call by call, because spans will be quoted from it.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from tokengeist.bench.dataset import Dataset, parse_conversation
from tokengeist.bench.files import replace_file
from tokengeist.bench.messages import messages
from tokengeist.errors import DatasetError, FormatError, RunError, TokengeistWarning
from tokengeist.formats import load_all
from tokengeist.transcript import Transcript

_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".eval"})


def gather(source: Path, out: Path | None) -> Dataset:
    """The benchmark folder to annotate: `source` itself if it is one, else one made in `out`."""
    if (source / "conversations").is_dir():
        if out is not None and out.resolve() != source.resolve():
            raise RunError(
                f"{source} is a benchmark folder and is annotated where it is; leave --out away"
            )
        return Dataset(source)
    if out is None:
        raise RunError(
            f"{source} is no benchmark folder (it has no conversations/); say with --out where the "
            "one made of its transcripts goes"
        )
    taken: set[str] = set()
    for transcript in _transcripts(source, out):
        _write(transcript, _unused(_file_name(transcript.id), taken), out / "conversations")
    if not taken:
        raise RunError(f"{source} holds no transcript")
    return Dataset(out)


def _transcripts(source: Path, out: Path) -> Iterator[Transcript]:
    if not source.exists():
        raise RunError(f"there is no {source}")
    files = [source] if source.is_file() else sorted(source.rglob("*"))
    for path in files:
        if path.suffix not in _SUFFIXES or not path.is_file() or path.is_relative_to(out):
            continue
        try:
            yield from load_all(path)
        except FormatError as error:
            warnings.warn(f"left out: {error}", TokengeistWarning, stacklevel=2)


def _write(transcript: Transcript, id: str, folder: Path) -> None:
    data = json.dumps({"id": id, "messages": messages(transcript)}, indent=1).encode() + b"\n"
    path = folder / f"{id}.json"
    if path.exists():
        if path.read_bytes() != data:
            raise RunError(f"{path} was made from another version of {transcript.label}; remove it")
        return
    try:
        same = parse_conversation(data, id=id, origin=str(path)).fingerprint
    except (DatasetError, FormatError) as error:
        same = str(error)
    if same != transcript.fingerprint:
        warnings.warn(
            f"left out: {transcript.label} cannot be kept as chat messages, which know neither "
            "compaction summaries nor results without a call",
            TokengeistWarning,
            stacklevel=2,
        )
        return
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(path, lambda file: file.write(data))


def _file_name(id: str) -> str:
    """An id that can be a file's name on any system."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", id).strip("-.")[:120] or "conversation"


def _unused(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate.lower() in taken:  # some file systems do not tell A from a
        number += 1
        candidate = f"{name}-{number}"
    taken.add(candidate.lower())
    return candidate
