"""Which of two things comes first or costs less, held against what was looked up of both."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding, question, sentence
from tokengeist.attribution.blend.checks.names import parent_names, spoken
from tokengeist.attribution.blend.checks.subject import named_ids
from tokengeist.attribution.blend.dates import day_of
from tokengeist.attribution.blend.need import Need
from tokengeist.attribution.blend.page import FieldView
from tokengeist.attribution.blend.pieces import Kind, name_keys, pieces, stem
from tokengeist.transcript import Role, Span

_SIGNS = {
    (Kind.DATE, -1): re.compile(r"\b(?:earlier|sooner|first)\b", re.IGNORECASE),
    (Kind.DATE, 1): re.compile(r"\b(?:later|last)\b", re.IGNORECASE),
    (Kind.NUMBER, -1): re.compile(r"\b(?:cheaper|lower|smaller|fewer|shorter)\b", re.IGNORECASE),
    (Kind.NUMBER, 1): re.compile(
        r"\b(?:more expensive|dearer|higher|larger|bigger|longer)\b", re.IGNORECASE
    ),
}
_ALL = re.compile(r"\ball\s+(?:[\w-]+\s+)?(\w+)", re.IGNORECASE)
_PART = re.compile(r"\b(\d+)\s*(?:/|of|out of)\s*(\d+)\s+(\w+)", re.IGNORECASE)
_WHICH = re.compile(r"\bwhich\b", re.IGNORECASE)

_Pair = tuple[tuple[float, Span], tuple[float, Span]]


def wrong_way_round(book: Book, need: Need) -> Finding | None:
    """Named as the earlier or the cheaper of two things that were looked up, and is not."""
    said, asked = sentence(book, need), question(book, need)
    results = book.just_looked_up(need.turn)
    if len(results) < 2 or not _WHICH.search(asked):
        return None
    found = [(kind, sign) for (kind, sign), cue in _SIGNS.items() if cue.search(said)]
    named = set(named_ids(book, said, need.turn))
    chosen = [t for t in results if any(book.is_about(t, key) for key in named)]
    if len(found) != 1 or len(chosen) != 1:
        return None
    kind, sign = found[0]
    words = {p.key for p in pieces(asked)}
    for other in results:
        pairs = list(_pairs(book, (chosen[0], other), kind, words)) if other != chosen[0] else []
        if pairs and all(sign * (mine[0] - theirs[0]) < 0 for mine, theirs in pairs):
            mine, theirs = pairs[0]
            places = ((chosen[0], mine[1]), (other, theirs[1]))
            return Finding(WRONG_VALUE, "it is the other way round", places)
    return None


def not_all(book: Book, need: Need) -> Finding | None:
    """Said of all, while the latest result says `4/6` of them."""
    results = book.just_looked_up(need.turn)
    said = {stem(found[1]) for found in _ALL.finditer(need.text)}
    for match in _PART.finditer(book.pages[results[-1]].text) if results and said else ():
        if int(match[1]) < int(match[2]) and stem(match[3]) in said:
            return Finding(WRONG_VALUE, f"only {match[0]}", ((results[-1], Span(*match.span())),))
    return None


def _pairs(book: Book, results: tuple[int, int], kind: Kind, words: set[str]) -> Iterator[_Pair]:
    """The values of the fields that two results share and the question names best."""
    one, other = (
        {view.field.key: view for view in _single(book, turn) if view.pieces[0].kind is kind}
        for turn in results
    )
    scores: dict[str, int] = {}
    for key in one.keys() & other.keys():
        names = name_keys(key) | parent_names(book.pages[results[0]], one[key].field)
        scores[key] = len(spoken(names, words))
    best = max(scores.values(), default=0)
    for key, score in scores.items():
        values = _value(one[key]), _value(other[key])
        if score == best > 0 and values[0] is not None and values[1] is not None:
            spans = [Span(view.field.start, view.field.end) for view in (one[key], other[key])]
            yield (values[0], spans[0]), (values[1], spans[1])


def _single(book: Book, turn: int) -> Iterator[FieldView]:
    """The fields of a result that stand in it once and hold one value."""
    views = book.pages[turn].views if book.pages[turn].role is Role.TOOL else []
    keys = [view.field.key for view in views]
    return (view for view in views if len(view.pieces) == 1 and keys.count(view.field.key) == 1)


def _value(view: FieldView) -> float | None:
    piece = view.pieces[0]
    day = day_of(piece) if piece.kind is Kind.DATE else None
    return float(day.toordinal()) if day else piece.number
