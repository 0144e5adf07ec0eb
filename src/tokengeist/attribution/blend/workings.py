"""What a figure may rest on that neither stands anywhere nor surely follows from others."""

from __future__ import annotations

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.need import Item, Need, take_apart
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.transcript import Span, Target

_FIGURES = (Kind.NUMBER, Kind.DATE, Kind.TIME)


def workings(book: Book, need: Need) -> Need | None:
    """The figures beside one that nothing accounts for: a sum is told with its terms."""
    if not any(_is_unaccounted(item) for item in need.hard):
        return None
    page = book.pages[need.turn]
    own = {item.piece.key for item in need.items}
    around = tuple(sorted({Span(*page.home(span.start)) for span in need.spans}))
    beside = take_apart(book, Target(need.turn, around))
    beside.items = [
        item for item in beside.items if item.piece.kind in _FIGURES and item.piece.key not in own
    ]
    return beside


def gives(need: Need, turn: int) -> bool:
    """Whether something needed comes from a turn."""
    return any(item.best == turn or item.derived_from(turn) for item in need.items)


def may_account(page: Page, need: Need) -> bool:
    """Whether figures without any account may follow from amounts, rates or times of a turn."""
    figures = any(_is_unaccounted(item) and not item.derivation for item in need.hard)
    return figures and any(piece.unit for piece in page.pieces)


def _is_unaccounted(item: Item) -> bool:
    is_told = item.holders or (item.derivation and not item.derivation.is_guess)
    return item.piece.kind in _FIGURES and not is_told
