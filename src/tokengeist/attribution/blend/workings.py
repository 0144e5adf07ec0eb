"""What a figure may rest on that neither stands anywhere nor surely follows from others."""

from __future__ import annotations

from tokengeist.attribution.blend.book import Book, Page
from tokengeist.attribution.blend.cues import TODAY
from tokengeist.attribution.blend.need import Item, Need, take_apart
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.transcript import Span, Target

_FIGURES = (Kind.NUMBER, Kind.DATE, Kind.TIME)
_BEFORE_DATE = 60


def workings(book: Book, need: Need) -> frozenset[int]:
    """Where the figures beside an unaccounted one come from: a sum is told with its terms."""
    if not any(_is_unaccounted(item) for item in need.hard):
        return frozenset()
    page = book.pages[need.turn]
    own = {item.piece.key for item in need.items}
    around = tuple(sorted({Span(*page.home(span.start)) for span in need.spans}))
    found: set[int] = set()
    for item in take_apart(book, Target(need.turn, around)).items:
        if item.piece.kind not in _FIGURES or item.piece.key in own:
            continue
        if item.best is not None:
            found.add(item.best)
        elif item.derivation:
            found.update(place.turn for place in item.derivation.places)
    return frozenset(found)


def may_account(page: Page, need: Need) -> bool:
    """Whether figures without any account may follow from amounts, rates or times of a turn."""
    figures = any(_is_unaccounted(item) and not item.derivation for item in need.hard)
    return figures and any(piece.unit for piece in page.pieces)


def tells_today(page: Page) -> bool:
    """Whether a turn says what day it is."""
    dates = (piece for piece in page.pieces if piece.kind is Kind.DATE)
    return any(TODAY.search(page.text, max(0, d.start - _BEFORE_DATE), d.start) for d in dates)


def _is_unaccounted(item: Item) -> bool:
    is_told = item.holders or (item.derivation and not item.derivation.is_guess)
    return item.piece.kind in _FIGURES and not is_told
