"""Statements that can be checked as a whole: deeds, subjects, verdicts under a rule, comparisons.

A claim is only called wrong where the transcript would show what is missing. Words that could be a
paraphrase get the benefit of the doubt.
"""

from __future__ import annotations

import re

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.comparisons import not_all, wrong_way_round
from tokengeist.attribution.blend.checks.findings import (
    INVENTION,
    Finding,
    Places,
    question,
    sentence,
)
from tokengeist.attribution.blend.checks.inventions import ESTIMATE
from tokengeist.attribution.blend.checks.limits import beyond_limit
from tokengeist.attribution.blend.checks.names import UNIT_KEYS
from tokengeist.attribution.blend.checks.orderings import denied_by_result, out_of_order
from tokengeist.attribution.blend.checks.rule_verdicts import against_rule, forbidden_deed
from tokengeist.attribution.blend.cues import NEGATION, SAME_ACTION, words_of
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, pieces, stem
from tokengeist.attribution.blend.quantities import MONEY
from tokengeist.attribution.blend.scene import Scene
from tokengeist.transcript import Role, Span

_DEED = re.compile(
    r"""\b(?:i(?:['’]ve|\ have)|(?:has|have)\ been)
    \ (?:just\ |now\ |already\ |successfully\ |also\ )*(?P<verb>[a-z]+(?:ed|nt|id|ade))\b
    |\b(?P<underway>on\ (?:its|their)\ way\ to\ you)""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT_YET = re.compile(r"\b(?:once|if|when|after|as soon as|until|already)\b", re.IGNORECASE)
"""Words for deeds to come, and for deeds of before."""
_SENDING = next(alike for alike in SAME_ACTION if "send" in alike)
_IRREGULAR = {"sent": "send", "paid": "pay", "bought": "buy", "made": "make"}
_QUESTION = re.compile(r"(?:\A|(?<=[.!?]))[^.!?]*\?")
_FIGURES = (Kind.NUMBER, Kind.DATE, Kind.TIME)
_COUNTED = re.compile(r"\s([^\W\d_]+)")
_A_TOPIC = 2
"""A question of fewer words goes on about something."""
_TELLING = 100
"""Smaller whole numbers may stand anywhere."""
_TOLD_TOGETHER = 2
"""So many words must a rule share with an answer; a result, which is about one thing, only one."""
_REQUEST = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:sorry|unsure|let me|i can|i will|i['’]ll|i would|happy to|happily|of course|please"
    r"|could you|transfer|welcome|suggest|apologi[sz]e|(?:you['’]re|you are) right)\b",
    re.IGNORECASE,
)
"""Words of an answer that promises, asks or defers instead of telling."""


def false_claim(book: Book, need: Need) -> Finding | None:
    """What is wrong with a statement as a whole, if anything is."""
    if not need.is_prose:
        return forbidden_deed(book, need)
    return (
        _undone(book, need)
        or _on_unknown_subject(book, need)
        or against_rule(book, need)
        or forbidden_deed(book, need)
        or beyond_limit(book, need)
        or out_of_order(book, need)
        or wrong_way_round(book, need)
        or not_all(book, need)
        or (denied_by_result(book, need) if Scene(book, need).reports_change else None)
    )


def _undone(book: Book, need: Need) -> Finding | None:
    """A deed that no call did: `I've just sent it to you`, and nothing was ever sent."""
    match = _DEED.search(need.text)
    if match is None or NEGATION.search(need.text) or _NOT_YET.search(sentence(book, need)):
        return None
    verb = (match["verb"] or "send").lower()
    verb = _IRREGULAR.get(verb, verb)
    deed = next((a for a in SAME_ACTION if stem(verb) in {stem(word) for word in a}), None)
    if deed is None:
        return None
    names = {f"w:{stem(word)}" for word in deed}
    users = book.roles(Role.USER, need.turn)
    said = {f"w:{stem(verb)}", f"w:{stem((match['verb'] or verb).lower())}"}
    for page in book.pages[: need.turn]:
        changing = [call for call in page.calls if page.may_change(call)]
        if page.calls and users and page.index > users[-1] and "open" in verb:
            return None  # opened to be read
        if changing and users and page.index > users[-1] and deed is not _SENDING:
            return None  # something was done just now; its name may be another word for it
        if any(names & {f"w:{stem(word)}" for word in words_of(call.name)} for call in changing):
            return None
        if page.role is Role.TOOL and said & page.keys:
            return None  # it may have been done by others
    return Finding(INVENTION, "no call did this", _asked(book, users[-1]) if users else ())


def _asked(book: Book, user: int) -> Places:
    """The question alone that prompted an invention."""
    page = book.pages[user]
    return ((user, Span(*page.sentences[-1])),) if page.sentences else ()


def _on_unknown_subject(book: Book, need: Need) -> Finding | None:
    """An answer, without looking anything up, to a question of which no source says a word."""
    users = book.roles(Role.USER, need.turn)
    asked = [q.group() for q in _QUESTION.finditer(question(book, need))][-1:]
    if not asked or users[-1] != need.turn - 1 or need.calls or _REQUEST.search(asked[0]):
        return None
    if not book.roles(Role.TOOL, need.turn):
        return None  # nothing is ever looked up here, so nobody expects it
    text = book.pages[need.turn].text
    if NEGATION.search(text) or text.rstrip().endswith("?") or _DOUBT.search(text):
        return None
    topic = {p.key for p in pieces(asked[0]) if p.kind in (Kind.WORD, Kind.NAME)} - {"w:per"}
    said = {item.piece.key for item in need.items}
    subject = topic & said or topic
    known = {key for page in book.pages[: users[-1]] for key in page.keys}
    unknown = subject - known
    figures = [item for item in need.items if item.piece.kind in _FIGURES]
    if not unknown or 2 * len(unknown) + bool(figures) <= len(subject) or len(figures) > 1:
        return None
    if figures and (len(topic) < _A_TOPIC or any(_is_counted(book, need, f) for f in figures)):
        return None  # more of what was spoken of
    if ESTIMATE.search(need.text) or any((f.piece.number or 0.0) % 1 for f in figures):
        return None  # worked out from something
    if any(_is_founded(book, need, item, topic) for item in need.items) or _is_told(
        book, need, topic
    ):
        return None
    return Finding(INVENTION, "no source speaks of this", _asked(book, users[-1]))


def _is_founded(book: Book, need: Need, item: Item, topic: set[str]) -> bool:
    """Whether a figure of an answer comes from a source."""
    if item.derivation:
        return item.derivation.is_certain and not item.derivation.is_loose
    told = [t for t in item.holders if book.pages[t].role is not Role.ASSISTANT]
    if item.piece.kind in (Kind.WORD, Kind.NAME):
        return False
    number = item.piece.number
    if number is None or item.piece.unit not in ("", MONEY) or number >= _TELLING or number % 1:
        return bool(told)
    others = topic | {other.piece.key for other in need.items if other is not item}
    return any(
        others & (page.keys_between(*page.home(found.start)) | _names_at(page, found))
        for page in (book.pages[t] for t in told)
        for found in page.occurrences(item.keys, item.piece.unit)
    )


def _names_at(page: Page, piece: Piece) -> frozenset[str]:
    """The keys of the name of the field that a value stands in."""
    held = page.field_at(piece.start)
    return name_keys(held.key) if held else frozenset()


def _is_counted(book: Book, need: Need, item: Item) -> bool:
    """Whether earlier turns give another number of the same things: `5,000 tonnes`."""
    after = _COUNTED.match(book.pages[need.turn].text, item.piece.end)
    if after is None or f"w:{stem(after[1])}" in UNIT_KEYS or item.piece.unit:
        return False
    return any(
        found and stem(found[1]) == stem(after[1])
        for page in book.pages[: need.turn]
        for piece in page.pieces
        if piece.number is not None
        for found in (_COUNTED.match(page.text, piece.end),)
    )


def _is_told(book: Book, need: Need, topic: set[str]) -> bool:
    """Whether words of an answer, apart from what the question said, stand together in a source."""
    words = {i.piece.key for i in need.items if i.piece.kind in (Kind.WORD, Kind.NAME)}
    words -= topic | UNIT_KEYS
    for page in book.pages[: need.turn]:
        if page.role not in (Role.TOOL, Role.SYSTEM) or not words & page.keys:
            continue
        if page.role is Role.TOOL:
            return True
        most = max(len(words & page.keys_between(*place)) for place in page.passages)
        if most >= min(len(words), _TOLD_TOGETHER):
            return True
    return False
