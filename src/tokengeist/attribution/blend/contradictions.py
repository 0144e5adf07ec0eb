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
from tokengeist.attribution.blend.dates import dates_of
from tokengeist.attribution.blend.findings import (
    WRONG_VALUE,
    Finding,
    Places,
    own_words,
    question,
)
from tokengeist.attribution.blend.need import Item, Need, take_apart
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, pieces, stem
from tokengeist.attribution.blend.quantities import PERCENT, UNITS, compatible, rate_of
from tokengeist.attribution.blend.selection import marks
from tokengeist.transcript import Role, Span, Target

_DIFFERENCE = re.compile(r"\bdiffer", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|sum|altogether|in all)\b", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(?:average|mean|median)\b", re.IGNORECASE)
_TAKEN_INTO_ACCOUNT = re.compile(r"\b(?:minus|less|plus|after|without)\s", re.IGNORECASE)
_MOST_TERMS = 12
_A_YEAR = 366
_UNIT_KEYS = {f"w:{stem(word)}" for word in UNITS}
_LATEST = 3
"""Only so many of the latest results are taken for what was added up."""


def contradicted(book: Book, need: Need, item: Item) -> Finding | None:
    """A source that gives another value than an item that stands nowhere."""
    if _AVERAGE.search(need.text):
        return None  # no single value is the one it should be
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
    return None if derivation else _not_the_total(book, need, item) or _miscounted(book, need, item)


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


def _not_the_total(book: Book, need: Need, item: Item) -> Finding | None:
    """Called a total, but not that of the only amounts that the latest result lists."""
    result = max(book.roles(Role.TOOL, need.turn), default=None)
    if result is None or item.piece.number is None or not _TOTAL.search(need.text):
        return None
    fit = [n for n in numbers_of(book, result) if compatible(n.piece.unit, item.piece.unit)]
    total = sum(number.value for number in fit)
    if len(fit) < 2 or len({number.key for number in fit}) > 1 or not fit[0].key:
        return None
    places = tuple((result, Span(n.piece.start, n.piece.end)) for n in fit)
    return Finding(WRONG_VALUE, f"the amounts make {total:g}", places)


def _miscounted(book: Book, need: Need, item: Item) -> Finding | None:
    """Days that do not lie between today, as the rules give it, and the latest result's date."""
    rules, results = book.roles(Role.SYSTEM, need.turn)[:1], book.roles(Role.TOOL, need.turn)[-1:]
    if item.piece.unit != "day" or not rules or not results:
        return None
    today, then = (list(dates_of(book.pages[t])) for t in (rules[0], results[0]))
    if len(today) != 1 or len(then) != 1:
        return None
    days = (then[0][1] - today[0][1]).days
    if not 0 < days <= _A_YEAR or days == item.piece.number:
        return None
    places = tuple((place.turn, Span(place.start, place.end)) for place, _ in (*today, *then))
    return Finding(WRONG_VALUE, f"there are {days} days between the dates", places)


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
    if _TAKEN_INTO_ACCOUNT.search(need.text):
        return ()  # what is named went into the value
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
            unit = f"w:{stem(item.piece.unit)}" if item.piece.unit else ""
            if unit and view.names <= _UNIT_KEYS and unit not in view.names:
                continue  # `a month` beside an amount names no field
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
            if any(p.unit == PERCENT or rate_of(page.text, p.end) for p in inside if p.number):
                continue  # figures to work something out with
            other = [p for p in inside if _is_rival(p, item.piece) and p.key not in own]
            score = sum(book.rarity(key, need.turn) + 1.0 for key in shared)
            if other and score > best[0]:
                best = (score, ((rules, Span(start, end)),))
    return best[1]


def _is_rival(piece: Piece, claimed: Piece) -> bool:
    """Whether a value is of the very kind that another claims to be: `10 %` is no amount."""
    return piece.kind is claimed.kind and piece.unit == claimed.unit and not claimed.aliases
