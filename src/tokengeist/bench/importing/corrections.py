"""Corrections of conversations, as a file that a person can review before it is applied.

ConFETTI's users often name dates without a year that the gold labels have (paper, appendix
B.2.1): the year then comes from no turn at all and cannot be attributed. `propose_years` finds such
dates and writes what it would change, one entry each; a reviewer edits or deletes entries; `apply`
changes exactly what is left, and refuses a text that is not what the entry says it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tokengeist.bench.importing import Imported
from tokengeist.errors import DatasetError

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_MONTH = "|".join(f"{name}|{name[:3]}\\.?|{name[:4]}\\.?" for name in _MONTHS)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
# "May 4th", "4 May", "the 4th of May", and no year after it.
_DATE = re.compile(
    rf"\b(?:(?P<month>{_MONTH})\s+(?P<day>{_DAY})|(?P<day2>{_DAY})\s+(?:of\s+)?(?P<month2>{_MONTH}))"
    r"\b(?!\.?,?\s*(?:of\s+)?\d{4})(?!\s*[-–]\s*\d)",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")


@dataclass(frozen=True, slots=True)
class Correction:
    """One change of one message."""

    conversation: str
    message: int
    before: str
    """The message's whole content now."""
    after: str
    reason: str


def read_corrections(path: Path) -> list[Correction]:
    """The entries of a corrections file."""
    try:
        return [Correction(**entry) for entry in json.loads(path.read_bytes())]
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        raise DatasetError(f"{path} is no list of corrections: {error}") from error


def write_corrections(corrections: Iterable[Correction], path: Path) -> int:
    """Write corrections for review; returns how many."""
    entries = [asdict(correction) for correction in corrections]
    path.write_text(json.dumps(entries, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return len(entries)


def propose_years(conversation: Imported) -> Iterator[Correction]:
    """A correction for every user message with dates whose year only later calls know.

    A year is proposed where all calls that use the same month and day agree on it.
    """
    years = _years_in_calls(conversation.messages)
    for number, message in enumerate(conversation.messages):
        content = message.get("content")
        if message["role"] != "user" or not isinstance(content, str):
            continue
        added: list[str] = []

        def with_year(match: re.Match[str], added: list[str] = added) -> str:
            found = years.get(_month_and_day(match), set())
            if len(found) != 1:
                return match[0]
            (year,) = found
            added.append(f"{match[0]} is {year}")
            return f"{match[0]}, {year}" if match["month"] else f"{match[0]} {year}"

        after = _DATE.sub(with_year, content)
        if added:
            reason = f"no year in the message; a later call says {'; '.join(added)}"
            yield Correction(conversation.id, number, content, after, reason)


def _years_in_calls(messages: list[dict[str, Any]]) -> Mapping[tuple[int, int], set[str]]:
    years: dict[tuple[int, int], set[str]] = {}
    for message in messages:
        for call in message.get("tool_calls") or ():
            for date in _ISO.finditer(call["function"]["arguments"]):
                years.setdefault((int(date["month"]), int(date["day"])), set()).add(date["year"])
    return years


def _month_and_day(match: re.Match[str]) -> tuple[int, int]:
    month = (match["month"] or match["month2"]).casefold()[:3]
    day = re.sub(r"\D", "", match["day"] or match["day2"])
    return [name.casefold()[:3] for name in _MONTHS].index(month) + 1, int(day)


def apply(
    conversations: Iterable[Imported], corrections: Iterable[Correction]
) -> Iterator[Imported]:
    """The conversations with the corrections applied.

    Raises `DatasetError` for a correction that does not fit, or fits no conversation.
    """
    waiting: dict[str, list[Correction]] = {}
    for correction in corrections:
        waiting.setdefault(correction.conversation, []).append(correction)
    for conversation in conversations:
        messages = list(conversation.messages)
        for correction in waiting.pop(conversation.id, ()):
            place = f"message {correction.message} of '{conversation.id}'"
            if not 0 <= correction.message < len(messages):
                raise DatasetError(f"a correction is for {place}, which does not exist")
            message = messages[correction.message]
            if message.get("content") != correction.before:
                raise DatasetError(f"{place} is not what its correction says it was")
            messages[correction.message] = message | {"content": correction.after}
        yield replace(conversation, messages=messages)
    if waiting:
        raise DatasetError(f"corrections for unknown conversations: {', '.join(sorted(waiting))}")
