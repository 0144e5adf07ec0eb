"""Which conversations there are: those under the given files and folders, and no others.

The page names a conversation by a key that this file made; a path never comes in from outside, so
nothing beyond the roots can be opened. Files are looked through in the background, because a folder
of thousands must not hold up the first page.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tokengeist.bench.corrections import FILE, Corrections
from tokengeist.errors import TokengeistError, UnknownNameError
from tokengeist.export.terminal import excerpt
from tokengeist.formats import list_conversations, load, load_all
from tokengeist.transcript import Role, Transcript

SUFFIXES = (".json", ".jsonl", ".ndjson", ".eval", ".traj")
LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file that is opened."""
_MOST_FILES = 20_000
_KEPT_OPEN = 8
_PREVIEW = 120
_PATIENCE = 20.0  # seconds


@dataclass(frozen=True)
class Entry:
    """A conversation in the list."""

    key: str
    id: str
    path: Path
    label: str
    """The file, as the user would name it."""
    turns: int
    preview: str

    @cached_property
    def haystack(self) -> str:
        """What the list's search looks at."""
        return f"{self.id}\n{self.label}\n{self.preview}".casefold()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that holds no conversation, and why."""

    label: str
    reason: str


class Catalogue:
    """The conversations under some roots."""

    def __init__(self, roots: Sequence[Path], *, largest: int = LARGEST) -> None:
        self.roots = tuple(root.resolve() for root in roots)
        for root in self.roots:
            if not root.exists():
                raise TokengeistError(f"there is no file or folder {str(root)!r}")
        self._largest = largest
        self._entries: dict[str, Entry] = {}
        self._skipped: list[Skipped] = []
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Transcript] = OrderedDict()
        self._whole = threading.Event()

    def start(self) -> None:
        """Look through the roots in the background."""
        threading.Thread(target=self.scan, name="catalogue", daemon=True).start()

    def scan(self) -> None:
        """Look through the roots now."""
        for path, label in self._files():
            try:
                for entry in self._look_into(path, label):
                    with self._lock:
                        self._entries[entry.key] = entry
            except (TokengeistError, OSError, RecursionError) as error:
                with self._lock:
                    self._skipped.append(Skipped(label, str(error)))
        self._whole.set()

    @property
    def is_whole(self) -> bool:
        """Whether everything has been looked through."""
        return self._whole.is_set()

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files without a conversation."""
        with self._lock:
            return tuple(self._skipped)

    def find(self, query: str = "") -> tuple[Entry, ...]:
        """The entries that hold every word of `query`."""
        words = query.casefold().split()
        with self._lock:
            entries = tuple(self._entries.values())
        return tuple(e for e in entries if all(word in e.haystack for word in words))

    def entry(self, key: str) -> Entry:
        """The entry of a key, waited for while files are looked through.

        Raises `UnknownNameError`.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            whole = self.is_whole or time.monotonic() > deadline
            with self._lock:
                entry = self._entries.get(key)
            if entry is not None or whole:
                break
            time.sleep(0.05)
        if entry is None:
            raise UnknownNameError("this conversation is not among those that were opened")
        return entry

    def transcript(self, key: str) -> Transcript:
        """A conversation, read when it is asked for; the last few stay open."""
        entry = self.entry(key)
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
        self._check(entry.path)
        transcript = load(entry.path, conversation=entry.id)
        if entry.path.parent.name == "conversations":  # of a benchmark, whose gold is of this text
            transcript = Corrections.read(entry.path.parents[1] / FILE).corrected(transcript)
        with self._lock:
            self._open[key] = transcript
            while len(self._open) > _KEPT_OPEN:
                self._open.popitem(last=False)
        return transcript

    def add(self, path: Path, id: str, label: str) -> str:
        """Make sure of one conversation, as a run does that names its own; returns the key."""
        key = _key(path, id)
        with self._lock:
            if key not in self._entries:
                self._entries[key] = Entry(key, id, path, label, 0, "")
        return key

    def _files(self) -> Iterator[tuple[Path, str]]:
        count = 0
        for root in self.roots:
            if root.is_file():
                yield root, root.name
                continue
            for folder, subfolders, names in os.walk(root):
                subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
                if Path(folder).name == "gold" and (Path(folder).parent / "conversations").is_dir():
                    continue  # annotations, no conversations
                for name in sorted(names):
                    path = Path(folder) / name
                    if path.suffix.lower() not in SUFFIXES or name.startswith("."):
                        continue
                    # A link may point out of the root.
                    if path.is_symlink() and not path.resolve().is_relative_to(root):
                        continue
                    count += 1
                    if count > _MOST_FILES:
                        self._skipped.append(
                            Skipped(str(root), f"only the first {_MOST_FILES} files are listed")
                        )
                        return
                    yield path, str(path.relative_to(root.parent))

    def _look_into(self, path: Path, label: str) -> Iterator[Entry]:
        self._check(path)
        ids = list_conversations(path)
        for id, transcript in zip(ids, load_all(path), strict=True):
            said = next((t.text for t in transcript.turns if t.role is Role.USER), "")
            preview = excerpt(said, _PREVIEW)
            yield Entry(_key(path, id), id, path, label, len(transcript.turns), preview)

    def _check(self, path: Path) -> None:
        size = path.stat().st_size
        if size > self._largest:
            raise TokengeistError(
                f"{path.name} has {size / 1e6:.0f} MB; files up to {self._largest / 1e6:.0f} MB "
                "are opened (--max-size)"
            )


def _key(path: Path, id: str) -> str:
    return hashlib.sha256(f"{path.resolve()}\0{id}".encode("utf-8", "surrogatepass")).hexdigest()[
        :20
    ]
