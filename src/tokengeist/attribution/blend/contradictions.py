"""Values that nothing leads to, or that follow only by accident, where a source gives another.

Many numbers can be had by some sum of others. Where a field or a rule that the sentence names holds
another value, an accidental sum does not save it.
"""

from __future__ import annotations

import re
from collections import defaultdict

from tokengeist.attribution.blend.accounts import Number, numbers_of, same
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.cues import COMPUTATION
from tokengeist.attribution.blend.findings import (
    WRONG_VALUE,
    Finding,
    Places,
    own_words,
    question,
)
from tokengeist.attribution.blend.inventions import ESTIMATE
from tokengeist.attribution.blend.need import Item, Need, take_apart
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, pieces, stem
from tokengeist.attribution.blend.quantities import UNITS, compatible
from tokengeist.attribution.blend.selection import marks
from tokengeist.transcript import Role, Span, Target

_DIFFERENCE = re.compile(r"\bdiffer", re.IGNORECASE)
_MOST_TERMS = 12
_UNIT_KEYS = {f"w:{stem(word)}" for word in UNITS}
_MOST_OPERANDS = 16
_LATEST = 3
"""Only so many of the latest results are taken for what was added up."""


def contradicted(book: Book, need: Need, item: Item) -> Finding | None:
    """A source that gives another value than an item that stands nowhere."""
    derivation = item.derivation
    computes = _computes(book, need)
    if computes:
        wrong = _left_out(book, need, item) or _added_up(need, item)
        if wrong:
            return wrong
    if derivation and derivation.is_certain and (computes or not derivation.is_loose):
        return None
    places = _same_name_elsewhere(book, need, item) or _rule_with_other_figure(book, need, item)
    if places and not _is_made_from(book, item, places):
        return Finding(WRONG_VALUE, sources=places)
    if derivation:
        return None
    if item.piece.unit in ("day", "week"):
        places = _dates(book, need)
        return Finding(WRONG_VALUE, "miscounted", places) if len(places) > 1 else None
    if (computes or _asks_for_product(book, need, item)) and not ESTIMATE.search(need.text):
        places = _terms(book, need, item)
        few = 0 < len(places) <= _MOST_OPERANDS  # few enough to have found how it was made
        return Finding(WRONG_VALUE, "miscalculated", places) if few else None
    return None


def _is_made_from(book: Book, item: Item, places: Places) -> bool:
    """Whether a value is the other one with what a user named added or taken off."""
    used = item.derivation.places if item.derivation and item.derivation.is_certain else ()
    fields = [p for p in used if any(p.turn == t and s.start <= p.start < s.end for t, s in places)]
    rest = [p for p in used if p not in fields]
    return bool(fields and rest) and all(book.pages[p.turn].role is Role.USER for p in rest)


def inherited(book: Book, need: Need, item: Item, *, depth: int = 3) -> Finding | None:
    """What is wrong with a figure of the assistant's own that an item repeats or was made from."""
    if item.piece.number is None or depth == 0:
        return None
    written = [t for t in item.holders if book.pages[t].role is Role.ASSISTANT]
    if item.holders and len(written) < len(item.holders):
        return None
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
                found = None if other.holders else contradicted(book, whole, other)
                found = found or inherited(book, whole, other, depth=depth - 1)
                if found:
                    return Finding(found.kind, f"turn {turn} got it wrong", found.sources)
    return None


def _computes(book: Book, need: Need) -> bool:
    """Whether the target, or the question it answers, is about something worked out."""
    return any(COMPUTATION.search(text) for text in (need.text, question(book, need)))


def _asks_for_product(book: Book, need: Need, item: Item) -> bool:
    """Whether the user asked what so many of something come to."""
    counts = [p for p in pieces(question(book, need)) if p.number and p.unit != item.piece.unit]
    return item.piece.number is not None and bool(counts)


def _terms(book: Book, need: Need, item: Item) -> Places:
    """What a total, a difference or a product that is not right was most likely made from."""
    users = book.roles(Role.USER, need.turn)
    results = [t for t in book.roles(Role.TOOL, need.turn) if users and t > users[-1]]
    if item.piece.number is None:
        return ()
    return tuple(
        (turn, Span(piece.start, piece.end))
        for turn in results
        for piece in book.pages[turn].pieces
        if piece.number is not None and compatible(piece.unit, item.piece.unit)
    )


def _dates(book: Book, need: Need) -> Places:
    """The first date of the rules, which is mostly today's, and those of the latest result."""
    rules = book.roles(Role.SYSTEM, need.turn)[:1]
    results = book.roles(Role.TOOL, need.turn)[-1:]
    return tuple(
        (turn, Span(piece.start, piece.end))
        for turn in rules + results
        for piece in [p for p in book.pages[turn].pieces if p.kind is Kind.DATE][:1]
    )


def _left_out(book: Book, need: Need, item: Item) -> Finding | None:
    """A total over the amounts of a list, but for one that no user told apart."""
    value = item.piece.number
    if value is None:
        return None
    for turn in reversed(book.roles(Role.TOOL, need.turn)[-_LATEST:]):
        alike: dict[str, list[Number]] = defaultdict(list)
        for number in numbers_of(book, turn):
            if compatible(number.piece.unit, item.piece.unit) and number.key:
                alike[number.key].append(number)
        for group in alike.values():
            total = sum(number.value for number in group)
            if not 3 <= len(group) <= _MOST_TERMS or same(total, value):
                continue
            missing = [number for number in group if same(total - number.value, value)]
            if len(missing) == 1 and not _is_spoken_of(book, need, missing[0]):
                span = Span(missing[0].piece.start, missing[0].piece.end)
                reason = f"{missing[0].piece.text} is left out"
                return Finding(WRONG_VALUE, reason, ((turn, span),))
    return None


def _is_spoken_of(book: Book, need: Need, number: Number) -> bool:
    """Whether a user named the record of an amount lately, and may have wanted it left out."""
    page = book.pages[number.turn]
    found = marks(page, number.piece.start)
    most = max(found.values(), default=0.0)  # what is in no other record
    apart = {k for k, weight in found.items() if weight == most and not k.startswith("n:")}
    return any(apart & book.pages[u].keys for u in book.roles(Role.USER, need.turn)[-2:])


def _added_up(need: Need, item: Item) -> Finding | None:
    """A difference that is a sum."""
    derivation = item.derivation
    if derivation is None or not _DIFFERENCE.search(need.text) or " + " not in derivation.note:
        return None
    places = tuple((place.turn, Span(place.start, place.end)) for place in derivation.places)
    return Finding(WRONG_VALUE, "added up, not subtracted", places)


def _same_name_elsewhere(book: Book, need: Need, item: Item) -> Places:
    """A field, named as the target names its value, that holds another value of the same kind."""
    own = book.pages[need.turn]
    words = own_words(book, need, item.piece.start) | name_keys(item.argument)
    best: tuple[int, int, Span] | None = None
    for result in book.roles(Role.TOOL, need.turn):
        for view in book.pages[result].views:
            kinds = {piece.kind for piece in view.pieces}
            if not view.names or not view.names <= words or kinds != {item.piece.kind}:
                continue
            if any(
                p.key in own.keys or not compatible(p.unit, item.piece.unit) for p in view.pieces
            ):
                continue  # said as well, or of another kind
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


def _rule_with_other_figure(book: Book, need: Need, item: Item) -> Places:
    """A sentence of the rules about the same thing, with another value of the same kind."""
    own = own_words(book, need, item.piece.start)
    asked = {p.key for p in pieces(question(book, need)) if p.kind in (Kind.WORD, Kind.NAME)}
    words = {k for k in own | asked if k.startswith("w:") and k not in _UNIT_KEYS}
    best: tuple[float, Places] = (0.0, ())
    for rules in book.roles(Role.SYSTEM, need.turn):
        page = book.pages[rules]
        for start, end in page.sentences:
            inside = page.between(start, end)
            shared = words & {p.key for p in inside}
            mine = len(shared & own)
            if len(shared) < 2 or not mine or 2 * mine < len([k for k in own if k in words]):
                continue
            other = [p for p in inside if _is_rival(p, item.piece) and p.key not in own]
            score = sum(book.rarity(key, need.turn) + 1.0 for key in shared)
            if other and score > best[0]:
                best = (score, ((rules, Span(start, end)),))
    return best[1]


def _is_rival(piece: Piece, claimed: Piece) -> bool:
    return piece.kind is claimed.kind and compatible(piece.unit, claimed.unit)
