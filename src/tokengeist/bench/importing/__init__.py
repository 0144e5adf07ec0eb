"""Conversations from other projects' own files, in the layout of a benchmark folder.

Importing makes `conversations/ID.json`; gold graphs are annotated or added afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokengeist.errors import DatasetError


@dataclass(frozen=True, slots=True)
class Imported:
    """A conversation as it will stand in the folder."""

    id: str
    source: str
    """Where it came from, for whoever reads the file."""
    messages: list[dict[str, Any]]

    def json(self) -> dict[str, Any]:
        """The content of its file."""
        return {"id": self.id, "source": self.source, "messages": self.messages}


def write_conversations(conversations: Iterable[Imported], folder: Path) -> int:
    """Write `folder/conversations/ID.json` for each, or nothing; returns how many.

    Raises `DatasetError` for an id that comes twice or cannot be a file's name.
    """
    texts: dict[str, str] = {}
    for conversation in conversations:
        id = conversation.id
        if id in texts:
            raise DatasetError(f"two conversations are called '{id}'; import them separately")
        if not id or id.startswith(".") or any(character in id for character in '/\\:\0*?"<>|'):
            raise DatasetError(f"'{id}' cannot be the name of a file")
        texts[id] = json.dumps(conversation.json(), ensure_ascii=False, indent=1) + "\n"
    target = folder / "conversations"
    target.mkdir(parents=True, exist_ok=True)
    (folder / "gold").mkdir(exist_ok=True)
    for id, text in texts.items():
        path = target / f"{id}.json"
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return len(texts)


def read_records(path: Path) -> Iterator[tuple[int, Any]]:
    """The values of a file: of its one JSON list, its one other JSON value, or one a line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    try:
        whole = json.loads(text)
    except ValueError:
        pass
    else:
        yield from enumerate(whole if isinstance(whole, list) else [whole])
        return
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise DatasetError(f"{path}, line {number + 1} is not JSON: {error}") from error
