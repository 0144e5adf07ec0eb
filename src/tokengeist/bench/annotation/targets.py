"""Phase 1: which spans of a conversation to annotate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokengeist.bench.annotation.answers import AnswerError, parse_answer
from tokengeist.bench.annotation.listing import listing, mark
from tokengeist.bench.annotation.prompts import Prompts, fill
from tokengeist.bench.validation import USUAL_TARGETS
from tokengeist.errors import TargetError
from tokengeist.transcript import Transcript, locate_target

FEWEST, MOST = USUAL_TARGETS.start, USUAL_TARGETS.stop - 1


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen span, before anything is known of its provenance."""

    name: str
    turn: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """As a gold file writes it."""
        return {"name": self.name, "target_turn_idx": self.turn, "target_text": self.text}


@dataclass(frozen=True, slots=True)
class Refused:
    """A chosen span that cannot be used, as the model wrote it, and why."""

    raw: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Choices:
    """What an answer to the first prompt comes to."""

    good: tuple[Choice, ...] = ()
    refused: tuple[Refused, ...] = ()
    complaints: tuple[str, ...] = ()
    """What the model should put right; without any, the answer is as it should be."""

    @property
    def is_usable(self) -> bool:
        """Whether every span is good, though there may be too few."""
        return bool(self.good) and not self.refused


def targets_prompt(transcript: Transcript, prompts: Prompts) -> str:
    """The first prompt for a conversation."""
    values = {
        "conversation": listing(transcript),
        "mark": mark(transcript),
        "fewest": str(FEWEST),
        "most": str(MOST),
    }
    return fill(prompts.targets, values)


def read_choices(answer: str, transcript: Transcript) -> Choices:
    """The usable spans of an answer, and everything that is wrong with it.

    Too few spans is a complaint and no more: a short conversation may not hold five.
    """
    try:
        raw = parse_answer(answer, "targets")["targets"]
    except AnswerError as fault:
        return Choices(complaints=(str(fault),))
    if not isinstance(raw, list) or not raw:
        return Choices(complaints=("'targets' is not a list with spans in it",))
    good: dict[str, Choice] = {}
    refused = []
    for entry in raw:
        found = _read(entry, transcript, good)
        if isinstance(found, Refused):
            refused.append(found)
        elif len(good) == MOST:
            refused.append(Refused(entry, f"there are more than {MOST} spans"))
        else:
            good[found.name] = found
    complaints = [_named(fault) for fault in refused]
    if len(raw) < FEWEST:
        complaints.append(f"there are {len(raw)} spans; pick {FEWEST} to {MOST}")
    return Choices(tuple(good.values()), tuple(refused), tuple(complaints))


def _read(entry: Any, transcript: Transcript, taken: dict[str, Choice]) -> Choice | Refused:
    for fault in _faults(entry, transcript, taken):
        return Refused(entry, fault)
    return Choice(_snake_case(entry["name"]), entry["target_turn_idx"], entry["target_text"])


def _faults(entry: Any, transcript: Transcript, taken: dict[str, Choice]) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield "a span is an object with 'name', 'target_turn_idx' and 'target_text'"
        return
    name, turn, text = (entry.get(k) for k in ("name", "target_turn_idx", "target_text"))
    if not isinstance(name, str) or not _snake_case(name):
        yield "'name' is missing"
        return
    if not isinstance(turn, int) or isinstance(turn, bool):
        yield "'target_turn_idx' is the number of a turn"
        return
    if not isinstance(text, str):
        yield "'target_text' is missing"
        return
    try:
        locate_target(transcript, text, turn=turn)
    except TargetError as error:
        yield str(error)
    if _snake_case(name) in taken:
        yield f"the name '{name}' is taken; every span has its own"
    if any((turn, text) == (other.turn, other.text) for other in taken.values()):
        yield "this span was picked already"


def _snake_case(name: str) -> str:
    """Names become parts of file contents, links and tables: letters, digits, underscores."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:80]


def _named(refused: Refused) -> str:
    name = refused.raw.get("name") if isinstance(refused.raw, dict) else None
    return f"target '{name}': {refused.reason}" if isinstance(name, str) else refused.reason
