"""What is allowed, refused or done against a rule with one condition that the record decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import (
    WRONG_VALUE,
    Finding,
    Places,
    question,
    sentence,
)
from tokengeist.attribution.blend.checks.names import parent_names
from tokengeist.attribution.blend.checks.subject import subjects
from tokengeist.attribution.blend.cues import NEGATION, SAME_ACTION
from tokengeist.attribution.blend.need import SWITCH_VALUES, Need
from tokengeist.attribution.blend.page import FieldView, Page
from tokengeist.attribution.blend.pieces import Kind, name_keys, pieces, stem
from tokengeist.transcript import Role, Span

_NEGATIVE_VALUES = frozenset(("no", "false", "none", "null"))
_CONDITION = re.compile(
    r"\b(?:if|when|while|once|after|unless|until|for(?=\s+\w+\s+(?:that|whose|which)))\b", re.I
)
_FORBIDS = re.compile(r"\b(?:not|never|cannot|no)\b|n['’]t\b", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_GENERAL = re.compile(r"\b(?:if|when|once|unless|until)\b", re.IGNORECASE)
_EXCEPT = re.compile(r"unless|until", re.IGNORECASE)
_SEVERAL = re.compile(r",|\band\b", re.IGNORECASE)
_FURTHER_DUTY = re.compile(r",?\s+and\s+(?:you|we|they|agents?|the agent)\b", re.IGNORECASE)
_RESTRICTS = re.compile(
    r"\b(?:not|never|cannot|only|at most|up to|maximum|limit\w*|must|no)\b|n['’]t\b", re.IGNORECASE
)
_ALLOWANCE = re.compile(
    r"\b(?:can(?:not)?|may|could|possible|allow(?:ed)?|eligible|refused?|unable)\b|\bcan['’]t\b",
    re.IGNORECASE,
)
_ASKS_ALLOWANCE = re.compile(
    r"\b(?:can|could|may|would|possible|allowed|eligible)\b", re.IGNORECASE
)
_REFUSAL = re.compile(r"\brefus|\bden(?:y|ied)\b", re.IGNORECASE)
_REASON = re.compile(r",?\s*\b(?:because|since|as|so|therefore)\b|[:;]", re.IGNORECASE)
_IS = r"\W+(?:is|are|was|were|be|been|has\W+been|have\W+been|shows?|says?)\W+"
_FORMS = {"held": "hold", "sent": "send", "paid": "pay", "kept": "keep", "lent": "lend"}
"""Participles that do not show their verb."""
_LONGER = name_keys("extend extension prolong renew renewal lengthen longer")
"""Words for one and the same wish."""
_INTENTION = re.compile(
    r"\b(?:proceed(?:ing)? with|going to|about to|i will|i['’]ll|shall i|(?:like|want) me to)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A sentence of the rules: what it allows or forbids, and when."""

    page: Page
    start: int
    end: int
    head: tuple[str, ...]
    """The keys of what it allows or forbids, the deed mostly last."""
    condition: str
    names: frozenset[str]
    """The keys of the condition."""
    needs_it: bool
    """It is allowed only where the condition is met; else it is forbidden there."""

    @property
    def place(self) -> tuple[int, Span]:
        return self.page.index, Span(self.start, self.end)

    def allows(self, *, met: bool) -> bool:
        return met if self.needs_it else not met


def against_rule(book: Book, need: Need) -> Finding | None:
    """A permission or refusal that a rule with one condition turns the other way round."""
    asked, said = question(book, need), sentence(book, need)
    if not _ALLOWANCE.search(need.text) or not _ASKS_ALLOWANCE.search(asked):
        return None
    if _ONLY.search(need.text) or _GENERAL.search(need.text):
        return None  # it tells the rule itself
    words = {p.key for p in (*pieces(asked), *pieces(said))}
    verdict = next((c for c in _REASON.split(need.text) if _ALLOWANCE.search(c)), need.text)
    says_yes = NEGATION.search(verdict) is None and _REFUSAL.search(verdict) is None
    for rule in _rules(book, need):
        if not _is_on(rule, words, said) or _is_on_another_deed(rule, verdict):
            continue
        for met, names, place in _meets(book, need, rule.condition):
            if says_yes == rule.allows(met=met):
                break
            is_reason = bool(names & {p.key for p in pieces(said)})
            if not says_yes and not is_reason and not _restricts_alone(rule):
                break  # refused for another reason
            return Finding(WRONG_VALUE, "the rule says otherwise", (rule.place, *place))
    return None


def _rules(book: Book, need: Need) -> Iterator[_Rule]:
    """The rules that allow or forbid something on one condition."""
    for turn in book.roles(Role.SYSTEM, need.turn):
        page = book.pages[turn]
        for start, end in page.sentences:
            cut = _CONDITION.search(page.text, start, end)
            if cut is None:
                continue
            head, condition = page.text[start : cut.start()], page.text[cut.start() : end]
            condition = _FURTHER_DUTY.split(condition)[0]
            forbids, only = _FORBIDS.search(head), _ONLY.search(page.text[start:end])
            if bool(forbids) == bool(only):
                continue
            if not _SEVERAL.search(condition):
                needs_it = bool(only) or _EXCEPT.match(condition) is not None
                keys = tuple(p.key for p in page.between(start, cut.start()))
                names = page.keys_between(cut.start(), end)
                yield _Rule(page, start, end, keys, condition, names, needs_it)


def _is_on(rule: _Rule, words: set[str], said: str) -> bool:
    """Whether a rule is about what was asked and answered."""
    head = set(rule.head)
    shared = len(head & words) + bool(head & _LONGER and words & _LONGER)
    reason = {p.key for p in pieces(rule.condition)} & {p.key for p in pieces(said)}
    return shared >= 2 or (shared == 1 and bool(reason - head))


def _is_on_another_deed(rule: _Rule, verdict: str) -> bool:
    """Whether a verdict names a deed, and not the one that the rule is about."""
    subject = rule.head[-1] if rule.head else ""
    named = {p.key for p in pieces(verdict)}
    if subject in named or (subject in _LONGER and named & _LONGER):
        return False
    return any(f"w:{stem(verb)}" in named for alike in SAME_ACTION for verb in alike)


def _restricts_alone(rule: _Rule) -> bool:
    """Whether no other sentence restricts what a rule is about."""
    subject = frozenset(rule.head[-1:])
    about = subject | (_LONGER if subject & _LONGER else frozenset())
    restricting = [
        (start, end)
        for start, end in rule.page.sentences
        if _RESTRICTS.search(rule.page.text, start, end)
        and about & rule.page.keys_between(start, end)
    ]
    return restricting == [(rule.start, rule.end)]


def _meets(book: Book, need: Need, condition: str) -> Iterator[tuple[bool, frozenset[str], Places]]:
    """Whether the record at hand meets a condition, by the field that the condition names."""
    inside = _keys(condition)
    for result in reversed(subjects(book, need)):
        page = book.pages[result]
        for view in page.views:
            place = ((result, Span(view.field.start, view.field.end)),)
            names, value = view.names | parent_names(page, view.field), view.text.lower()
            words = _keys(view.text.replace("_", " ")) if len(view.pieces) <= 2 else frozenset()
            if value in SWITCH_VALUES:
                if view.names and view.names <= inside:
                    yield value not in _NEGATIVE_VALUES, view.names, place
            elif any(p.kind not in (Kind.WORD, Kind.NAME) for p in view.pieces) or not words:
                continue
            elif words <= inside:
                yield True, names | words, place
            elif any(_is_stated(condition, name) for name in names & inside):
                yield False, names, place


def _keys(text: str) -> frozenset[str]:
    """The word keys of a text, participles under their verbs."""
    found = {p.key for p in pieces(text) if p.kind in (Kind.WORD, Kind.NAME)}
    return frozenset(f"w:{_FORMS[k[2:]]}" if k[2:] in _FORMS else k for k in found)


def _is_stated(condition: str, name: str) -> bool:
    """Whether a condition gives the value that a name should have: `the review is signed`."""
    for piece in pieces(condition):
        if piece.key == name:
            rest = condition[piece.end :]
            return re.match(_IS, rest) is not None or re.fullmatch(r"\W+\w+\W*", rest) is not None
    return False


def forbidden_deed(book: Book, need: Need) -> Finding | None:
    """An action, done or announced, on a record whose state the rule for such actions excludes."""
    results = book.roles(Role.TOOL, need.turn)
    deeds = [
        (verbs, known[-1])
        for verbs, key in _deeds(book, need)
        if (known := [t for t in results if book.is_about(t, key)])
    ]
    for rule in _rules(book, need) if deeds else ():
        for verbs, result in deeds:
            if not rule.needs_it or len(rule.head) < 2 or rule.head[-1] not in verbs:
                continue
            for view in book.pages[result].views:
                if _is_excluded(rule, view):
                    place = (result, Span(view.field.start, view.field.end))
                    return Finding(WRONG_VALUE, "the rule says otherwise", (rule.place, place))
    return None


def _is_excluded(rule: _Rule, view: FieldView) -> bool:
    """Whether a field has another value than the one that a rule asks of it."""
    if len(view.names) != 1 or not view.pieces or not view.names <= rule.names:
        return False
    return _is_stated(rule.condition, *view.names) and not _keys(view.text) & _keys(rule.condition)


def _deeds(book: Book, need: Need) -> Iterator[tuple[frozenset[str], str]]:
    """What is done, in words, and the id of what it is done to."""
    page = book.pages[need.turn]
    for call in page.calls:
        if call.span in need.calls and any(s.start <= call.start for s in need.spans):
            inside = page.between(call.start, call.end) if page.may_change(call) else []
            yield from ((need.tool_words, p.key) for p in inside if p.kind is Kind.ID)
    said = sentence(book, need)
    if need.calls or not _INTENTION.search(said) or NEGATION.search(said):
        return
    for clause in re.finditer(r"(?:(?! and |,).)+", need.text):
        inside = pieces(clause[0])
        verbs = frozenset(p.key for p in inside if p.kind in (Kind.WORD, Kind.NAME))
        yield from ((verbs, p.key) for p in inside if p.kind is Kind.ID)
