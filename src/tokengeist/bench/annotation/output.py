"""What annotation leaves behind: gold files, set-aside files, and a summary beside the journal.

OUT/conversations/ID.json   the transcripts
OUT/gold/ID.json            the targets that obey every rule
OUT/set-aside/ID.json       the targets that do not, each with its reasons
OUT/annotation/             the journal of calls, and run.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokengeist.bench.annotation.conversation import TARGETS_TASK, Annotated
from tokengeist.bench.dataset import Conversation, Dataset, GoldForm, gold_json
from tokengeist.bench.files import replace_file
from tokengeist.bench.gold import GoldTarget
from tokengeist.errors import RunError
from tokengeist.transcript import Transcript


class OutputFolder:
    """A benchmark folder under annotation."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.path = dataset.folder

    @property
    def journal_folder(self) -> Path:
        """Where calls are remembered."""
        return self.path / "annotation"

    def set_aside_path(self, id: str) -> Path:
        """Where a conversation's failed targets stand."""
        return self.path / "set-aside" / f"{id}.json"

    def has_gold(self, id: str) -> bool:
        """Whether anybody has annotated a conversation."""
        return self.dataset.gold_path(id).exists()

    def kept(self, id: str) -> tuple[GoldTarget, ...]:
        """The targets that a conversation's gold file already holds."""
        return self.dataset.conversation(id).targets if self.has_gold(id) else ()

    def write(self, transcript: Transcript, annotated: Annotated) -> None:
        """Write both files, each in one move.

        A conversation that the server left unfinished gets no gold file yet: half of its targets
        would look like all of them.
        """
        if annotated.is_finished:
            gold = gold_json(Conversation(transcript, annotated.targets), GoldForm.QUOTED)
            self._write(self.dataset.gold_path(transcript.id), gold)
        faults = [fault.to_json() for fault in annotated.set_aside]
        path = self.set_aside_path(transcript.id)
        if faults:
            self._write(path, {"conversation_id": transcript.id, "set_aside": faults})
        else:
            path.unlink(missing_ok=True)

    def tasks_to_repeat(self, id: str) -> tuple[str, ...]:
        """The tasks that a conversation's set-aside file says failed.

        Spans that were refused beside good ones stay refused: choosing again would choose all
        anew.
        """
        path = self.set_aside_path(id)
        if not path.exists():
            return ()
        try:
            faults = json.loads(path.read_bytes())["set_aside"]
            tasks = {
                f["task"]: None for f in faults if f["task"] != TARGETS_TASK or not f["target"]
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path} is no set-aside file: {error!r}") from error
        return tuple(tasks)

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Replace `annotation/run.json`."""
        self._write(self.journal_folder / "run.json", summary)

    def _write(self, path: Path, data: dict[str, Any]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"cannot write {path}: {error.strerror or error}") from error
        # Half a surrogate pair, which JSON can carry and UTF-8 cannot, is written as an escape.
        text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        encoded = text.encode("utf-8", "backslashreplace")
        replace_file(path, lambda file: file.write(encoded))
