"""The text of a source that a target rests on, as tight as a person would quote it.

A field with its key; the fields of one record, or of neighbouring ones, as one stretch; the clause
of a sentence that holds what is needed; the sentence of the rules that was applied.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.cues import (
    AGREEMENT,
    CHOICE,
    GO_AHEAD,
    NOW,
    PROHIBITION,
)
from tokengeist.attribution.blend.dates import today
from tokengeist.attribution.blend.field_evidence import field_evidence, join
from tokengeist.attribution.blend.meaning import Meaning
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.origins import id_words, record_keys
from tokengeist.attribution.blend.page import Page, sentences, word_pairs
from tokengeist.attribution.blend.pieces import BASE_WEIGHT, Kind, Piece, name_keys
from tokengeist.attribution.blend.premises import Premises
from tokengeist.attribution.blend.selection import picked
from tokengeist.attribution.blend.workings import gives, workings
from tokengeist.transcript import Role, Span

_SHORT = 8
"""A turn of up to so many words is quoted whole."""
_LONG_SENTENCE = 18
_FEW = 2
"""So many words are no clause of their own."""
_LONG_FIELD = 80
_PHRASE = 0.4
"""How much two words in a row count that target and rule share, small words included: `user id`,
`at any time` are made of nothing else."""
_NEARBY = 0.4
"""How much a word around the target counts for a rule: `so 20 in all` says little of which."""
_LIKENESS = 2.0
"""How much likeness in meaning counts beside shared words when a rule is looked for."""


def evidence(
    book: Book, need: Need, page: Page, meaning: Meaning | None = None
) -> tuple[Span, ...]:
    """What of a page speaks for its being a source of the need."""
    if need.is_prose and page.role is not Role.SYSTEM and not any(_matches(need, page)):
        need = _said_beside(book, need, page)
    if not page.calls and not page.records and len(page.text.split()) <= _SHORT:
        return (_trimmed(page.text, 0, len(page.text)),)
    if page.is_structured and not _is_told_in_prose(need, page):
        return field_evidence(book, need, page)
    if page.calls:
        arguments = _arguments(need, page)
        if arguments:
            return arguments
    if page.role is Role.TOOL and not need.is_prose:
        taken = _taken_over(need, page)
        if taken:
            return taken
    if page.role is Role.SYSTEM:
        return (_rule(need, page, meaning.sentences(need, page) if meaning else ()),)
    return _clauses_needed(book, need, page)


def _said_beside(book: Book, need: Need, page: Page) -> Need:
    """What stands beside a need of which a page holds nothing, as far as it is from there."""
    if page.role is Role.TOOL:
        premises = Premises(book, need).need
        return premises if any(_matches(premises, page)) else need
    beside = workings(book, need)
    return beside if beside and gives(beside, page.index) else need


def _is_told_in_prose(need: Need, page: Page) -> bool:
    """Whether the sentences around a tool's fields hold more of the need than the fields do."""
    if not page.sentences:
        return False
    told, named = set[str](), set[str]()
    for item, piece in _matches(need, page):
        (named if page.field_at(piece.start) else told).add(item.piece.key)
    return sum(need.weights[k] for k in told) > sum(need.weights[k] for k in named)


def _matches(need: Need, page: Page) -> Iterator[tuple[Item, Piece]]:
    """Every piece of a page that a needed item stands in or was worked out from."""
    for item in need.items:
        if page.index in item.holders:
            for piece in page.occurrences(item.keys, item.piece.unit):
                yield item, piece
        for place in item.derivation.places if item.derivation else ():
            if place.turn == page.index:
                for piece in page.pieces:
                    if piece.start == place.start:
                        yield item, piece


def _arguments(need: Need, page: Page) -> tuple[Span, ...]:
    """The arguments of a call that were taken over; of a long one, the sentence."""
    found: dict[Span, dict[str, float]] = {}
    for item, piece in _matches(need, page):
        if piece.start < page.prose_end:
            continue
        held = page.field_at(piece.start)
        if held is None:
            continue
        span = Span(held.start, held.end)
        if held.end - held.value_start >= _LONG_FIELD:
            span = _sentence_of(page.text, Span(held.value_start + 1, held.end - 1), piece.start)
        found.setdefault(span, {})[item.piece.key] = item.weight
    if len(found) > 3 and any(len(span) > _LONG_FIELD for span in found):
        return (max(found, key=lambda span: sum(found[span].values())),)
    return join(found, 3)


def _taken_over(need: Need, page: Page) -> tuple[Span, ...]:
    """The ids and paths that a call took from running text, if it took nothing else."""
    own = [item for item in need.hard if item.origin == page.index]
    spans = []
    for item in own:
        found = page.occurrences(item.keys)
        if item.piece.kind is not Kind.ID or not found:
            return ()
        spans.append(Span(found[0].start, found[0].end))
    return join(spans, 3)


def _sentence_of(text: str, within: Span, position: int) -> Span:
    for start, end in sentences(text, within.start, within.end):
        if start <= position < end:
            return Span(start, end)
    return within


def _rule(need: Need, page: Page, likeness: Sequence[float] = ()) -> Span:
    """The sentence of a rule text that was applied, and of a long one the clauses that matter.

    `likeness` says how alike in meaning each sentence is, where that is known.
    """
    phrases = word_pairs(need.text)
    passages = [
        (s, e, page.keys_between(s, e), phrases & pairs)
        for (s, e), pairs in zip(page.sentences, page.sentence_pairs, strict=True)
    ]
    frequency = Counter(chain.from_iterable(keys for _, _, keys, _ in passages))
    common = Counter(chain.from_iterable(shared for *_, shared in passages))
    wanted = {key: BASE_WEIGHT[item.piece.kind] for item in need.items for key in item.keys}
    for _, piece in _matches(need, page):
        wanted.setdefault(piece.key, BASE_WEIGHT[piece.kind])
    around = need.context - wanted.keys()
    nearby = {p.key: _NEARBY * BASE_WEIGHT[p.kind] for p in page.pieces if p.key in around}
    forbids = PROHIBITION.search(need.text) is not None
    dated = today(page) if NOW.search(need.text) else None
    told = page.home(dated[0].start) if dated else None
    if told and not need.states_rule:
        return _trimmed(page.text, *told)
    weights = nearby | wanted
    scores = []
    for start, end, keys, shared in passages:
        hits = sorted(keys & weights.keys())
        score = sum(weights[k] * math.log(1 + len(passages) / frequency[k]) for k in hits)
        score *= 1 + 0.2 * (forbids and PROHIBITION.search(page.text, start, end) is not None)
        score += _PHRASE * sum(math.log(1 + len(passages) / common[p]) for p in sorted(shared))
        score /= (8 + len(page.text[start:end].split())) ** 0.2
        scores.append(score)
    most = max(scores, default=0.0)
    if likeness:
        shares = [score / most if most else 0.0 for score in scores]
        scores = [s + _LIKENESS * alike for s, alike in zip(shares, likeness, strict=True)]
    best = max(range(len(scores)), key=lambda n: scores[n], default=0)
    start, end = told or (0, min(len(page.text), 100))
    if scores and scores[best] > 0:
        start, end = page.sentences[best]
    if (start, end) != told and len(page.text[start:end].split()) > _LONG_SENTENCE:
        start, end = _densest_clauses(page, frozenset(wanted), start, end)
    return _trimmed(page.text, start, end)


_FINE_CLAUSE = re.compile(r",\s+(?:and|but|so|because|since|which|as)\s|[;:]\s|,\s")
_CLAUSE = re.compile(
    r",\s+(?:(?:and|but|so|because|since|which|or|as)\s)?"
    r"|;\s|\s[—–]\s|\s(?:but|because|so that)\s|\.\s"
)


def _split(text: str, pattern: re.Pattern[str], start: int, end: int) -> list[tuple[int, int]]:
    cuts = [start]
    for match in pattern.finditer(text, start, end):
        cuts += match.span()
    cuts.append(end)
    pairs = zip(cuts[::2], cuts[1::2], strict=True)
    return [(first, last) for first, last in pairs if last > first]


def _clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The clauses of a sentence; a word or two go with what they follow: `in Denver, 80280`."""
    found: list[tuple[int, int]] = []
    for first, last in _split(text, _CLAUSE, start, end):
        if found and len(text[first:last].split()) <= _FEW:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _densest_clauses(page: Page, wanted: frozenset[str], start: int, end: int) -> tuple[int, int]:
    """The run of clauses that holds most of what is wanted in fewest words."""
    clauses = _split(page.text, _FINE_CLAUSE, start, end)
    best, chosen = -1.0, (start, end)
    for i, (first, _) in enumerate(clauses):
        for _, last in clauses[i:]:
            hits = {p.key for p in page.between(first, last)} & wanted
            words = len(page.text[first:last].split())
            density = 2 * len(hits) / (len(wanted) + 0.1 * words)
            if density > best + 1e-9:
                best, chosen = density, (first, last)
    return chosen


def _clauses_needed(book: Book, need: Need, page: Page) -> tuple[Span, ...]:
    """The clauses of prose that hold what is needed, from up to three sentences."""
    weights = _wanted(book, need, page)
    users = book.roles(Role.USER, need.turn)
    confirms = need.is_change and bool(users) and page.index == users[-1]
    scored = []
    for start, end in page.sentences or [(0, len(page.text))]:
        keys = {p.key for p in page.between(start, end)} & weights.keys()
        score = sum(weights[key] for key in sorted(keys))
        if page.role is Role.USER:
            text = page.text[start:end]
            score += 1.5 * (confirms and GO_AHEAD.search(text) is not None)
            score += 0.3 * bool(CHOICE.search(text)) + 0.2 * ("?" in text and need.is_prose)
        if score > 0:
            scored.append((score, start, end, keys))
    if not scored:
        return (_nothing_matches(page),)
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    chosen, covered = scored[:1], set(scored[0][3])
    for entry in scored[1:]:
        new = entry[3] - covered
        if len(chosen) < 3 and sum(weights[k] for k in sorted(new)) > 0.5 * scored[0][0]:
            chosen.append(entry)
            covered |= new
    spans = []
    for _, start, end, _ in chosen:
        hit = [
            (first, last)
            for first, last in _clauses(page.text, start, end)
            if any(p.key in weights for p in page.between(first, last))
        ]
        first, last = (hit[0][0], hit[-1][1]) if hit else (start, end)
        spans.append(_trimmed(page.text, first, last))
    return join(spans, 3)


def _wanted(book: Book, need: Need, page: Page) -> dict[str, float]:
    """What to look for in a page, and how much it matters."""
    matched = list(_matches(need, page))
    if page.role in (Role.ASSISTANT, Role.TOOL) and not need.is_prose:
        own = [(i, p) for i, p in matched if page.index in (i.origin, i.decided)]
        matched = own or matched
    weights: dict[str, float] = {}
    for item, piece in matched:
        weights[piece.key] = max(weights.get(piece.key, 0.0), item.weight)
    weak: set[str] = set() if weights else set(need.context | need.tool_words)
    described: set[str] = set()
    for item in need.hard if page.role is Role.USER and not need.is_prose else ():
        if item.origin == page.index:
            continue
        described |= name_keys(item.argument) | id_words(item)
        if page.index - 1 in item.holders:
            described |= picked(book.pages[page.index - 1], page, item.keys)
        if item.alternatives > 1 and item.origin is not None:
            described |= record_keys(book.pages[item.origin], item)
    for keys, weight in ((described, 0.6), (weak, 0.3)):
        for key in sorted(keys & page.keys):
            weights.setdefault(key, weight)
    return weights


def _nothing_matches(page: Page) -> Span:
    """A reply's yes, else its longest sentence."""
    places = page.sentences or [(0, len(page.text))]
    yes = AGREEMENT.search(page.text) or GO_AHEAD.search(page.text)
    holding = [(s, e) for s, e in places if yes and s <= yes.start(1) < e]
    start, end = holding[0] if holding else max(places, key=lambda place: place[1] - place[0])
    return _trimmed(page.text, start, end)


def _trimmed(text: str, start: int, end: int) -> Span:
    """Without white space at the ends, nor the full stop."""
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = max(left, end - len(piece) + len(piece.rstrip()))
    if right - left > 1 and text[right - 1] in ".!,;:" and len(piece.split()) > 1:
        right -= 1
    return Span(left, right)
