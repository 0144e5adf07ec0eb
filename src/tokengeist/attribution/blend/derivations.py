"""How a figure that nobody gave follows from what was said before."""

from __future__ import annotations

from collections.abc import Sequence

from tokengeist.attribution.blend.accounts import Derivation
from tokengeist.attribution.blend.arithmetic import derive_number
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.dates import derive_date
from tokengeist.attribution.blend.pieces import Kind, Piece
from tokengeist.attribution.blend.steps import derive_step
from tokengeist.attribution.blend.times import derive_time
from tokengeist.transcript import Role


def derive(book: Book, turn: int, piece: Piece, argument: str) -> Derivation | None:
    """The account of a number, date or time of a turn; in a call, its argument has a name."""
    if piece.number is not None:
        step = derive_step(book, turn, piece, argument) if argument else None
        return step or derive_number(book, turn, piece)
    if piece.kind is Kind.DATE:
        return derive_date(book, turn, piece, is_passed=bool(argument))
    return derive_time(book, turn, piece) if piece.kind is Kind.TIME else None


def is_passed_again(book: Book, piece: Piece, holders: Sequence[int]) -> bool:
    """Whether a figure was worked out for an earlier call, and stands only there and in echoes.

    A date may have been spelt out by the assistant, too, before it was passed.
    """
    if piece.kind not in (Kind.NUMBER, Kind.DATE, Kind.TIME):
        return False
    return all(
        piece.kind is Kind.DATE or piece.key not in page.prose_keys
        if page.role is Role.ASSISTANT
        else page.role is Role.TOOL and piece.key in book.argument_keys(page.index)
        for page in (book.pages[turn] for turn in holders)
    )
