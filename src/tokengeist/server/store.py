"""Traces that were made, kept in one SQLite file so that nothing is traced twice.

A trace belongs to the content of a conversation, not to its file: a copy of the file finds the same
traces, and a changed one finds none.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from tokengeist.errors import TokengeistError

_VERSION = 1
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS traces (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    question TEXT NOT NULL,
    made REAL NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_fingerprint ON traces (fingerprint);
CREATE UNIQUE INDEX IF NOT EXISTS by_question ON traces (fingerprint, question);
PRAGMA user_version = {_VERSION};
"""


class TraceStore:
    """The file of traces. Safe to use from several threads, and by several servers."""

    def __init__(self, path: Path | None) -> None:
        """`path` None keeps traces only as long as the server runs."""
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path or ":memory:", check_same_thread=False, timeout=10
            )
            (found,) = self._connection.execute("PRAGMA user_version").fetchone()
            if found > _VERSION:
                raise TokengeistError(
                    f"{path} was written by a later Tokengeist; upgrade, or name another file "
                    "with --store"
                )
            self._connection.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise TokengeistError(f"the store {path} cannot be used: {error}") from error

    def traces_of(self, fingerprint: str) -> list[dict[str, Any]]:
        """All traces of a conversation, in the order in which they were made."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT content FROM traces WHERE fingerprint = ? ORDER BY made", (fingerprint,)
            ).fetchall()
        return [json.loads(content) for (content,) in rows]

    def find(self, fingerprint: str, question: str) -> dict[str, Any] | None:
        """The trace that answers a question, if it was ever asked."""
        with self._lock:
            row = self._connection.execute(
                "SELECT content FROM traces WHERE fingerprint = ? AND question = ?",
                (fingerprint, question),
            ).fetchone()
        return json.loads(row[0]) if row else None

    def keep(self, fingerprint: str, question: str, trace: dict[str, Any]) -> None:
        """Keep a trace in place of an earlier answer to the same question."""
        with self._lock, self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO traces VALUES (?, ?, ?, ?, ?)",
                (trace["id"], fingerprint, question, time.time(), json.dumps(trace)),
            )

    def replace(self, trace: dict[str, Any]) -> None:
        """Keep a trace in place of the one with the same id."""
        with self._lock, self._connection:
            self._connection.execute(
                "UPDATE traces SET content = ? WHERE id = ?", (json.dumps(trace), trace["id"])
            )

    def count(self) -> dict[str, int]:
        """How many traces each conversation has, by fingerprint."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT fingerprint, count(*) FROM traces GROUP BY fingerprint"
            ).fetchall()
        return dict(rows)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()
