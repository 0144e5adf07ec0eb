"""Figures and dates that the evidence shows to be wrong, whether or not they stand somewhere."""

from __future__ import annotations

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.day_counts import miscounted
from tokengeist.attribution.blend.checks.endings import wrong_ending
from tokengeist.attribution.blend.checks.findings import Finding
from tokengeist.attribution.blend.checks.products import wrong_product
from tokengeist.attribution.blend.checks.reckoned_dates import wrong_date
from tokengeist.attribution.blend.checks.totals import wrong_total
from tokengeist.attribution.blend.need import Item, Need


def misstated(book: Book, need: Need, item: Item) -> Finding | None:
    """What is wrong with a figure of a statement, if anything is."""
    if not need.is_prose:
        return None
    return (
        miscounted(book, need, item)
        or wrong_product(book, need, item)
        or wrong_total(book, need, item)
        or wrong_date(book, need, item)
        or wrong_ending(book, need, item)
    )
