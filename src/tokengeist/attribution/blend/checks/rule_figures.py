"""Figures that a sentence of the rules, or of a text that was read, gives otherwise."""

from __future__ import annotations

import re

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import Places, own_words, question, sentence
from tokengeist.attribution.blend.checks.names import UNIT_KEYS
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind, Piece, pieces
from tokengeist.attribution.blend.quantities import MONEY, PERCENT, rate_of
from tokengeist.transcript import Role, Span

_WORDS = (Kind.WORD, Kind.NAME)
_NEAR = 20
_GUESS = re.compile(r"\b(?:about|around|roughly|approximately|nearly|almost)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\d")


def rule_with_other_figure(book: Book, need: Need, item: Item) -> Places:
    """A sentence of the rules about the same thing, with another value of the same kind."""
    if _GUESS.search(sentence(book, need)):
        return ()
    own = own_words(book, need, item.piece.start)
    asked = {p.key for p in pieces(question(book, need)) if p.kind in _WORDS}
    words = {k for k in own | asked if k.startswith("w:") and k not in UNIT_KEYS}
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


def rule_answers_otherwise(book: Book, need: Need, item: Item) -> Places:
    """The one sentence of the rules on what was asked, where nothing was looked up to answer it.

    The answer's figure must stand nowhere in the rules, and the question must count nothing, for
    then it is multiplied.
    """
    asked = question(book, need)
    if not asked or _NUMBERED.search(asked) or book.just_looked_up(need.turn):
        return ()
    if _GUESS.search(sentence(book, need)):
        return ()
    page = book.pages[need.turn]
    beside = page.between(*page.home(item.piece.start))
    if any(p.number is not None and p.unit == item.piece.unit for p in beside if p != item.piece):
        return ()
    if any(book.pages[t].role in (Role.SYSTEM, Role.USER) for t in item.holders):
        return ()
    words = {p.key for p in (*pieces(asked), *beside) if p.kind in _WORDS} - UNIT_KEYS
    found: list[tuple[int, Places]] = []
    for rules in book.roles(Role.SYSTEM, need.turn):
        page = book.pages[rules]
        for start, end in page.sentences:
            inside = page.between(start, end)
            rivals = [p for p in inside if p.number is not None and _is_rival(p, item.piece)]
            shared = len(words & {p.key for p in inside})
            if len(rivals) == 1 and shared:
                found.append((shared, ((rules, Span(start, end)),)))
    found.sort(key=lambda entry: -entry[0])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return ()
    is_alone = len(found) == 1 and item.piece.unit not in ("", MONEY)
    return found[0][1] if found[0][0] > 1 or is_alone else ()


def _is_rival(piece: Piece, claimed: Piece) -> bool:
    """Whether a value is of the very kind that another claims to be: `10 %` is no amount."""
    return piece.kind is claimed.kind and piece.unit == claimed.unit and not claimed.aliases


def same_phrase_with_other_figure(book: Book, need: Need, item: Item) -> Places:
    """A sentence of a source in which another figure stands between the same two words."""
    if item.piece.kind is not Kind.NUMBER or item.derivation:
        return ()
    around = _around(book.pages[need.turn], item.piece)
    if around is None:
        return ()
    for page in book.pages[: need.turn]:
        if page.role is Role.ASSISTANT or not set(around) <= page.keys:
            continue
        for piece in page.pieces:
            if piece.number and _is_rival(piece, item.piece) and _around(page, piece) == around:
                return ((page.index, Span(*page.home(piece.start))),)
    return ()


def _around(page: Page, piece: Piece) -> tuple[str, str] | None:
    """The words that a figure stands between in its sentence."""
    if not any(start <= piece.start < end for start, end in page.sentences):
        return None
    start, end = page.home(piece.start)
    words = [p for p in page.between(start, end) if p.kind in _WORDS and p.key not in UNIT_KEYS]
    before = [p.key for p in words if piece.start - _NEAR <= p.start and p.end <= piece.start]
    after = [p.key for p in words if piece.end <= p.start <= piece.end + _NEAR]
    return (before[-1], after[0]) if before and after else None
