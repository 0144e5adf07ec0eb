"""What the evidence shows to be wrong with a target, in the words of the paper's taxonomy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.cues import INFORMATION
from tokengeist.attribution.blend.need import Need
from tokengeist.transcript import Role, Span

STALE = "stale context"
WRONG_VALUE = "wrong-value transformation"
INVENTION = "unsupported invention"

AVERAGE = re.compile(r"\b(?:average|mean|median)\b", re.IGNORECASE)
"""Words for values that no single source holds."""
TAKEN_INTO_ACCOUNT = re.compile(r"\b(?:minus|less|plus|after|without)\s", re.IGNORECASE)
"""Words for what went into a value, and is named beside it for that."""

Places = tuple[tuple[int, Span], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A kind of mistake, why it is one, and the text that shows it."""

    kind: str
    reason: str = ""
    sources: Places = ()

    @property
    def note(self) -> str:
        return f"{self.kind}: {self.reason}" if self.reason else self.kind


def own_words(book: Book, need: Need, position: int) -> frozenset[str]:
    """The keys of the sentence, or of the call, that a position of the target stands in."""
    page = book.pages[need.turn]
    return page.keys_between(*page.home(position))


def question(book: Book, need: Need) -> str:
    """What the user asked that a statement answers; empty if nothing was asked."""
    users = book.roles(Role.USER, need.turn)
    if not need.is_prose or not users:
        return ""
    between = book.pages[users[-1] + 1 : need.turn]
    if any(page.role is Role.ASSISTANT and not page.calls for page in between):
        return ""  # answered already
    text = book.pages[users[-1]].text
    return text if "?" in text or INFORMATION.search(text) else ""


def sentence(book: Book, need: Need) -> str:
    """The sentences that a target is part of."""
    page = book.pages[need.turn]
    homes = sorted({page.home(span.start) for span in need.spans})
    return " ".join(page.text[start:end] for start, end in homes)
