"""Which results a statement is about: what was looked up for it, else what the user named."""

from __future__ import annotations

from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.need import Need
from tokengeist.attribution.blend.pieces import Kind, name_keys, normal, pieces
from tokengeist.transcript import Role

_SHORTEST_NAME = 5
_LARGEST_RECORD = 700


def subjects(book: Book, need: Need) -> list[int]:
    """The results that a statement may be about, in order.

    Those looked up since the user spoke and those of the things that the user named; else those of
    the latest thing of the sort that the user speaks of; where nothing says more, any of them.
    """
    results = book.roles(Role.TOOL, need.turn)
    users = book.roles(Role.USER, need.turn)
    named = set(named_ids(book, book.pages[users[-1]].text, users[-1])) if users else set[str]()
    about = {t for t in results for key in named if book.is_about(t, key)}
    found = sorted(about.union(book.just_looked_up(need.turn)))
    return found or (_of_the_sort(book, users[-1], results) if users else []) or results


def _of_the_sort(book: Book, user: int, results: list[int]) -> list[int]:
    """The results about the latest thing that a tool named like the user's words gave.

    `this loan` is what `get_loan` was last called for.
    """
    for result in reversed(results):
        caller = book.caller(result)
        if caller is None or not name_keys(caller[1].name) & book.pages[user].keys:
            continue
        ids = [key for key in book.argument_keys(result) if key.startswith("i:")]
        return [t for t in results if any(book.is_about(t, key) for key in ids)]
    return []


def named_ids(book: Book, text: str, before: int) -> Iterator[str]:
    """The ids in a text, and those of the records whose name stands in it."""
    yield from (piece.key for piece in pieces(text) if piece.kind is Kind.ID)
    plain = f" {normal(text)} "
    for turn in book.roles(Role.TOOL, before):
        page = book.pages[turn]
        for view in page.views:
            name = normal(view.text)
            if len(name) < _SHORTEST_NAME or f" {name} " not in plain:
                continue
            record = page.record_at(view.field.start)
            if record and record.end - record.start <= _LARGEST_RECORD:
                inside = page.between(record.start, record.end)
                yield from (piece.key for piece in inside if piece.kind is Kind.ID)
