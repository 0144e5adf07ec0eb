"""What each claim-bearing piece of a target rests on, and what is wrong where something is.

A piece that stands in a source is *verbatim*; one that follows from sources by arithmetic is
*derived*; a number or id that stands nowhere and follows from nothing is *unsupported*. What is
said in words, without a value to check, is *attributed* to whatever the model found.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tokengeist.attribution.blend.accounts import Derivation
from tokengeist.attribution.blend.book import Book, Page
from tokengeist.attribution.blend.cues import COMPUTATION, CORRECTION
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Kind, name_keys
from tokengeist.attribution.blend.quantities import compatible
from tokengeist.attribution.protocol import Link, Unit, Verdict
from tokengeist.transcript import Role, Span

STALE = "stale context"
WRONG_VALUE = "wrong-value transformation"
INVENTION = "unsupported invention"


def units(book: Book, need: Need, links: Sequence[Link]) -> tuple[Unit, ...]:
    """The account of a target, in the order of its text."""
    linked = [link.turn for link in links]
    found = [_unit(book, need, item, linked) for item in need.hard]
    if not found and links:
        found = [_statement(need, span, links) for span in need.spans]
    return tuple(sorted(found, key=lambda unit: (unit.span, unit.verdict)))


def _statement(need: Need, span: Span, links: Sequence[Link]) -> Unit:
    best = max(links, key=lambda link: link.score)
    sources = tuple((best.turn, place) for place in best.evidence)
    return Unit(need.turn, span, Verdict.ATTRIBUTED, sources)


def _unit(book: Book, need: Need, item: Item, linked: Collection[int]) -> Unit:
    span = Span(item.piece.start, item.piece.end)
    if item.holders:
        source = _source(book, item, linked)
        page = book.pages[source]
        places = [Span(p.start, p.end) for p in page.occurrences(item.keys, item.piece.unit)]
        newer = _newer_value(book, need, item, page)
        if newer is None:
            newer = _corrected(book, need, item, page)
        note = f"{STALE}: turn {newer} gives another value" if newer is not None else ""
        return Unit(need.turn, span, Verdict.VERBATIM, _at(source, places[:1]), note)
    derivation = item.derivation
    if derivation and (derivation.is_certain or need.calls):  # a call may ask for any date
        return Unit(need.turn, span, Verdict.DERIVED, _places(derivation), derivation.note)
    contradicted = _same_name_elsewhere(book, need, item) or _miscalculated(book, need, item)
    if contradicted:
        return Unit(need.turn, span, Verdict.UNSUPPORTED, contradicted, WRONG_VALUE)
    if derivation:
        return Unit(need.turn, span, Verdict.DERIVED, _places(derivation), derivation.note)
    named = item.piece.kind in (
        Kind.VALUE,
        Kind.CODE,
        Kind.NAME,
        Kind.WORD,
    )  # may be in other words
    return Unit(need.turn, span, Verdict.UNSUPPORTED, (), "" if named else INVENTION)


def _places(derivation: Derivation) -> tuple[tuple[int, Span], ...]:
    return tuple((place.turn, Span(place.start, place.end)) for place in derivation.places)


def _source(book: Book, item: Item, linked: Collection[int]) -> int:
    """The holder to show: the item's origin, else one that the graph links to."""
    if item.origin is not None:
        return item.origin
    kept = [turn for turn in item.holders if turn in linked]
    if item.best is not None and (item.best in kept or not kept):
        return item.best
    return kept[0]


def _at(turn: int, places: Sequence[Span]) -> tuple[tuple[int, Span], ...]:
    return tuple((turn, place) for place in places)


def _newer_value(book: Book, need: Need, item: Item, source: Page) -> int | None:
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
        page = book.pages[later]
        same = [view for view in page.views if view.field.key == held.key]
        if len(same) == 1 and not {p.key for p in same[0].pieces} & set(item.keys):
            return later
    return None


def _corrected(book: Book, need: Need, item: Item, source: Page) -> int | None:
    """A later user turn that takes back the date or time an argument was given."""
    if source.role is not Role.USER or not need.calls:
        return None
    if item.piece.kind not in (Kind.DATE, Kind.TIME):
        return None
    for user in book.roles(Role.USER, need.turn):
        page = book.pages[user]
        same = {p.key for p in page.pieces if p.kind is item.piece.kind}
        differs = bool(same) and not same & set(item.keys)
        if user > source.index and differs and CORRECTION.search(page.text):
            return user
    return None


def _miscalculated(book: Book, need: Need, item: Item) -> tuple[tuple[int, Span], ...]:
    """What a total or a difference that is not right was most likely made from."""
    users = book.roles(Role.USER, need.turn)
    results = [t for t in book.roles(Role.TOOL, need.turn) if users and t > users[-1]]
    if item.piece.number is None or not COMPUTATION.search(need.text):
        return ()
    return tuple(
        (turn, Span(piece.start, piece.end))
        for turn in results
        for piece in book.pages[turn].pieces
        if piece.number is not None
    )


def _same_name_elsewhere(book: Book, need: Need, item: Item) -> tuple[tuple[int, Span], ...]:
    """A field, named as the target names its value, that holds another value of the same kind."""
    own = book.pages[need.turn]
    words = own.keys_between(*own.home(item.piece.start)) | name_keys(item.argument)
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
            rank = len(view.names)
            if best is None or (rank, result) >= best[:2]:
                best = (rank, result, Span(view.field.start, view.field.end))
    return ((best[1], best[2]),) if best else _rule_with_other_figure(book, need, item)


def _rule_with_other_figure(book: Book, need: Need, item: Item) -> tuple[tuple[int, Span], ...]:
    """A sentence of the rules about the same thing, with another value of the same kind."""
    words = {i.piece.key for i in need.soft if i.piece.number is None}
    for rules in book.roles(Role.SYSTEM, need.turn):
        page = book.pages[rules]
        for start, end in page.sentences:
            inside = [p for p in page.pieces if start <= p.start < end]
            shared = len(words & {p.key for p in inside})
            if shared >= 2 and 2 * shared >= len(words):
                other = [p for p in inside if p.kind is item.piece.kind]
                if other:
                    return ((rules, Span(start, end)),)
    return ()
