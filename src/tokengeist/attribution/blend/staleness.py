"""Values that were right once: changed since, taken back since, or of what was looked at before."""

from __future__ import annotations

from tokengeist.attribution.blend.book import Book, Page
from tokengeist.attribution.blend.cues import COMPARISON, COMPUTATION, CORRECTION
from tokengeist.attribution.blend.findings import STALE, Finding, question
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Kind, pieces
from tokengeist.transcript import Role, Span

_TIMES = (Kind.DATE, Kind.TIME)


def stale(book: Book, need: Need, item: Item, source: Page) -> Finding | None:
    """Whether a value that stands in a source has been overtaken."""
    return (
        _changed_since(book, need, item, source)
        or _taken_back(book, need, item, source)
        or _looked_up_for_another_time(book, need, source)
        or _of_another_record(book, need, item, source)
    )


def _another(turn: int, span: Span) -> Finding:
    return Finding(STALE, f"turn {turn} gives another value", ((turn, span),))


def _changed_since(book: Book, need: Need, item: Item, source: Page) -> Finding | None:
    """A later result about the same thing in which the same field has another value."""
    if source.role is not Role.TOOL or item.piece.kind is Kind.VALUE:
        return None
    found = source.occurrences(item.keys, item.piece.unit)
    held = source.field_at(found[0].start) if found else None
    about = {key for key in book.argument_keys(source.index) if key.startswith("i:")}
    if held is None or held.is_element or not about:
        return None
    if sum(f.key == held.key for f in source.fields) != 1:
        return None
    for later in reversed(book.roles(Role.TOOL, need.turn)):
        if later <= source.index or not about <= book.argument_keys(later):
            continue
        same = [view for view in book.pages[later].views if view.field.key == held.key]
        if len(same) == 1 and not {p.key for p in same[0].pieces} & set(item.keys):
            return _another(later, Span(same[0].field.start, same[0].field.end))
    return None


def _taken_back(book: Book, need: Need, item: Item, source: Page) -> Finding | None:
    """A later user turn that takes back the date or time an argument was given."""
    if source.role is not Role.USER or not need.calls or item.piece.kind not in _TIMES:
        return None
    return _correction(book, need, source.index, {item.piece.kind: set(item.keys)})


def _looked_up_for_another_time(book: Book, need: Need, source: Page) -> Finding | None:
    """What a result says was asked for a day that the user then changed."""
    if source.role is not Role.TOOL or not need.calls:
        return None
    found = book.caller(source.index)
    if found is None:
        return None
    page, call = found
    asked: dict[Kind, set[str]] = {}
    for piece in pieces(page.text, call.arguments, call.end):
        if piece.kind in _TIMES:
            asked.setdefault(piece.kind, set()).update(piece.keys)
    return _correction(book, need, source.index, asked)


def _correction(book: Book, need: Need, after: int, known: dict[Kind, set[str]]) -> Finding | None:
    """The last user turn after one that corrects a date or time that was known."""
    for user in reversed(book.roles(Role.USER, need.turn)):
        if user <= after:
            return None
        page = book.pages[user]
        for kind, keys in known.items():
            said = [piece for piece in page.pieces if piece.kind is kind]
            if not said or not CORRECTION.search(page.text):
                continue
            if any(set(piece.keys) & keys for piece in said[-1:]):
                return None
            return _another(user, Span(said[-1].start, said[-1].end))
    return None


def _of_another_record(book: Book, need: Need, item: Item, source: Page) -> Finding | None:
    """The user asked about one thing, it was looked up, and the answer is of another."""
    if source.role is not Role.TOOL or need.calls or not question(book, need):
        return None
    text = need.text + question(book, need)
    if COMPARISON.search(text) or COMPUTATION.search(text):
        return None
    users = book.roles(Role.USER, need.turn)
    recent = [t for t in book.roles(Role.TOOL, need.turn) if t > users[-1]]
    asked, answered = book.caller(source.index), book.caller(recent[-1]) if recent else None
    if source.index > users[-1] or asked is None or answered is None:
        return None
    if asked[1].name != answered[1].name or recent[-1] in item.holders:
        return None
    held = source.field_at(source.occurrences(item.keys, item.piece.unit)[0].start)
    same = [v for v in book.pages[recent[-1]].views if held and v.field.key == held.key]
    if len(same) != 1 or not same[0].pieces or same[0].pieces[0].kind is not item.piece.kind:
        return None
    return _another(recent[-1], Span(same[0].field.start, same[0].field.end))
