"""Values that nothing leads to, or that follow only by accident, where a source gives another.

Many numbers can be had by some sum of others. Where a field or a rule that the sentence names holds
another value, an accidental sum does not save it.
"""

from __future__ import annotations

import re

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import (
    AVERAGE,
    TAKEN_INTO_ACCOUNT,
    WRONG_VALUE,
    Finding,
    Places,
    own_words,
    question,
    sentence,
)
from tokengeist.attribution.blend.checks.misstatements import misstated
from tokengeist.attribution.blend.checks.names import UNIT_KEYS
from tokengeist.attribution.blend.checks.rule_figures import (
    rule_answers_otherwise,
    rule_with_other_figure,
    same_phrase_with_other_figure,
)
from tokengeist.attribution.blend.cues import COMPUTATION
from tokengeist.attribution.blend.need import Item, Need, is_small, take_apart
from tokengeist.attribution.blend.pieces import Kind, name_keys
from tokengeist.attribution.blend.quantities import PERCENT, compatible
from tokengeist.transcript import Role, Span, Target

_MOVED = re.compile(r"\b(?:new|would|moved?|extend\w*|prolong\w*|renew\w*)\b", re.IGNORECASE)


def contradicted(book: Book, need: Need, item: Item) -> Finding | None:
    """A source that gives another value than an item that stands nowhere."""
    if AVERAGE.search(need.text):
        return None  # no single value is the one it should be
    derivation = item.derivation
    computes = _computes(book, need)
    if derivation and derivation.is_certain and (computes or not derivation.is_loose):
        return None
    places = (
        _same_name_elsewhere(book, need, item)
        or rule_with_other_figure(book, need, item)
        or rule_answers_otherwise(book, need, item)
        or same_phrase_with_other_figure(book, need, item)
    )
    if places and not _is_made_from(book, item, places):
        return Finding(WRONG_VALUE, sources=places)
    return None


def _is_made_from(book: Book, item: Item, places: Places) -> bool:
    """Whether a value is the other one with what a user named added or taken off."""
    used = item.derivation.places if item.derivation and item.derivation.is_certain else ()
    fields = [p for p in used if any(p.turn == t and s.start <= p.start < s.end for t, s in places)]
    rest = [p for p in used if p not in fields]
    return bool(fields and rest) and all(book.pages[p.turn].role is Role.USER for p in rest)


def inherited(book: Book, need: Need, item: Item, *, depth: int = 3) -> Finding | None:
    """What is wrong with a figure of the assistant's own that an item repeats or was made from."""
    if (item.piece.number is None and item.piece.kind is not Kind.DATE) or depth == 0:
        return None
    written = [t for t in item.holders if book.pages[t].role is Role.ASSISTANT]
    told = [t for t in item.holders if t not in written]
    is_amount = item.piece.kind is Kind.NUMBER and not is_small(item.piece)
    if told and (not is_amount or not written or max(told) > written[0]):
        return None  # no amount, or a source has given it since
    places = [
        (written[0], found.start)
        for found in (book.pages[written[0]].occurrences(item.keys) if written else [])[:1]
    ]
    if item.derivation and not item.holders:
        used = item.derivation.places
        places = [(p.turn, p.start) for p in used if book.pages[p.turn].role is Role.ASSISTANT]
    for turn, position in places:
        page = book.pages[turn]
        if page.calls:
            continue
        whole = take_apart(book, Target(turn, (Span(*page.home(position)),)))
        for other in whole.items:
            if other.piece.start == position:
                found = misstated(book, whole, other)
                if found is None and told:
                    continue
                if found is None and not other.holders and other.piece.kind is not Kind.DATE:
                    found = contradicted(book, whole, other)
                found = found or inherited(book, whole, other, depth=depth - 1)
                if found:
                    return Finding(found.kind, f"turn {turn} got it wrong", found.sources)
    return None


def _computes(book: Book, need: Need) -> bool:
    """Whether the target, or the question it answers, is about something worked out."""
    return any(COMPUTATION.search(text) for text in (need.text, question(book, need)))


def _same_name_elsewhere(book: Book, need: Need, item: Item) -> Places:
    """A field, named as the target names its value, that holds another value of the same kind."""
    own = book.pages[need.turn]
    words = own_words(book, need, item.piece.start) | name_keys(item.argument)
    if TAKEN_INTO_ACCOUNT.search(need.text):
        return ()  # what is named went into the value
    if item.piece.kind is Kind.DATE and _MOVED.search(sentence(book, need)):
        return ()  # what is named is to change
    said = need.text.lower()
    alike = sum(p.kind is item.piece.kind for p in own.between(*own.home(item.piece.start)))
    best: tuple[int, int, Span] | None = None
    for result in book.roles(Role.TOOL, need.turn):
        for view in book.pages[result].views:
            kinds = {piece.kind for piece in view.pieces}
            if not view.names or not view.names <= words or kinds != {item.piece.kind}:
                continue
            if len(view.pieces) > 1 and item.piece.kind is Kind.TIME:
                continue  # from when to when
            if any(
                p.key in own.keys or not compatible(p.unit, item.piece.unit) for p in view.pieces
            ):
                continue  # said as well, or of another kind
            if item.piece.unit == PERCENT and any(p.unit != PERCENT for p in view.pieces):
                continue  # 92 % may be 0.92 of it
            if view.names <= UNIT_KEYS or all(p.number == 0.0 for p in view.pieces):
                continue  # `a month` beside an amount names no field, and `no fee` says zero
            if alike > 1 and len(view.names) == 1 and view.field.key.lower() not in said:
                continue  # a word of the same stem among several figures
            if not _is_meant(book, need, view.field.key, result):
                continue
            rank = len(view.names)
            if best is None or (rank, result) >= best[:2]:
                best = (rank, result, Span(view.field.start, view.field.end))
    return ((best[1], best[2]),) if best else ()


def _is_meant(book: Book, need: Need, key: str, result: int) -> bool:
    """Whether a name can only mean this: just looked up, or the same in all results."""
    users = book.roles(Role.USER, need.turn)
    if users and result > users[-1]:
        return True
    pages = [book.pages[turn] for turn in book.roles(Role.TOOL, need.turn)]
    return len({v.text for page in pages for v in page.views if v.field.key == key}) == 1
