"""Generated conversations on disk, in the benchmark's layout."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tokengeist.bench.synth.conversation import SynthConversation


def write(folder: Path | str, conversations: Iterable[SynthConversation]) -> int:
    """Write `conversations/ID.json` and `gold/ID.json`; returns how many there were.

    Each file appears whole or not at all, and gold comes last: a conversation that has gold is
    complete, so an interrupted run leaves nothing half-written.
    """
    root = Path(folder)
    for name in ("conversations", "gold"):
        (root / name).mkdir(parents=True, exist_ok=True)
    count = 0
    for item in conversations:
        record = {"id": item.id, "source": item.source, "messages": item.messages}
        _write(root / "conversations" / f"{item.id}.json", record)
        _write(root / "gold" / f"{item.id}.json", item.gold)
        count += 1
    return count


def _write(path: Path, record: dict[str, Any]) -> None:
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(path)
