"""A benchmark on disk: a folder with `conversations/ID.json` and `gold/ID.json`.

Everything is read one conversation at a time, so a folder of any size passes through the same
small memory. What is read is what the folder's `corrections.json`, if it has one, makes of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tokengeist.bench.corrections import FILE as CORRECTIONS
from tokengeist.bench.corrections import Corrections
from tokengeist.bench.gold import GoldTarget, Problem, TargetReader, offsets, quoted
from tokengeist.bench.messages import messages
from tokengeist.errors import DatasetError, UnknownNameError
from tokengeist.formats.document import Document
from tokengeist.formats.registry import reader
from tokengeist.transcript import Transcript


class GoldForm(StrEnum):
    """How gold files are written."""

    QUOTED = "quoted"
    """With the annotated text, as the paper's schema has it."""
    OFFSETS = "offsets"
    """With character ranges only: nothing of the conversation is repeated."""


@dataclass(frozen=True)
class Conversation:
    """One conversation with its annotated targets."""

    transcript: Transcript
    targets: tuple[GoldTarget, ...]

    @property
    def id(self) -> str:
        """The name that both files share."""
        return self.transcript.id

    def target(self, name: str) -> GoldTarget:
        """A target by its name. Raises `UnknownNameError`."""
        for target in self.targets:
            if target.name == name:
                return target
        raise UnknownNameError(f"{self.id} has no target '{name}'")


class Dataset:
    """A benchmark folder. Opening one reads its file names and its corrections only."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.ids: tuple[str, ...] = tuple(sorted(self._stems("conversations")))
        """The conversations, in the order in which everything treats them."""
        if not self.ids:
            raise DatasetError(
                f"{self.folder} is no benchmark folder: it needs conversations/ID.json "
                "and gold/ID.json"
            )
        self.corrections = Corrections.read(self.folder / CORRECTIONS)
        """What a person has put right; `transcript` and `conversation` apply it."""
        self._corrected = {entry.id: entry for entry in self.corrections.applied_targets}
        unknown = self.corrections.conversations - set(self.ids)
        if unknown:
            listed = ", ".join(sorted(unknown))
            raise DatasetError(f"{self.corrections.origin} corrects what is not there: {listed}")
        made = [entry.id for entry in self.corrections.applied_targets]
        for id in made:
            if made.count(id) > 1 or id in self.ids:
                raise DatasetError(f"{self.corrections.origin}: '{id}' is corrected twice")

    @property
    def name(self) -> str:
        """How tables name this data set."""
        return self.folder.resolve().name

    @property
    def gold_ids(self) -> frozenset[str]:
        """The conversations that have a gold file."""
        return frozenset(self._stems("gold"))

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Conversation]:
        return map(self.conversation, self.ids)

    def conversation_path(self, id: str) -> Path:
        """Where a conversation stands."""
        return self.folder / "conversations" / f"{id}.json"

    def gold_path(self, id: str) -> Path:
        """Where a conversation's gold graphs stand."""
        return self.folder / "gold" / f"{id}.json"

    @property
    def corrected_ids(self) -> tuple[str, ...]:
        """The conversations that corrected targets stand in. They have no files of their own."""
        return tuple(self._corrected)

    @property
    def all_ids(self) -> tuple[str, ...]:
        """What a run traces: the conversations, then those of corrected targets."""
        return (*self.ids, *self.corrected_ids)

    def transcript(self, id: str) -> Transcript:
        """A conversation without its gold graphs."""
        if id in self._corrected:
            return self.conversation(id).transcript
        path = self.conversation_path(id)
        found = parse_conversation(read_bytes(path), id=id, origin=str(path))
        return self.corrections.corrected(found)

    def conversation(self, id: str) -> Conversation:
        """A conversation with its gold graphs. Raises `DatasetError` at the first problem."""
        if id in self._corrected:
            entry = self._corrected[id]
            wrong = self.conversation(entry.conversation)
            right = self.corrections.corrected_target(wrong.transcript, wrong.targets, entry)
            return Conversation(*right)
        path = self.gold_path(id)
        return parse_gold(read_bytes(path), self.transcript(id), file=str(path))

    def files(self, id: str) -> tuple[bytes, bytes]:
        """A conversation and its gold as files that hold what is read here."""
        if id in self._corrected:
            conversation = self.conversation(id)
            gold = json.dumps(gold_json(conversation)).encode()
            return _conversation_file(conversation.transcript), gold
        if id in self.corrections.conversations:
            return _conversation_file(self.transcript(id)), read_bytes(self.gold_path(id))
        return read_bytes(self.conversation_path(id)), read_bytes(self.gold_path(id))

    def check_corrections(self) -> None:
        """Raise `DatasetError` for the first correction that does not fit."""
        for id in sorted({entry.conversation for entry in self.corrections.turns}):
            self.transcript(id)
        for id in self.corrected_ids:
            self.conversation(id)

    def digest(self) -> str:
        """A digest of all files: equal digests, equal benchmark."""
        digest = hashlib.sha256()
        corrections = self.folder / CORRECTIONS
        if corrections.is_file():
            digest.update(corrections.read_bytes())
        for id in self.ids:
            for path in (self.conversation_path(id), self.gold_path(id)):
                digest.update(f"{path.name}\0".encode())
                digest.update(path.read_bytes() if path.is_file() else b"missing")
        return digest.hexdigest()

    def _stems(self, name: str) -> Iterator[str]:
        return (path.stem for path in (self.folder / name).glob("*.json"))


def _conversation_file(transcript: Transcript) -> bytes:
    return json.dumps({"id": transcript.id, "messages": messages(transcript)}).encode()


def parse_conversation(data: bytes, *, id: str, origin: str) -> Transcript:
    """A conversation file's content as a transcript named `id`."""
    found = list(reader("openai").conversations(Document(origin, id, data)))
    if [conversation.id for conversation in found] != [id]:
        ids = ", ".join(repr(conversation.id) for conversation in found) or "none"
        raise DatasetError(f"{origin} should hold the one conversation {id!r}; it holds {ids}")
    return found[0].read()


def parse_gold(data: bytes, transcript: Transcript, *, file: str) -> Conversation:
    """A gold file's content as the targets of `transcript`. Raises at the first problem."""
    targets, problems = read_gold(data, transcript, file=file)
    if problems:
        raise DatasetError(str(problems[0]))
    return Conversation(transcript, targets)


def read_gold(
    data: bytes, transcript: Transcript, *, file: str
) -> tuple[tuple[GoldTarget, ...], list[Problem]]:
    """The targets of a gold file that can be read, and what is wrong with the others."""
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        return (), [Problem(file, "form", f"this is not JSON: {error}")]
    if not isinstance(raw, dict) or not isinstance(raw.get("targets"), list):
        return (), [Problem(file, "form", "a gold file is an object with a list 'targets'")]
    problems = []
    if raw.get("conversation_id") != transcript.id:
        found = raw.get("conversation_id")
        problems.append(Problem(file, "form", f"'conversation_id' is {found!r}, unlike the file"))
    if raw.get("fingerprint", transcript.fingerprint) != transcript.fingerprint:
        message = "the offsets were made for another version of this conversation"
        return (), [*problems, Problem(file, "fingerprint", message)]
    targets: dict[str, GoldTarget] = {}
    for position, entry in enumerate(raw["targets"]):
        reader = TargetReader(entry, transcript, file=file, position=position)
        target = reader.read()
        problems += reader.problems
        if target is None:
            continue
        if target.name in targets:
            problems.append(Problem(file, "form", "two targets share this name", target.name))
        targets[target.name] = target
    return tuple(targets.values()), problems


def gold_json(conversation: Conversation, form: GoldForm = GoldForm.QUOTED) -> dict[str, Any]:
    """A gold file's content.

    The offsets form is bound to its conversation by a fingerprint, because offsets into a changed
    text would still point somewhere.
    """
    head: dict[str, Any] = {"conversation_id": conversation.id}
    if form is GoldForm.QUOTED:
        return head | {
            "targets": [quoted(t, conversation.transcript) for t in conversation.targets]
        }
    return head | {
        "fingerprint": conversation.transcript.fingerprint,
        "targets": [offsets(target) for target in conversation.targets],
    }


def write_gold(conversations: Iterable[Conversation], folder: Path, form: GoldForm) -> int:
    """Write gold files in the given form to `folder`; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for conversation in conversations:
        text = json.dumps(gold_json(conversation, form), ensure_ascii=False, indent=1)
        path = folder / f"{conversation.id}.json"
        path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
        count += 1
    return count


def read_bytes(path: Path) -> bytes:
    """A file's content, or a `DatasetError`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror or error}") from error
