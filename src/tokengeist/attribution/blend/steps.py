"""Arguments that differ from the ones passed before by as much as the user asked for."""

from __future__ import annotations

from tokengeist.attribution.blend.accounts import Derivation, same
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.cues import STEP
from tokengeist.attribution.blend.figures import Number
from tokengeist.attribution.blend.pieces import Piece
from tokengeist.transcript import Role


def derive_step(book: Book, turn: int, piece: Piece, argument: str) -> Derivation | None:
    """A table for 8, after one for 6 was looked for and the user said `add two`."""
    users = book.roles(Role.USER, turn)
    for earlier in reversed(book.roles(Role.ASSISTANT, turn)):
        for before in book.pages[earlier].numbers:
            if before.key != argument:
                continue
            by = (piece.number or 0.0) - before.value
            for user in reversed([u for u in users if u > earlier]):
                for number in book.pages[user].numbers:
                    if same(number.value, abs(by)) and STEP.search(book.pages[user].text):
                        start = _stated(book, before)
                        note = f"{before.piece.text} {'+' if by > 0 else '-'} {number.piece.text}"
                        return Derivation((start.place, number.place), note)
    return None


def _stated(book: Book, passed: Number) -> Number:
    """The number that a user gave, where it was passed on."""
    for user in reversed(book.roles(Role.USER, passed.turn)):
        for number in book.pages[user].numbers:
            if same(number.value, passed.value):
                return number
    return passed
