"""What each claim-bearing piece of a target rests on, and what is wrong where something is.

A piece that stands in a source is *verbatim*; one that follows from sources by arithmetic is
*derived*; a number or id that stands nowhere and follows from nothing is *unsupported*. What is
said in words, without a value to check, is *attributed* to whatever the model found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tokengeist.attribution.blend.accounts import Derivation
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.claims import false_claim
from tokengeist.attribution.blend.checks.contradictions import contradicted, inherited
from tokengeist.attribution.blend.checks.findings import INVENTION, STALE, WRONG_VALUE
from tokengeist.attribution.blend.checks.inventions import is_invented
from tokengeist.attribution.blend.checks.misstatements import misstated
from tokengeist.attribution.blend.checks.named_fields import otherwise_named
from tokengeist.attribution.blend.checks.rule_verdicts import forbidden_deed
from tokengeist.attribution.blend.checks.staleness import stale
from tokengeist.attribution.blend.field_evidence import ONE_STRETCH, join
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.protocol import Link, Unit, Verdict
from tokengeist.transcript import Span, Target


def units(book: Book, need: Need, links: Sequence[Link]) -> tuple[Unit, ...]:
    """The account of a target, in the order of its text."""
    linked = [link.turn for link in links]
    found = [_unit(book, need, item, linked) for item in need.hard]
    found += [u for item in need.soft for u in _small_figure(book, need, item)]
    claim = false_claim(book, need)
    if claim:
        found = [u for u in found if claim.kind == INVENTION or u.note != INVENTION]
        found += [
            Unit(need.turn, span, Verdict.UNSUPPORTED, claim.sources, claim.note)
            for span in need.spans[:1]
        ]
    elif not found:
        found = list(_attributed(Target(need.turn, need.spans), links))
    return tuple(sorted(found, key=lambda unit: (unit.span, unit.verdict)))


def shown_wrong_by(account: Sequence[Unit]) -> dict[int, tuple[Span, ...]]:
    """By turn, the text that shows a value to be wrong, or alone prompted it."""
    found: dict[int, set[Span]] = {}
    for unit in account:
        if unit.note.startswith((STALE, WRONG_VALUE, INVENTION)):
            for turn, span in unit.sources:
                found.setdefault(turn, set()).add(span)
    return {turn: join(spans, ONE_STRETCH) for turn, spans in found.items()}


def of_a_call(book: Book, need: Need, target: Target, links: Sequence[Link]) -> tuple[Unit, ...]:
    """The account of a call's name: what was done, which a rule may forbid."""
    wrong = forbidden_deed(book, need)
    if wrong is None:
        return _attributed(target, links)
    unsupported = Verdict.UNSUPPORTED
    return tuple(Unit(target.turn, s, unsupported, wrong.sources, wrong.note) for s in target.spans)


def _attributed(target: Target, links: Sequence[Link]) -> tuple[Unit, ...]:
    """The account of a target without a value to check: it rests on the likeliest source."""
    if not links:
        return ()
    best = max(links, key=lambda link: link.score)
    sources = tuple((best.turn, place) for place in best.evidence)
    return tuple(Unit(target.turn, s, Verdict.ATTRIBUTED, sources) for s in target.spans)


def _small_figure(book: Book, need: Need, item: Item) -> Iterator[Unit]:
    """A figure that may stand anywhere, and so is only spoken of where it is wrong."""
    if item.piece.number is None:
        return
    overtaken = (stale(book, need, item, book.pages[turn]) for turn in item.holders)
    finding = (
        misstated(book, need, item)
        or next((found for found in overtaken if found), None)
        or otherwise_named(book, need, item)
    )
    if finding:
        span = Span(item.piece.start, item.piece.end)
        yield Unit(need.turn, span, Verdict.UNSUPPORTED, finding.sources, finding.note)


def _unit(book: Book, need: Need, item: Item, linked: Collection[int]) -> Unit:
    span = Span(item.piece.start, item.piece.end)
    wrong = misstated(book, need, item)
    if wrong:
        return Unit(need.turn, span, Verdict.UNSUPPORTED, wrong.sources, wrong.note)
    if item.holders:
        source = _source(book, item, linked)
        page = book.pages[source]
        places = [Span(p.start, p.end) for p in page.occurrences(item.keys, item.piece.unit)]
        finding = (
            stale(book, need, item, page)
            or inherited(book, need, item)
            or otherwise_named(book, need, item)
        )
        note = finding.note if finding else ""
        shown = _at(source, places[:1]) + (finding.sources if finding else ())
        return Unit(need.turn, span, Verdict.VERBATIM, shown, note)
    derivation = item.derivation
    finding = None
    if need.is_prose or derivation is None:  # a call may ask for any date
        finding = contradicted(book, need, item)
    finding = finding or inherited(book, need, item) or otherwise_named(book, need, item)
    if finding:
        return Unit(need.turn, span, Verdict.UNSUPPORTED, finding.sources, finding.note)
    if derivation:
        return Unit(need.turn, span, Verdict.DERIVED, _places(derivation), derivation.note)
    note = INVENTION if is_invented(book, need, item) else ""
    return Unit(need.turn, span, Verdict.UNSUPPORTED, (), note)


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
