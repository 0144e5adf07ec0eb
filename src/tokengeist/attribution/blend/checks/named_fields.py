"""Values that the field which a statement names, or a question asks for, holds otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book, Freshness
from tokengeist.attribution.blend.checks.findings import (
    AVERAGE,
    TAKEN_INTO_ACCOUNT,
    WRONG_VALUE,
    Finding,
    question,
    sentence,
)
from tokengeist.attribution.blend.checks.names import UNIT_KEYS, parent_names, spoken
from tokengeist.attribution.blend.checks.subject import subjects
from tokengeist.attribution.blend.cues import COMPARISON, COMPUTATION
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.page import FieldView, Page
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, pieces
from tokengeist.attribution.blend.quantities import compatible
from tokengeist.transcript import Role, Span

_CHECKED = (Kind.NUMBER, Kind.DATE, Kind.TIME)
_CLAUSE = re.compile(r"[,;()\n]|\s[-–—]\s|\band\b|\bwith\b|\bfor\b")
_PROPOSED = re.compile(
    r"\b(?:would|will|should|could|instead|new|about|refund\w*)\b|['’](?:d|ll)\b", re.IGNORECASE
)
"""Words for what is to be otherwise than the record has it, and for guesses."""
_GENERIC = UNIT_KEYS | name_keys("date time amount price value name number count total type id")
"""Words that name a kind of field, and no field."""
_SMALL = 100
_NAMED_BY_ID = 4
"""How far behind its id, as a key, a record may begin."""
_OTHER_SUMS = re.compile(
    r"\b(?:differ\w*|total|altogether|together|discount|off|plus|minus|split|shared?|percent|average"
    r"|would|if|instead|change|move|extend|new|until|left|between)\b|%",
    re.IGNORECASE,
)
"""Words of a question that is answered by working something out, or by changing something."""


def otherwise_named(book: Book, need: Need, item: Item) -> Finding | None:
    """A field of the record at hand, named here, that holds another value of the same kind."""
    if item.piece.kind not in _CHECKED or need.calls:
        return None
    if TAKEN_INTO_ACCOUNT.search(sentence(book, need)):
        return None
    field = (
        _of_the_record(book, need, item)
        or _of_the_change(book, need, item)
        or _asked_for(book, need, item)
    )
    if field is None:
        return None
    page, view = field
    places = ((page.index, Span(view.field.start, view.field.end)),)
    return Finding(WRONG_VALUE, f"the record says {view.text}", places)


def _of_the_record(book: Book, need: Need, item: Item) -> tuple[Page, FieldView] | None:
    """The field, named beside a value, of the record whose id stands before it in its sentence."""
    own = book.pages[need.turn]
    start, end = own.home(item.piece.start)
    ids = [p for p in own.between(start, item.piece.start) if p.kind is Kind.ID]
    if not ids:
        return None
    if _PROPOSED.search(own.text, start, end):
        return None
    clause = own.between(*_clause(own.text, start, end, item.piece))
    words = {p.key for p in clause} - UNIT_KEYS
    found: tuple[Page, FieldView] | None = None
    for page, (first, last) in _records(book, need.turn, ids[-1]):
        if set(item.keys) & page.keys_between(first, last):
            return None
        inside = [view for view in page.views if first <= view.field.start < last]
        named = [v for v in inside if v.names and v.names <= words and _is_rival(v, item.piece)]
        told = own.keys_between(start, end)
        if len(named) == 1 and not any(p.key in told for p in named[0].pieces if p.number):
            found = page, named[0]
    return found


def _of_the_change(book: Book, need: Need, item: Item) -> tuple[Page, FieldView] | None:
    """The field, named beside a value, of the one change that was just made."""
    recent = book.just_looked_up(need.turn)
    made = [t for t in recent if book.freshness[t] is Freshness.OF_A_CHANGE]
    if len(made) != 1 or made[0] != recent[-1] or set(item.keys) & book.pages[made[0]].keys:
        return None
    own, page = book.pages[need.turn], book.pages[made[0]]
    beside = own.between(*_clause(own.text, *own.home(item.piece.start), item.piece))
    words = frozenset(p.key for p in beside if p.kind in (Kind.WORD, Kind.NAME))
    named = [v for v in page.views if v.names == words and _is_rival(v, item.piece)]
    return (page, named[0]) if len(named) == 1 else None


def _clause(text: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """The part of a sentence between marks around a value."""
    cuts = [m.span() for m in _CLAUSE.finditer(text, start, end)]
    left = max((stop for _, stop in cuts if stop <= piece.start), default=start)
    right = min((begin for begin, _ in cuts if begin >= piece.end), default=end)
    return left, right


def _records(book: Book, turn: int, piece: Piece) -> Iterator[tuple[Page, tuple[int, int]]]:
    """The records of results that an id names, as their key or in their first field."""
    for result in book.roles(Role.TOOL, turn):
        page = book.pages[result]
        for found in page.occurrences(piece.keys):
            keyed = next(
                (r for r in page.records if 0 <= r.start - found.end <= _NAMED_BY_ID), None
            )
            if keyed:
                yield page, (keyed.start, keyed.end)
                continue
            record = page.record_at(found.start)
            first = next((f for f in page.fields if record and f.start >= record.start), None)
            if record and first and first.start <= found.start < first.end:
                yield page, (record.start, record.end)


def _is_rival(view: FieldView, claimed: Piece) -> bool:
    """Whether a field holds one value of a kind and unit, and it is another one."""
    piece = _value(view)
    if piece is None:
        return False
    alike = piece.kind is claimed.kind and compatible(piece.unit, claimed.unit)
    is_other = not set(piece.keys) & set(claimed.keys) and piece.number != 0.0
    return alike and is_other and piece.number != 100 * (claimed.number or 0.0)  # cents


def _asked_for(book: Book, need: Need, item: Item) -> tuple[Page, FieldView] | None:
    """The field that a question asks for, where the answer is one value and nothing else."""
    asked = question(book, need)
    if _is_reckoned(book, item) or AVERAGE.search(sentence(book, need)):
        return None
    if not asked or any(cue.search(asked) for cue in (COMPARISON, COMPUTATION, _OTHER_SUMS)):
        return None
    own = book.pages[need.turn]
    beside = own.between(*own.home(item.piece.start))
    if any(p.kind in (*_CHECKED, Kind.ID) and p != item.piece for p in beside):
        return None
    words = {p.key for p in pieces(asked)} - _GENERIC
    about = subjects(book, need)
    if any(t not in about and not _is_accidental(book.pages[t], item) for t in item.holders):
        return None
    known = words | {p.key for p in beside}
    if any(_may_be_named(v, item, known) for _, v in _like(book, item.holders, item.piece)):
        return None
    scored = [(_score(p, view, words), p, view) for p, view in _like(book, about, item.piece)]
    best = max((score for score, _, _ in scored), default=(0, 0))
    top = [(page, view) for score, page, view in scored if score == best != (0, 0)]
    if not top or len({view.text for _, view in top}) > 1:
        return None
    page, view = top[-1]
    if best[0] == 0 and any(t in about for t in item.holders):
        return None  # its record alone is named, and holds the value as well
    is_named = best[0] == 0 or 2 * best[0] >= len(view.names - _GENERIC)
    return (page, view) if is_named and _is_rival(view, item.piece) else None


def _is_reckoned(book: Book, item: Item) -> bool:
    """Whether a value follows from others; a date may do so by accident, but not from a user's."""
    derivation = item.derivation
    if derivation is None or derivation.is_guess:
        return False
    by_user = any(book.pages[place.turn].role is Role.USER for place in derivation.places)
    return item.piece.kind is not Kind.DATE or by_user


def _may_be_named(view: FieldView, item: Item, words: set[str]) -> bool:
    """Whether a field holds the value, and words name it, or nothing could."""
    names = view.names - _GENERIC
    is_held = any(set(p.keys) & set(item.keys) for p in view.pieces)
    return is_held and (not names or bool(spoken(names, words)))


def _is_accidental(page: Page, item: Item) -> bool:
    """Whether a small number on a page may be there for any reason."""
    number = item.piece.number
    return page.role in (Role.TOOL, Role.ASSISTANT) and number is not None and number < _SMALL


def _like(book: Book, turns: list[int], piece: Piece) -> Iterator[tuple[Page, FieldView]]:
    """The fields of results that hold one value of a kind and nothing else."""
    for turn in turns:
        for view in book.pages[turn].views:
            value = _value(view)
            if value and value.kind is piece.kind:
                yield book.pages[turn], view


def _value(view: FieldView) -> Piece | None:
    """The one value of a field, its unit aside."""
    found = [piece for piece in view.pieces if piece.key not in UNIT_KEYS]
    return found[0] if len(found) == 1 else None


def _score(page: Page, view: FieldView, words: set[str]) -> tuple[int, int]:
    """How many words name a field, and how many the record that it is in."""
    own = spoken(view.names - _GENERIC, words)
    return len(own), len(spoken(parent_names(page, view.field), words) - own)
