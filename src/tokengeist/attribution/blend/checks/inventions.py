"""Whether a value that nothing leads to is a claim about the world, and so an invention.

A literal of code, the number of a list item or a setting of a search is the agent's own to choose.
"""

from __future__ import annotations

import re

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.dates import WORKING_DAYS
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, stem
from tokengeist.attribution.blend.quantities import MONEY, PERCENT
from tokengeist.transcript import Role

_IN_OTHER_WORDS = (Kind.VALUE, Kind.CODE, Kind.NAME, Kind.WORD)
_ENUMERATOR = re.compile(r"(?:^|\n)[^\w\n]*\d+[.):]?\Z")
_COMPOUND = re.compile(r"\d{1,3}(?:-[a-z]{2,})+")
"""Words that begin with a number: `7-year-old`."""
_FENCE = re.compile(r"```|~~~")
ESTIMATE = re.compile(
    r"%|\b(?:average|mean|median|ratio|rate|percent|about|around|roughly|approximately|nearly|almost"
    r"|estimated?|typically|usually)\b",
    re.IGNORECASE,
)
"""Words beside figures that are worked out or guessed in ways that nobody can check here."""
_AMOUNT = 10
"""Smaller bare numbers count things more often than money."""
_FEWEST_PARTS = 3
_TIMES = ("minute", "hour", "day", "week", "month", "year")


def is_invented(book: Book, need: Need, item: Item) -> bool:
    """Whether an item without holders and without a derivation claims something."""
    piece = item.piece
    if piece.kind in _IN_OTHER_WORDS or _COMPOUND.fullmatch(piece.text):
        return False
    page = book.pages[need.turn]
    if need.calls and not _names_something_known(book, need, item):
        return False
    if ESTIMATE.search(need.text):
        return False
    before = page.text[: piece.start]
    if _ENUMERATOR.search(before + piece.text) or len(_FENCE.findall(before)) % 2:
        return False
    return not _may_be_worked_out(book, need, piece) and not _is_put_together(
        book, need, piece.text
    )


def _may_be_worked_out(book: Book, need: Need, piece: Piece) -> bool:
    """Whether sources give figures of its kind, from which it may follow in a way unknown here.

    Amounts, percentages, dates and times mostly may. Of anything else, what it counts must be
    spoken of.
    """
    if piece.kind is Kind.ID:
        return False
    told = [page for page in book.pages[: need.turn] if page.role is not Role.ASSISTANT]
    if piece.kind is not Kind.NUMBER or piece.unit in (PERCENT, *_TIMES):
        return True
    if piece.unit == MONEY or not (piece.number or 0.0).is_integer():
        figures = [p for page in told for p in page.pieces if p.kind is Kind.NUMBER]
        return any(p.unit in ("", MONEY) and (p.number or 0.0) >= _AMOUNT for p in figures)
    if WORKING_DAYS.match(book.pages[need.turn].text, piece.end):
        return True
    after = re.match(r"\W*([^\W\d_]+)", book.pages[need.turn].text[piece.end :][:40])
    counted = stem(after[1]) if after else ""
    return any(counted in page.text.lower() for page in told)


def _names_something_known(book: Book, need: Need, item: Item) -> bool:
    """Whether an argument is an id of the sort that earlier turns gave: the rest may be chosen."""
    names = name_keys(item.argument)
    if item.piece.kind is not Kind.ID or not names or not item.piece.text.isalnum():
        return False
    return any(
        names == view.names and any(piece.kind is Kind.ID for piece in view.pieces)
        for page in book.pages[: need.turn]
        if page.role is Role.TOOL
        for view in page.views
    )


def _is_put_together(book: Book, need: Need, text: str) -> bool:
    """Whether a value stands inside a longer one, or was spelt out: a year, an address."""
    parts = [part for part in re.split(r"[\W_]+", text.lower()) if part]
    apart = " ".join(re.findall(r"[^\W\d_]+|\d+", text.lower()))  # a row and a seat in columns
    for earlier in book.pages[: need.turn]:
        if earlier.role is Role.ASSISTANT:
            continue
        if text in earlier.text or (f" {apart} " in earlier.plain and apart != text.lower()):
            return True
        words = set(earlier.plain.split()) if len(parts) >= _FEWEST_PARTS else set[str]()
        if words and all(part in words for part in parts):
            return True
    return False
