"""What is granted beyond a limit of the rules, and figures said to be on the wrong side of one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding, question, sentence
from tokengeist.attribution.blend.checks.names import UNIT_KEYS
from tokengeist.attribution.blend.cues import NEGATION
from tokengeist.attribution.blend.need import Need
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind, Piece, pieces
from tokengeist.attribution.blend.quantities import MONEY, PERCENT
from tokengeist.transcript import Role, Span

_AT_MOST = re.compile(
    r"\b(?:up to|at most|no more than|not more than|maximum(?: of)?|under|below|less than)\W*$",
    re.I,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|no less than|not less than|minimum(?: of)?|over|above|more than)\W*$", re.I
)
_OR_MORE = re.compile(r"\s+(?:\w+\s+)?or\s+(?:more|higher|above|over)\b", re.IGNORECASE)
_OR_LESS = re.compile(r"\s+(?:\w+\s+)?or\s+(?:less|lower|below|under|fewer)\b", re.IGNORECASE)
_BEFORE = 24
_GRANTED = re.compile(
    r"\b(?:yes|welcome|fine|allowed|possible|of course|no problem|can|may)\b", re.IGNORECASE
)
_CONDITIONAL = re.compile(r"\b(?:if|unless|only|but|when|provided|however)\b", re.IGNORECASE)
_SIDE = re.compile(
    r"""(?:\b(?P<over>above|over|exceeds?|higher\ than|meets?)\b
    |\b(?:below|under|within|lower\ than)\b)
    (?:\s\w+){0,2}\s(?:required|requirement|limit|minimum|maximum|threshold)\b""",
    re.IGNORECASE | re.VERBOSE,
)

_Bound = tuple[int, Page, Piece, tuple[int, int]]
"""1 for at least, -1 for at most; and where it is given."""


def beyond_limit(book: Book, need: Need) -> Finding | None:
    """A statement that a limit of the rules contradicts."""
    return _granted(book, need) or _on_the_other_side(book, need)


def _bounds(book: Book, need: Need) -> Iterator[_Bound]:
    """The limits that the rules give, in a unit or beside a name."""
    for rules in book.roles(Role.SYSTEM, need.turn):
        page = book.pages[rules]
        for piece in page.pieces:
            if piece.number is None or piece.unit == PERCENT:
                continue
            before = page.text[max(0, piece.start - _BEFORE) : piece.start]
            after = page.text[piece.end :][:_BEFORE]
            most = _AT_MOST.search(before) or _OR_LESS.match(after)
            least = _AT_LEAST.search(before) or _OR_MORE.match(after)
            if bool(most) != bool(least):
                yield (1 if least else -1), page, piece, page.home(piece.start)


def _granted(book: Book, need: Need) -> Finding | None:
    """Granted, though the user's own figure is beyond the only limit in its unit."""
    figures = _figures(book, need) if _GRANTED.search(need.text) else []
    asked, said = question(book, need), sentence(book, need)
    if not figures or not asked or NEGATION.search(said) or _CONDITIONAL.search(said):
        return None
    bounds = list(_bounds(book, need))
    words = {p.key for p in (*pieces(asked), *pieces(said)) if p.kind in (Kind.WORD, Kind.NAME)}
    for user, figure in figures:
        fit = [b for b in bounds if b[2].unit == figure.unit and _is_on(b, words)]
        if len(fit) == 1:
            sign, page, bound, home = fit[0]
            if sign * ((figure.number or 0.0) - (bound.number or 0.0)) < 0:
                places = ((page.index, Span(*home)), (user, Span(figure.start, figure.end)))
                return Finding(WRONG_VALUE, f"{figure.text} is beyond {bound.text}", places)
    return None


def _figures(book: Book, need: Need) -> list[tuple[int, Piece]]:
    """What the user's latest turn measures: in hours or kilos, and not in money."""
    return [
        (user, piece)
        for user in book.roles(Role.USER, need.turn)[-1:]
        for piece in book.pages[user].pieces
        if piece.number is not None and piece.unit not in ("", MONEY, PERCENT)
    ]


def _is_on(bound: _Bound, words: set[str]) -> bool:
    """Whether the sentence of a limit shares a word, units aside, with what is spoken of."""
    _, page, _, home = bound
    return bool((words - UNIT_KEYS) & page.keys_between(*home))


def _on_the_other_side(book: Book, need: Need) -> Finding | None:
    """Said to be above or below what is required, by a figure whose name the rule gives a limit."""
    side = _SIDE.search(need.text)
    if side is None or NEGATION.search(need.text):
        return None
    claimed = 1 if side["over"] else -1
    for item in need.items:
        number = item.piece.number
        before = [i.piece for i in need.items if i.piece.end <= item.piece.start][-1:]
        if number is None or not before or before[0].kind is Kind.NUMBER:
            continue
        for sign, page, bound, home in _bounds(book, need):
            if sign != claimed or before[0].key not in page.keys_between(*home):
                continue
            if bound.unit == item.piece.unit and sign * (number - (bound.number or 0.0)) < 0:
                places = ((page.index, Span(*home)),)
                return Finding(WRONG_VALUE, f"{bound.text} is asked for", places)
    return None
