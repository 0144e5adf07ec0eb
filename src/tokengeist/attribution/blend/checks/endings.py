"""Digits that are called the end of a number, and are its beginning."""

from __future__ import annotations

import re

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.transcript import Role, Span

_ENDING = re.compile(r"\b(?:ending|ends)\s+(?:in|with|on)\W*$", re.IGNORECASE)
_BEFORE = 20
_FEWEST = 3


def wrong_ending(book: Book, need: Need, item: Item) -> Finding | None:
    """`ending in 5364`, where the only number with these digits begins with them."""
    digits = item.piece.text
    page = book.pages[need.turn]
    before = page.text[max(0, item.piece.start - _BEFORE) : item.piece.start]
    if not digits.isdigit() or len(digits) < _FEWEST or not _ENDING.search(before):
        return None
    begun: tuple[int, Span] | None = None
    for result in book.roles(Role.TOOL, need.turn):
        for piece in book.pages[result].pieces:
            found = re.findall(r"\d+", piece.text) if piece.kind in (Kind.ID, Kind.NUMBER) else []
            if any(part.endswith(digits) for part in found):
                return None
            if begun is None and any(part.startswith(digits) for part in found):
                begun = result, Span(piece.start, piece.end)
    return Finding(WRONG_VALUE, "it begins with these digits", (begun,)) if begun else None
