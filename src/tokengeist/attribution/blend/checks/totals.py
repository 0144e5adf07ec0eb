"""Totals that are not those of what they add up, and differences that are sums."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tokengeist.attribution.blend.accounts import same
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.checks.findings import WRONG_VALUE, Finding, question, sentence
from tokengeist.attribution.blend.checks.subject import subjects
from tokengeist.attribution.blend.cues import COMPARISON
from tokengeist.attribution.blend.figures import Number
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.attribution.blend.quantities import MONEY, compatible
from tokengeist.attribution.blend.selection import marks
from tokengeist.transcript import Role, Span

_TOTAL = re.compile(
    r"""\b(?:total|sum|altogether|together|combined|in\ all|adds?\ up|(?:comes?|amounts?)\ to|owed?
    |(?:amount|balance)\ due|all\ of\ (?:it|them))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PAYS = re.compile(r"\b(?:pay|settle)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(r"\bdiffer", re.IGNORECASE)
_MOST_TERMS = 12
_YEARS = range(1900, 2101)


def wrong_total(book: Book, need: Need, item: Item) -> Finding | None:
    """A total or a difference that the listed amounts do not give."""
    if item.piece.number is None:
        return None
    said = need.text if need.calls else sentence(book, need)
    asked = question(book, need)
    if _DIFFERENCE.search(said):
        return _added_up(book, need, item)
    is_amount = item.is_hard or item.piece.unit == MONEY
    if "=" not in said and is_amount and (_TOTAL.search(said) or _TOTAL.search(asked)):
        return _left_out(book, need, item) or _another_total(book, need, item, said)
    return None


def _left_out(book: Book, need: Need, item: Item) -> Finding | None:
    """A total over the amounts of a list, but for one that no user told apart."""
    value = item.piece.number or 0.0
    lists = list(_lists(book, need, item))
    if any(same(sum(n.value for n in terms), value) for terms in lists):
        return None
    for terms in lists:
        total = sum(number.value for number in terms)
        missing = [number for number in terms if same(total - number.value, value)]
        if len(missing) != 1 or _is_spoken_of(book, need, missing[0]):
            continue
        if len(terms) == 2 and not _is_a_bill(book, need, terms):
            continue  # one of two amounts
        number = missing[0]
        span = Span(number.piece.start, number.piece.end)
        return Finding(WRONG_VALUE, f"{number.piece.text} is left out", ((number.turn, span),))
    return None


def _lists(book: Book, need: Need, item: Item) -> Iterator[list[Number]]:
    """The amounts of one name: of one result, and of all that were looked up together."""
    lists = _of_one_name(book, subjects(book, need), item)
    lists = lists or _of_one_name(book, book.roles(Role.TOOL, need.turn), item)
    yield from lists.values()
    recent = set(book.just_looked_up(need.turn))
    for key in dict.fromkeys(key for key, _ in lists):
        joined = [terms for (k, turn), terms in lists.items() if k == key and turn in recent]
        if len(joined) > 1:
            yield [number for terms in joined for number in terms]


def _of_one_name(
    book: Book, turns: Sequence[int], item: Item
) -> dict[tuple[str, int], list[Number]]:
    """By name and result, the amounts of some results that can be added up."""
    alike: dict[tuple[str, int], list[Number]] = defaultdict(list)
    for turn in turns:
        for number in book.pages[turn].numbers:
            if number.key and compatible(number.piece.unit, item.piece.unit):
                alike[number.key, turn].append(number)
    return {place: terms for place, terms in alike.items() if 2 <= len(terms) <= _MOST_TERMS}


def _is_a_bill(book: Book, need: Need, terms: Sequence[Number]) -> bool:
    """Whether two amounts were meant together: to be paid or totalled, and not to choose from."""
    users = book.roles(Role.USER, need.turn)[-1:]
    wished = " ".join(book.pages[user].text for user in users)
    if not _TOTAL.search(wished) and not _PAYS.search(wished):
        return False
    if COMPARISON.search(wished):
        return False
    for number in terms:
        page = book.pages[number.turn]
        home = page.home(number.piece.start)
        if any(piece.kind is Kind.ID for piece in page.between(*home)):
            return False
        if _is_spoken_of(book, need, number):
            return False
    return True


def _is_spoken_of(book: Book, need: Need, number: Number) -> bool:
    """Whether a user named the record of an amount lately, and may have wanted it left out."""
    page = book.pages[number.turn]
    found = marks(page, number.piece.start)
    most = max(found.values(), default=0.0)  # what is in no other record
    apart = {k for k, weight in found.items() if weight == most and not k.startswith("n:")}
    return any(apart & book.pages[u].keys for u in book.roles(Role.USER, need.turn)[-2:])


def _another_total(book: Book, need: Need, item: Item, said: str) -> Finding | None:
    """Called a total, made from nothing, and not that of the latest result's only amounts."""
    result = max(book.roles(Role.TOOL, need.turn), default=None)
    if result is None or item.holders or item.derivation or not _TOTAL.search(said):
        return None
    fit = [n for n in book.pages[result].numbers if compatible(n.piece.unit, item.piece.unit)]
    total = sum(number.value for number in fit)
    if len(fit) < 2 or len({number.key for number in fit}) > 1 or not fit[0].key:
        return None
    if all(number.value in _YEARS for number in fit):
        return None
    places = tuple((result, Span(n.piece.start, n.piece.end)) for n in fit)
    return Finding(WRONG_VALUE, f"the amounts make {total:g}", places)


def _added_up(book: Book, need: Need, item: Item) -> Finding | None:
    """A difference that is the sum of one field of two things, and the difference of none."""
    value = item.piece.number or 0.0
    alike: dict[str, list[Number]] = defaultdict(list)
    for turn in book.just_looked_up(need.turn):
        for number in book.pages[turn].numbers:
            if number.key:
                alike[number.key].append(number)
    pairs = [p for p in alike.values() if len(p) == 2 and p[0].turn != p[1].turn]
    if any(same(abs(one.value - other.value), value) for one, other in pairs):
        return None
    for one, other in pairs:
        if same(one.value + other.value, value):
            places = tuple((n.turn, Span(n.piece.start, n.piece.end)) for n in (one, other))
            return Finding(WRONG_VALUE, "added up, not subtracted", places)
    return None
