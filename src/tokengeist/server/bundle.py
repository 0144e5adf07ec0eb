"""The built page in the package, and whether it is as new as its sources.

A clone without Node must work, so the bundle is committed. It carries a digest of the sources that
it was built from; a test fails when they have moved on.
"""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

_SCRIPT, _STYLE = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
FILES = {"app.js": _SCRIPT, "app.css": _STYLE, "review.js": _SCRIPT, "review.css": _STYLE}


def read(name: str) -> bytes:
    """A file of the bundle."""
    return resources.files("tokengeist").joinpath("server", "static", name).read_bytes()


def built_from() -> str:
    """The digest of the sources that the bundle was built from."""
    return read("sources.sha256").decode().strip()


def sources_digest(viewer: Path) -> str:
    """The digest of the sources as they are; the same as `viewer/build.mjs` computes."""
    digest = hashlib.sha256()
    files = [path.relative_to(viewer).as_posix() for path in (viewer / "src").rglob("*.*")]
    for file in sorted([*files, "package-lock.json", "build.mjs"]):
        digest.update(f"{file}\n".encode() + (viewer / file).read_bytes() + b"\n")
    return digest.hexdigest()
