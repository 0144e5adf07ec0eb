"""Values that were right once: changed since, taken back since, or of what was looked at before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book, Freshness
from tokengeist.attribution.blend.checks.findings import STALE, Finding, own_words, question
from tokengeist.attribution.blend.checks.names import UNIT_KEYS, parent_names, spoken
from tokengeist.attribution.blend.checks.subject import subjects
from tokengeist.attribution.blend.cues import COMPARISON, COMPUTATION, CORRECTION
from tokengeist.attribution.blend.fields import Field
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.page import FieldView, Page
from tokengeist.attribution.blend.pieces import Kind, name_keys, pieces
from tokengeist.attribution.blend.quantities import MONEY
from tokengeist.transcript import Role, Span

_TIMES = (Kind.DATE, Kind.TIME)
_FIGURES = (*_TIMES, Kind.NUMBER)
"""What changes; an id stays what it is."""


def stale(book: Book, need: Need, item: Item, source: Page) -> Finding | None:
    """Whether a value that stands in a source has been overtaken."""
    return (
        _changed_since(book, need, item, source)
        or _changed_since_elsewhere(book, need, item, source)
        or _taken_back(book, need, item, source)
        or _looked_up_for_another_time(book, need, source)
        or _of_another_record(book, need, item, source)
    )


def _another(turn: int, span: Span) -> Finding:
    return Finding(STALE, f"turn {turn} gives another value", ((turn, span),))


def _changed_since(book: Book, need: Need, item: Item, source: Page) -> Finding | None:
    """A later result about the same thing in which the same field has another value."""
    if source.role is not Role.TOOL or item.piece.kind not in _FIGURES:
        return None
    held = _held(book, need, item, source)
    if held is None or held.is_element or _is_echo(book, item, source):
        return None
    if not item.is_hard and not _is_named(book, need, held):
        return None
    for later in reversed(book.roles(Role.TOOL, need.turn)):
        if later <= source.index:
            return None
        same = list(_same_field(book, source, held, later))
        if len(same) == 1 and not {p.key for p in same[0].pieces} & set(item.keys):
            return _another(later, Span(same[0].field.start, same[0].field.end))
    return None


def _changed_since_elsewhere(book: Book, need: Need, item: Item, source: Page) -> Finding | None:
    """The same for what the user asked about, where the value also stands in another result."""
    if len(item.holders) < 2 or not question(book, need):
        return None
    asked = set(subjects(book, need)) & set(item.holders)
    for turn in sorted(asked) if source.index not in asked else ():
        found = _changed_since(book, need, item, book.pages[turn])
        if found:
            return found
    return None


def _held(book: Book, need: Need, item: Item, source: Page) -> Field | None:
    """The field that a value stands in: the one that is named, else the first."""
    found = source.occurrences(item.keys, item.piece.unit)
    fields = [held for piece in found if (held := source.field_at(piece.start))]
    named = (held for held in fields if _is_named(book, need, held)) if len(fields) > 1 else ()
    return next(iter(named), fields[0] if fields else None)


def _is_named(book: Book, need: Need, held: Field) -> bool:
    """Whether a statement or its question names a field."""
    words = own_words(book, need, need.spans[0].start) - UNIT_KEYS
    if question(book, need):
        words |= book.pages[book.roles(Role.USER, need.turn)[-1]].keys
    return bool(spoken(name_keys(held.key), words))


def _is_echo(book: Book, item: Item, source: Page) -> bool:
    """Whether a result only repeats what was passed: a day, an amount to pay."""
    return item.piece.key in book.argument_keys(source.index)


def _same_field(book: Book, source: Page, held: Field, later: int) -> Iterator[FieldView]:
    """The fields of a later result with the name of one, of the thing that it is about.

    It was looked up by the same id, or a change was made to the thing that its record names.
    """
    about = {k for k in book.argument_keys(source.index) if _ID_PASSED.match(k)}
    is_asked_again = bool(about) and about <= book.argument_keys(later)
    if not is_asked_again and book.freshness[later] is not Freshness.OF_A_CHANGE:
        return
    page = book.pages[later]
    same = [view for view in page.views if view.field.key == held.key]
    is_alone = sum(f.key == held.key for f in source.fields) == 1 if same else False
    if is_alone and is_asked_again:
        yield from same
    elif same and book.freshness[later] is Freshness.OF_A_CHANGE:
        known = _name(source, held)
        changed = _changed_thing(book, later)
        is_meant = is_alone and any(_as_name(v) == changed for v in _beside(source, held))
        is_meant = is_meant and changed is not None
        yield from (v for v in same if is_meant or (known and _name(page, v.field) == known))


_ID_PASSED = re.compile(r"i:|v:.*\d")
"""Arguments that may say what was looked up, as their keys."""
_Name = tuple[str, str]
"""A field and the id in it."""


def _changed_thing(book: Book, result: int) -> _Name | None:
    """What a change was made to: the first argument, if it is an id."""
    found = book.caller(result)
    views = found[0].views if found else []
    first = (v for v in views if found and found[1].arguments <= v.field.start < found[1].end)
    return next((_as_name(view) for view in first), None)


def _beside(page: Page, held: Field) -> list[FieldView]:
    """The fields of the record that one stands in."""
    return [view for view in page.views if view.field.record == held.record]


def _name(page: Page, held: Field) -> _Name | None:
    """What names the record of a field in a list: the id that it begins with."""
    if parent_names(page, held):
        return None
    return next((_as_name(view) for view in _beside(page, held)[:1]), None)


def _as_name(view: FieldView) -> _Name | None:
    ids = [piece.key for piece in view.pieces if piece.kind is Kind.ID]
    return (view.field.key, ids[0]) if len(ids) == len(view.pieces) == 1 else None


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
    held = _held(book, need, item, source)
    if held and not item.is_hard and not _is_named(book, need, held):
        return None
    unit = item.piece.unit
    if held and unit not in ("", MONEY) and not name_keys(unit) & name_keys(held.key):
        return None  # `17 days` are not the 17 of something else
    same = [v for v in book.pages[recent[-1]].views if held and v.field.key == held.key]
    if len(same) != 1 or not same[0].pieces or same[0].pieces[0].kind is not item.piece.kind:
        return None
    if same[0].pieces[0].key in book.pages[need.turn].keys:
        return None  # both are told
    return _another(recent[-1], Span(same[0].field.start, same[0].field.end))
