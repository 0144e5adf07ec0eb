"""Statements that can be checked as a whole: deeds, subjects, verdicts under a rule, comparisons.

A claim is only called wrong where the transcript would show what is missing. Words that could be a
paraphrase get the benefit of the doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokengeist.attribution.blend.book import Book, FieldView
from tokengeist.attribution.blend.cues import NEGATION, RULE, SAME_ACTION, words_of
from tokengeist.attribution.blend.findings import INVENTION, WRONG_VALUE, Finding, Places, question
from tokengeist.attribution.blend.need import SWITCH_VALUES, Item, Need
from tokengeist.attribution.blend.orderings import denied_by_result, out_of_order
from tokengeist.attribution.blend.pieces import Kind, pieces, stem
from tokengeist.attribution.blend.quantities import MONEY
from tokengeist.attribution.blend.scene import Scene
from tokengeist.transcript import Role, Span

_DEED = re.compile(
    r"""\b(?:i(?:['’]ve|\ have)|(?:has|have)\ been)
    \ (?:just\ |now\ |already\ |successfully\ |also\ )*(?P<verb>[a-z]+(?:ed|nt|id|ade))\b
    |\b(?P<underway>on\ (?:its|their)\ way\ to\ you)""",
    re.IGNORECASE | re.VERBOSE,
)
_SENDING = next(alike for alike in SAME_ACTION if "send" in alike)
_IRREGULAR = {"sent": "send", "paid": "pay", "bought": "buy", "made": "make"}
_QUESTION = re.compile(r"[^.!?]*\?")
_REQUEST = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:sorry|unsure|let me|i can|i will|i['’]ll|i would|happy to|happily|of course|please"
    r"|could you|transfer|welcome)\b",
    re.IGNORECASE,
)
"""Words of an answer that promises, asks or defers instead of telling."""
_NEGATIVE_VALUES = frozenset(("no", "false", "none", "null"))
_CONDITION = re.compile(
    r"\b(?:if|when|while|once|after|unless|for(?=\s+\w+\s+that)|until)\b", re.IGNORECASE
)
_FORBIDS = re.compile(r"\b(?:not|never|cannot|no)\b|n['’]t\b", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_ALLOWANCE = re.compile(
    r"\b(?:can(?:not)?|may|could|possible|allow(?:ed)?|eligible|refused?|unable)\b|\bcan['’]t\b",
    re.IGNORECASE,
)
_ASKS_ALLOWANCE = re.compile(
    r"\b(?:can|could|may|would|possible|allowed|eligible)\b", re.IGNORECASE
)


def false_claim(book: Book, need: Need) -> Finding | None:
    """What is wrong with a statement as a whole, if anything is."""
    if not need.is_prose:
        return None
    return (
        _undone(book, need)
        or _on_unknown_subject(book, need)
        or _against_rule(book, need)
        or out_of_order(book, need)
        or (denied_by_result(book, need) if Scene(book, need).reports_change else None)
    )


def _undone(book: Book, need: Need) -> Finding | None:
    """A deed that no call did: `I've just sent it to you`, and nothing was ever sent."""
    match = _DEED.search(need.text)
    if match is None or NEGATION.search(need.text):
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
    topic = {p.key for p in pieces(asked[0]) if p.kind in (Kind.WORD, Kind.NAME)}
    said = {item.piece.key for item in need.items}
    subject = topic & said or topic
    known = {key for page in book.pages[: users[-1]] for key in page.keys}
    unknown = subject - known
    if not unknown or 2 * len(unknown) <= len(subject):
        return None
    if any(_is_founded(book, need, item, topic) for item in need.items):
        return None
    return Finding(INVENTION, "no source speaks of this", _asked(book, users[-1]))


def _is_founded(book: Book, need: Need, item: Item, topic: set[str]) -> bool:
    """Whether an item of an answer, apart from what the question said, comes from a source."""
    if item.derivation:
        return item.derivation.is_certain and not item.derivation.is_loose
    told = [t for t in item.holders if book.pages[t].role in (Role.TOOL, Role.SYSTEM)]
    if item.piece.kind in (Kind.WORD, Kind.NAME):
        return item.piece.key not in topic and bool(told)
    if item.piece.number is None or item.piece.unit not in ("", MONEY):
        return bool(told)
    others = {other.piece.key for other in need.items if other is not item}
    return any(
        others & page.keys_between(*page.home(found.start))
        for page in (book.pages[t] for t in told)
        for found in page.occurrences(item.keys, item.piece.unit)
    )


def _against_rule(book: Book, need: Need) -> Finding | None:
    """A permission or refusal that a rule with one condition turns the other way round."""
    asked = question(book, need)
    if not _ALLOWANCE.search(need.text) or not _ASKS_ALLOWANCE.search(asked):
        return None
    words = {item.piece.key for item in need.items} | {p.key for p in pieces(asked)}
    says_yes = NEGATION.search(need.text) is None and "refuse" not in need.text.lower()
    for rules in book.roles(Role.SYSTEM, need.turn):
        page = book.pages[rules]
        for start, end in page.sentences:
            cut = _CONDITION.search(page.text, start, end)
            if cut is None:
                continue
            head, condition = page.text[start : cut.start()], page.text[cut.start() : end]
            forbids, only = _FORBIDS.search(head), _ONLY.search(page.text[start:end])
            if bool(forbids) == bool(only) or (RULE.search(head) is None and not forbids):
                continue
            if len({p.key for p in pieces(head)} & words) < 2 or "," in condition:
                continue
            for met, view, result in _meets(book, need, condition):
                if says_yes != (met if only else not met):
                    field = (result, Span(view.field.start, view.field.end))
                    return Finding(
                        WRONG_VALUE, "the rule says otherwise", ((rules, Span(start, end)), field)
                    )
                break
    return None


def _meets(book: Book, need: Need, condition: str) -> Iterator[tuple[bool, FieldView, int]]:
    """Whether the record at hand meets a condition, by the field that the condition names."""
    inside = {piece.key for piece in pieces(condition)}
    results = book.roles(Role.TOOL, need.turn)
    for result in results[-1:]:
        for view in book.pages[result].views:
            value = view.text.lower()
            words = {p.key for p in view.pieces if p.kind in (Kind.WORD, Kind.NAME)}
            if value in SWITCH_VALUES:
                if view.names and view.names <= inside:
                    yield value not in _NEGATIVE_VALUES, view, result
            elif words and words <= inside and len(words) == len(view.pieces):
                yield True, view, result
            elif view.names and view.names <= inside and words and not words & inside:
                yield False, view, result
