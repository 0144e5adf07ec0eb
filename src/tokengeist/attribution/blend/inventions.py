"""Whether a value that nothing leads to is a claim about the world, and so an invention.

A literal of code, the number of a list item or a setting of a search is the agent's own to choose.
"""

from __future__ import annotations

import re

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.need import LONG_ARGUMENT, Item, Need
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.transcript import Role

_IN_OTHER_WORDS = (Kind.VALUE, Kind.CODE, Kind.NAME, Kind.WORD)
_ENUMERATOR = re.compile(r"(?:^|\n)\W*\d+[.):]?\Z")
_FENCE = re.compile(r"```|~~~")
_SETTING = 1000
"""Whole numbers below this may be settings of a call: a limit, a page, a duration."""
_FEWEST_PARTS = 3


def is_invented(book: Book, need: Need, item: Item) -> bool:
    """Whether an item without holders and without a derivation claims something."""
    piece = item.piece
    if piece.kind in _IN_OTHER_WORDS:
        return False
    page = book.pages[need.turn]
    if need.calls:
        is_whole = piece.number is not None and piece.number.is_integer()
        held = page.field_at(piece.start)
        is_long = held is not None and held.end - held.value_start > LONG_ARGUMENT
        if is_long or (is_whole and (piece.number or 0.0) < _SETTING):
            return False
    before = page.text[: piece.start]
    if _ENUMERATOR.search(before + piece.text) or len(_FENCE.findall(before)) % 2:
        return False
    return not _is_put_together(book, need, piece.text)


def _is_put_together(book: Book, need: Need, text: str) -> bool:
    """Whether a value stands inside a longer one, or was spelt out: a year, an address."""
    parts = [part for part in re.split(r"[\W_]+", text.lower()) if part]
    for earlier in book.pages[: need.turn]:
        if earlier.role is Role.ASSISTANT:
            continue
        if text in earlier.text:
            return True
        words = set(earlier.plain.split()) if len(parts) >= _FEWEST_PARTS else set[str]()
        if words and all(part in words for part in parts):
            return True
    return False
