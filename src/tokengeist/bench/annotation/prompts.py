"""The words that the annotating model is given: files, so that anyone can read and replace them.

A prompt is plain text with `{{names}}`. They are filled in a single pass, so a conversation that
contains such a name is never filled itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tokengeist.errors import RunError

BUNDLED = Path(__file__).parent / "prompts"

_NAME = re.compile(r"\{\{(\w+)\}\}")
_NEEDED = {
    "targets": {"conversation"},
    "graph": {"conversation", "target"},
    "again": {"complaints"},
}
_OFFERED = {
    "targets": {"conversation", "mark", "fewest", "most"},
    "graph": {"conversation", "mark", "target"},
    "again": {"complaints"},
}


@dataclass(frozen=True, slots=True)
class Prompts:
    """The three prompts: choosing targets, tracing one, and asking again."""

    targets: str
    graph: str
    again: str

    @classmethod
    def load(cls, folder: Path | None = None) -> Self:
        """The bundled prompts, with those of `folder` in place of the ones of the same name."""
        if folder is not None and not folder.is_dir():
            raise RunError(f"{folder} is no folder of prompts")
        if folder is not None and not any((folder / f"{name}.md").is_file() for name in _NEEDED):
            names = ", ".join(f"{name}.md" for name in _NEEDED)
            raise RunError(f"{folder} holds none of the prompts {names}")
        return cls(**{name: _read(name, folder) for name in _NEEDED})

    @property
    def digest(self) -> str:
        """Equal for equal prompts; kept with the annotations made with them."""
        parts = "\0".join((self.targets, self.graph, self.again))
        return hashlib.sha256(parts.encode()).hexdigest()


def fill(prompt: str, values: Mapping[str, str]) -> str:
    """Put values in the place of `{{names}}`.

    >>> fill("a {{b}} c", {"b": "{{b}}"})
    'a {{b}} c'
    """
    return _NAME.sub(lambda match: values[match[1]], prompt)


def _read(name: str, folder: Path | None) -> str:
    path = BUNDLED / f"{name}.md"
    if folder is not None and (folder / path.name).is_file():
        path = folder / path.name
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"the prompt {path} cannot be read: {error}") from error
    names = set(_NAME.findall(text))
    if missing := sorted(_NEEDED[name] - names):
        raise RunError(f"the prompt {path} lacks {{{{{missing[0]}}}}}")
    if unknown := sorted(names - _OFFERED[name]):
        offered = ", ".join(sorted(_OFFERED[name]))
        raise RunError(f"the prompt {path} asks for {{{{{unknown[0]}}}}}; it may use {offered}")
    return text
