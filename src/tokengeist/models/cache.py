"""Where models and readings are kept between runs, and how a file there is known to be whole.

Nothing in the cache is ever trusted because it exists: a directory is written under another name,
described by a manifest of digests, and renamed into place, so that a crash leaves nothing that
looks finished and two processes that convert the same model do no harm to each other.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

from tokengeist.errors import OptionError

MANIFEST = "tokengeist.json"

_SAMPLES = 64
_SAMPLE_BYTES = 1 << 16


def cache_root() -> Path:
    """The cache directory: `TOKENGEIST_CACHE` where it is set, else the user's own."""
    chosen = os.environ.get("TOKENGEIST_CACHE")
    if not chosen:
        return platformdirs.user_cache_path("tokengeist")
    if Path(chosen).is_file():
        raise OptionError(f"TOKENGEIST_CACHE is {chosen}, a file; set it to a folder, or unset it")
    return Path(chosen)


def sampled_digest(path: Path) -> str:
    """A digest of a file's size and of 64 blocks spread evenly over it.

    Weights are gigabytes and are looked at on every start, so the whole is not read. A truncated,
    zeroed or different file changes its size or its samples; small files are read entirely.
    """
    size = path.stat().st_size
    digest = hashlib.sha256(size.to_bytes(8, "big"))
    with path.open("rb") as file:
        if size <= _SAMPLES * _SAMPLE_BYTES:
            digest.update(file.read())
        else:
            for sample in range(_SAMPLES):
                file.seek((size - _SAMPLE_BYTES) * sample // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def is_whole(directory: Path) -> bool:
    """Whether every file that the manifest of `directory` names is there and is what it was."""
    try:
        listed = json.loads((directory / MANIFEST).read_text("utf-8"))["files"]
        return bool(listed) and all(
            sampled_digest(directory / name) == digest for name, digest in listed.items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def build_directory(final: Path, fill: Callable[[Path], None]) -> Path:
    """Make `final` with `fill` unless it is there and whole; atomic, and safe in several processes.

    A lock keeps a second process from doing the same work at once. The rename would be safe
    without it, so a file system on which locks do nothing costs time and nothing else.
    """
    from filelock import FileLock

    if is_whole(final):
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(final.with_name(f".{final.name}.lock")):
        if is_whole(final):
            return final
        temporary = Path(tempfile.mkdtemp(prefix=f".{final.name}-", dir=final.parent))
        try:
            fill(temporary)
            files = {p.name: sampled_digest(p) for p in sorted(temporary.iterdir())}
            (temporary / MANIFEST).write_text(json.dumps({"files": files}, indent=1), "utf-8")
            temporary.chmod(0o755)  # mkdtemp's 0700 would shut out a cache shared by a group
            if final.exists():
                shutil.rmtree(final)
            temporary.rename(final)
        except OSError:
            if not is_whole(final):  # otherwise another process was first, which is as good
                raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return final
