"""How a statement names the field that it speaks of: by its key, or by the record that it is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tokengeist.attribution.blend.fields import Field
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import name_keys, stem
from tokengeist.attribution.blend.quantities import UNITS

UNIT_KEYS = frozenset(f"w:{stem(word)}" for word in UNITS)
"""The keys of words for units, which name no field."""
_ROOT = len("w:expir")
"""Words that begin alike for so long have one root."""
_PARENT = re.compile(r"[\"']?([\w -]+?)[\"']?\s*:\s*$")
_BEFORE = 40


def akin(one: str, other: str) -> bool:
    """Whether the keys of two words are those of one root: of `expires` and `expiry`."""
    return one == other or (len(one) >= _ROOT and one[:_ROOT] == other[:_ROOT])


def spoken(names: Iterable[str], words: Iterable[str]) -> frozenset[str]:
    """The names that a text gives, in some form of the word."""
    given = frozenset(words)
    roots = {word[:_ROOT] for word in given if len(word) >= _ROOT}
    return frozenset(n for n in names if n in given or (len(n) >= _ROOT and n[:_ROOT] in roots))


def parent_names(page: Page, field: Field) -> frozenset[str]:
    """The keys of the name under which the record of a field stands."""
    if not 0 <= field.record < len(page.records):
        return frozenset()
    start = page.records[field.record].start
    named = _PARENT.search(page.text, max(0, start - _BEFORE), start)
    return name_keys(named[1]) if named else frozenset()
