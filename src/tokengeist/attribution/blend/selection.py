"""What tells a value's record apart from the others beside it, and so who may have chosen it.

A result offers several orders, variants or rows. A user who says `the red one` has chosen a record
if `red` stands in it and not in all of its neighbours. In plain text sentences are the records.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from tokengeist.attribution.blend.page import FieldView, Page
from tokengeist.attribution.blend.pieces import Kind, name_keys
from tokengeist.transcript import Role

_LARGEST = 1500
_MOST_COLUMNS = 12


def marks(page: Page, position: int) -> dict[str, float]:
    """The keys that set what stands at a position apart, and how much each of them does so."""
    found: dict[str, float] = {}
    for home, family in _families(page, position):
        if home[1] - home[0] > _LARGEST:
            continue
        sizes = {place: page.keys_between(*place) for place in family}
        for key in sizes[home]:
            sharing = sum(key in keys for keys in sizes.values())
            if sharing < len(family):
                found[key] = max(found.get(key, 0.0), math.log((len(family) + 1) / sharing))
    for key, apart in _called(page, position).items():
        found.setdefault(key, apart)
    return found


def is_identified(page: Page, position: int, said: frozenset[str]) -> bool:
    """Whether what somebody said fits the record at a position better than any beside it."""
    for home, family in _families(page, position):
        hits = {place: len(said & page.keys_between(*place)) for place in family}
        if all(hits[place] < hits[home] for place in family if place != home):
            return True
    return False


_Place = tuple[int, int]


def neighbours(page: Page, position: int) -> tuple[_Place | None, tuple[_Place, ...]]:
    """The innermost record around a position that has others beside it, and all of them."""
    return next(iter(list(_families(page, position))[::-1]), (None, ()))


def _families(page: Page, position: int) -> Iterator[tuple[_Place, tuple[_Place, ...]]]:
    """Every passage around a position that has neighbours of its kind, with all of them."""
    around = [r for r in page.records if r.start <= position < r.end]
    if not around:
        told = next((s for s in page.sentences if s[0] <= position < s[1]), None)
        if told and len(page.sentences) > 1:
            yield told, tuple(page.sentences)
        return
    for outer, home in pairwise((None, *around)):
        if home is None or not home.is_nested:
            continue
        low, high = (outer.start, outer.end) if outer else (0, len(page.text))
        inside = [r for r in page.records if r.is_nested and low <= r.start and r.end <= high]
        family, end = [], -1
        for record in inside:
            if record is not outer and record.start >= end:  # not inside the one before
                family.append((record.start, record.end))
                end = record.end
        if len(family) > 1:
            yield (home.start, home.end), tuple(family)


def picked(offer: Page, reply: Page, keys: tuple[str, ...]) -> frozenset[str]:
    """The words of a reply that an offer puts beside one of several values of a kind.

    `Monday then` picks the 17th from `Monday 17 March, or on Thursday 20 March`.
    """
    if offer.role is not Role.ASSISTANT:
        return frozenset()
    for found in offer.occurrences(keys):
        if found.start >= offer.prose_end:
            continue
        beside = offer.words_beside(found.kind)
        if beside.keys() <= set(keys):
            continue  # nothing to choose from
        mine = beside.get(found.key, set())
        others = {word for key, words in beside.items() if key not in keys for word in words}
        said = (mine - others) & reply.keys
        if said and not (others - mine) & reply.keys:
            return frozenset(said)
    return frozenset()


def _called(page: Page, position: int) -> dict[str, float]:
    """What a value is called that stands in a row of values of one kind, and how few others are.

    Prices by class, or numbers by the name of what has them: `{"Desk Lamp": "6817146515", ...}`.
    """
    row = row_at(page, position)
    mine = page.field_at(position)
    names = [name_keys(view.field.key) for view in row]
    return {
        key: math.log((len(row) + 1) / sum(key in others for others in names))
        for key in (name_keys(mine.key) if row and mine else ())
    }


def row_at(page: Page, position: int) -> list[FieldView]:
    """The values of one kind, each under a name of its own, that one stands among; none if alone.

    A few numbers are such a row, and any number of ids of one shape.
    """
    held = page.field_at(position)
    if held is None or held.record < 0:
        return []
    row = [view for view in page.views if view.field.record == held.record]
    inside = [piece for view in row for piece in view.pieces]
    kinds = {piece.kind for piece in inside}
    alike = kinds == {Kind.NUMBER} and len(row) <= _MOST_COLUMNS
    alike = alike or (kinds == {Kind.ID} and len({shape(piece.key) for piece in inside}) == 1)
    is_named = len(row) == len({view.field.key for view in row})
    return row if alike and is_named and len(row) > 1 else []


def shape(key: str) -> str:
    """`i:aa-9` of `i:px-4410`."""
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+", "9", key))
