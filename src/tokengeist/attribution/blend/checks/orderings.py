"""Claims of being cheapest, in time or changed, held against the records they are about."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding, sentence
from tokengeist.attribution.blend.need import Need
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, normal
from tokengeist.attribution.blend.quantities import MONEY
from tokengeist.attribution.blend.selection import neighbours
from tokengeist.transcript import Role, Span

_LOWEST = re.compile(
    r"(?<!second )(?<!second-)\b(?:cheapest|lowest|least expensive)", re.IGNORECASE
)
_HIGHEST = re.compile(
    r"(?<!second )(?<!second-)\b(?:highest|most expensive|dearest|priciest)", re.IGNORECASE
)
_CHOSEN = re.compile(
    r"\b(?:you would like|you['’]d like|you want|go with|proceed|exchange|swap|book|order|add)\b",
    re.I,
)
_UNAVAILABLE = re.compile(r'"?(?:available|in_stock|inStock)"?\s*:\s*"?(?:false|no|0)\b', re.I)
_WINDOW = re.compile(
    r"\b(?P<side>within|inside|less than|beyond|outside|more than|over)\b[^.;\d]{0,24}?"
    r"(?P<count>\d+)[\s-]+(?P<unit>hour|day)s?\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:\bnot|\bno longer|n['’]t)\s(?:\w+\s){0,3}$", re.IGNORECASE)
_IF = re.compile(r"\b(?:if|unless|when|only)\b", re.IGNORECASE)
_OUTSIDE = ("beyond", "outside", "more than", "over")
_MADE = name_keys("created booked ordered placed purchased issued made delivered")


def out_of_order(book: Book, need: Need) -> Finding | None:
    """What a comparison or a deadline in the target gets wrong."""
    return _not_the_extreme(book, need) or _out_of_time(book, need)


def _not_the_extreme(book: Book, need: Need) -> Finding | None:
    """Called the cheapest, while a record beside it, as available and as fitting, is cheaper."""
    sign = _sign(need.text) or _sign_wished(book, need)
    for item in need.hard if sign else ():
        if item.piece.number is None or item.best is None:
            continue
        page = book.pages[item.best]
        for found in page.occurrences(item.keys, item.piece.unit)[:1]:
            better = _better(book, need, page, found, sign)
            if better:
                span = Span(better.start, better.end)
                return Finding(WRONG_VALUE, f"{better.text} is beyond it", ((item.best, span),))
    return None


def _sign(text: str) -> int:
    return -1 if _LOWEST.search(text) else 1 if _HIGHEST.search(text) else 0


def _sign_wished(book: Book, need: Need) -> int:
    """Whether the user has just asked for the cheapest, and one is chosen."""
    users = book.roles(Role.USER, need.turn)[-1:]
    chosen = sum(item.piece.unit == MONEY for item in need.items) == 1
    is_choice = chosen and _CHOSEN.search(sentence(book, need))
    return _sign(book.pages[users[0]].text) if users and is_choice else 0


def _better(book: Book, need: Need, page: Page, found: Piece, sign: int) -> Piece | None:
    held = page.field_at(found.start)
    home, family = neighbours(page, found.start)
    if held is None or home is None or found.number is None:
        return None
    said = {key for user in book.roles(Role.USER, need.turn) for key in book.pages[user].keys}
    wanted = said & page.keys_between(*home)
    for start, end in family:
        if (start, end) == home or _UNAVAILABLE.search(page.text, start, end):
            continue
        if not wanted <= page.keys_between(start, end):
            continue  # it lacks something that was asked for
        for view in page.views:
            if view.field.key == held.key and start <= view.field.start < end and view.pieces:
                other = view.pieces[0]
                if other.number is not None and sign * (other.number - found.number) > 0.005:
                    return other
    return None


def _out_of_time(book: Book, need: Need) -> Finding | None:
    """Said to be within so many hours or days of now, and is not; or the other way round."""
    match = _WINDOW.search(need.text)
    if match is None or _IF.search(need.text, 0, match.start()):
        return None
    is_within = match["side"].lower() not in _OUTSIDE
    is_within ^= _NOT.search(need.text, 0, match.start()) is not None
    limit = float(match["count"]) * (24 if match["unit"].lower() == "day" else 1)
    now = next(
        (m for t in book.roles(Role.SYSTEM, need.turn) for m in _moments(book.pages[t])), None
    )
    for result in reversed(book.roles(Role.TOOL, need.turn)[-2:] if now else []):
        page = book.pages[result]
        for moment, piece in _moments(page):
            held = page.field_at(piece.start)
            if held is None or not name_keys(held.key) & _MADE or now is None:
                continue
            hours = (now[0] - moment).total_seconds() / 3600
            if hours >= 0 and (hours <= limit) != is_within:
                places = ((result, Span(held.start, held.end)),)
                return Finding(WRONG_VALUE, f"{hours:.0f} hours have passed", places)
            return None
    return None


def _moments(page: Page) -> Iterator[tuple[datetime.datetime, Piece]]:
    """The dates of a page with their time of day."""
    for date, time in zip(page.pieces, page.pieces[1:], strict=False):
        if date.kind is Kind.DATE and time.kind is Kind.TIME and time.start - date.end <= 1:
            try:
                day = datetime.date.fromisoformat(date.text)
            except ValueError:
                continue
            minutes = int(time.key[2:])
            clock = datetime.time(minutes // 60 % 24, minutes % 60)
            yield datetime.datetime.combine(day, clock), date


def denied_by_result(book: Book, need: Need) -> Finding | None:
    """Reported as changed to one value, while the change's own result gives the field another."""
    results = book.roles(Role.TOOL, need.turn)
    if not results or not need.soft:
        return None
    page, said = book.pages[results[-1]], f" {normal(need.text)} "
    names = [view.field.key for view in page.views]
    for view in page.views:
        if names.count(view.field.key) > 1:
            continue
        value = normal(view.text)
        if not view.pieces or len(view.pieces) > 2 or not value or f" {value} " in said:
            continue
        if any(p.kind not in (Kind.WORD, Kind.NAME) for p in view.pieces):
            continue
        for other in _values(book, need.turn, view.field.key):
            if f" {other} " in said and other != value and value not in other:
                place = (results[-1], Span(view.field.start, view.field.end))
                return Finding(WRONG_VALUE, "the result says otherwise", (place,))
    return None


def _values(book: Book, turn: int, key: str) -> set[str]:
    """Every value in words that calls and results gave a field of that name."""
    return {
        normal(view.text)
        for page in book.pages[:turn]
        for view in page.views
        if view.field.key == key and 0 < len(view.pieces) <= 2 and not view.text.isdigit()
    }
