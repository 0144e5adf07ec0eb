"""What a corrections file could hold: missing years, and hallucinations to be put right.

ConFETTI's users often name dates without a year, or without month and year, that the gold labels
have (paper, appendix B.2.1): these then come from no turn at all and cannot be attributed. Where
the calls know them, they are proposed; whether they are right, and what a hallucination should have
said, a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.bench.corrections import Corrections, TargetCorrection, TurnCorrection
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.transcript import Role, Transcript

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
# "the 4th", and no month after it.
_LONE_DAY = re.compile(
    rf"\bthe\s+(?P<day>\d{{1,2}}(?:st|nd|rd|th))\b(?!\s+(?:of\s+)?(?:{_MONTH})\b)", re.IGNORECASE
)
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")


def propose(dataset: Dataset) -> Corrections:
    """The corrections that a folder has, and after them what else there is to correct."""
    have = dataset.corrections
    known = {(entry.conversation, entry.target) for entry in have.targets}
    waiting = {(entry.conversation, entry.turn) for entry in have.turns}
    turns, targets = list(have.turns), list(have.targets)
    annotated = dataset.gold_ids
    for id in dataset.ids:
        turns += [e for e in missing_years(dataset.transcript(id)) if (id, e.turn) not in waiting]
        if id in annotated:
            found = hallucinations(dataset.conversation(id))
            targets += [entry for entry in found if (id, entry.target) not in known]
    return Corrections(tuple(turns), tuple(targets))


def missing_years(transcript: Transcript) -> Iterator[TurnCorrection]:
    """A correction for every user turn with dates whose year only calls know, or month and year.

    They are proposed where all calls that use the same day agree on them.
    """
    dates = _dates_in_calls(transcript)
    for turn in transcript.turns:
        if turn.role is not Role.USER:
            continue
        added: list[str] = []

        def with_year(match: re.Match[str], added: list[str] = added) -> str:
            found = {year for year, month, day in dates if (month, day) == _month_and_day(match)}
            if len(found) != 1:
                return match[0]
            added.append(f"{match[0]} is in {(year := found.pop())}")
            return f"{match[0]}, {year}" if match["month"] else f"{match[0]} {year}"

        def with_month(match: re.Match[str], added: list[str] = added) -> str:
            found = {date[:2] for date in dates if date[2] == _number(match["day"])}
            if len(found) != 1:
                return match[0]
            ((year, month),) = found
            added.append(f"{match[0]} is in {_MONTHS[month - 1]} {year}")
            return f"{match[0]} of {_MONTHS[month - 1]} {year}"

        after = _LONE_DAY.sub(with_month, _DATE.sub(with_year, turn.content))
        if added:
            reason = f"incomplete in the turn; a call says: {'; '.join(added)}"
            yield TurnCorrection(transcript.id, turn.index, turn.content, after, reason)


def hallucinations(conversation: Conversation) -> Iterator[TargetCorrection]:
    """An entry for every hallucination, for a person to fill in or to delete."""
    for target in conversation.targets:
        if "hallucination" in target.tags:
            text = target.span.of(conversation.transcript.turns[target.turn].text)
            yield TargetCorrection(conversation.id, target.name, text, text, target.comment)


def _dates_in_calls(transcript: Transcript) -> set[tuple[int, int, int]]:
    """Year, month and day of every date in the arguments of calls."""
    arguments = (call.arguments for turn in transcript.turns for call in turn.calls)
    found = (match for text in arguments for match in _ISO.finditer(text))
    dates = ((int(match["year"]), int(match["month"]), int(match["day"])) for match in found)
    return {date for date in dates if 1 <= date[1] <= 12}


def _month_and_day(match: re.Match[str]) -> tuple[int, int]:
    month = (match["month"] or match["month2"]).casefold()[:3]
    names = [name.casefold()[:3] for name in _MONTHS]
    return names.index(month) + 1, _number(match["day"] or match["day2"])


def _number(day: str) -> int:
    return int(re.sub(r"\D", "", day))
