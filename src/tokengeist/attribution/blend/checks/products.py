"""Sums that are written out and do not come out: `3 × $20 = $65`, or a rate times a count."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.attribution.blend.accounts import TOLERANCE, same
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding, question
from tokengeist.attribution.blend.factors import counts
from tokengeist.attribution.blend.figures import Number
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Piece
from tokengeist.attribution.blend.quantities import MONEY, PERCENT, rate_of
from tokengeist.transcript import Role, Span

_OPERATORS = {"−": "-", "–": "-", "×": "*", "x": "*", "÷": "/"}
_LINK = re.compile(r"[\s$€£¥A-Z]*([+\-−–×x*÷/=])[\s$€£¥A-Z]*")
_LINKED_BEFORE = re.compile(r"[+\-−–×x*÷/(][\s$€£¥A-Z]*$")
_EACH = re.compile(r"\W*(?:each|apiece)\b", re.IGNORECASE)
_AT = re.compile(r"\bat\s*\S?$", re.IGNORECASE)
_PER = re.compile(r"\bper\s+([^\W\d_]+)", re.IGNORECASE)
_COUNTED = re.compile(r"[\s-][^\W\d_]")
_ROUNDED = 0.011
_ASKS_PRICE = re.compile(r"\b(?:how much|cost|price|pay|charge|come to|what)\b", re.IGNORECASE)
_MORE_TO_IT = re.compile(
    r"\b(?:plus|minus|less|after|without|includ\w+|discount\w*|off|tax\w*"
    r"|deposit|surcharge|first|additional|extra|up to|at (?:most|least)|maximum|cap\w*|about|around"
    r"|roughly|approximately)\b|%",
    re.IGNORECASE,
)


def wrong_product(book: Book, need: Need, item: Item) -> Finding | None:
    """A figure that the sum in its own sentence, or the rate in it, does not give."""
    if item.piece.number is None or item.piece.unit == PERCENT:
        return None
    return _unequal(book, need, item) or _not_so_many_times(book, need, item)


def _unequal(book: Book, need: Need, item: Item) -> Finding | None:
    """The right side of an equation whose left side makes something else."""
    page = book.pages[need.turn]
    start, _ = page.home(item.piece.start)
    before = [p for p in page.between(start, item.piece.start) if p.number is not None]
    terms, signs = [item.piece], list[str]()
    for term in reversed(before):
        link = _LINK.fullmatch(page.text, term.end, terms[0].start)
        if link is None or (link[1] == "=") != (len(terms) == 1):
            break
        terms.insert(0, term)
        signs.insert(0, _OPERATORS.get(link[1], link[1]))
    left = terms[:-1]
    if len(left) < 2 or any(p.unit == PERCENT for p in left):
        return None
    if _LINKED_BEFORE.search(page.text, start, left[0].start):
        return None  # there is more to it than was read
    made = _reckoned([p.number or 0.0 for p in left], signs[:-1])
    claimed = item.piece.number or 0.0
    decimals = len(item.piece.text.rstrip("%").partition(".")[2])
    if abs(made - claimed) < _ROUNDED or abs(round(made, decimals) - claimed) < TOLERANCE:
        return None
    places = tuple(place for term in left for place in _first_told(book, need, term))
    return Finding(WRONG_VALUE, f"that makes {made:g}", places)


def _reckoned(numbers: list[float], operators: list[str]) -> float:
    """The value of a sum of products."""
    terms = [numbers[0]]
    for operator, number in zip(operators, numbers[1:], strict=True):
        if operator == "*":
            terms[-1] *= number
        elif operator == "/":
            terms[-1] /= number or 1.0
        else:
            terms.append(number if operator == "+" else -number)
    return sum(terms)


def _not_so_many_times(book: Book, need: Need, item: Item) -> Finding | None:
    """An amount beside its rate that is not the rate times what the user counted."""
    page = book.pages[need.turn]
    start, end = page.home(item.piece.start)
    others = [p for p in page.between(start, end) if p.number is not None and p != item.piece]
    told = any(book.pages[t].role is not Role.ASSISTANT for t in item.holders)
    if told or len(others) != 1 or _MORE_TO_IT.search(page.text[start:end]):
        return None
    rate, asked = others[0], question(book, need)
    if not rate.unit == item.piece.unit == MONEY or not _ASKS_PRICE.search(asked):
        return None
    many = list(_how_many(book, need, page.text[start:end], rate.start - start, rate.end - start))
    if len(many) != 1:
        return None
    made = many[0].value * (rate.number or 0.0)
    if same(made, item.piece.number or 0.0) or same(rate.number or 0.0, item.piece.number or 0.0):
        return None
    piece = many[0].piece
    places = ((many[0].turn, Span(piece.start, piece.end)), *_first_told(book, need, rate))
    return Finding(WRONG_VALUE, f"{many[0].value:g} × {rate.text} makes {made:g}", places)


def _how_many(book: Book, need: Need, said: str, start: int, end: int) -> Iterator[Number]:
    """The numbers of the user's latest turn of what the amount between two positions is for one."""
    per = _PER.search(said)
    unit = rate_of(said, end) if not _EACH.match(said, end) else None
    if unit is None and not _EACH.match(said, end) and not (per or _AT.search(said, 0, start)):
        return  # no rate
    unit = unit or (per[1].lower() if per else None)
    for user in book.roles(Role.USER, need.turn)[-1:]:
        for number in book.pages[user].numbers:
            if number.piece.unit in (MONEY, PERCENT):
                continue
            after = _COUNTED.match(book.pages[user].text, number.piece.end)
            if after and (unit is None or counts(book, number, unit)):
                yield number


def _first_told(book: Book, need: Need, piece: Piece) -> Iterator[tuple[int, Span]]:
    """Where others gave a number."""
    for turn in book.holders(piece, need.turn):
        page = book.pages[turn]
        if page.role is not Role.ASSISTANT:
            found = page.occurrences(piece.keys, piece.unit)[0]
            yield turn, Span(found.start, found.end)
            return
