"""A transcript indexed: its turns as pages, and who holds what.

Built once per transcript; every question afterwards is a few dictionary look-ups. "Holding" a
piece means containing its key, whatever the wording.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from enum import IntEnum
from functools import cached_property

from tokengeist.attribution.blend.cues import QUESTION, agreement
from tokengeist.attribution.blend.page import Call, FieldView, Page, open_page
from tokengeist.attribution.blend.pieces import Kind, Piece, normal
from tokengeist.transcript import Role, Transcript

_LONG_ANSWER = 200
"""Shorter answers may be alike by chance: `ok`, `[]`."""
_FEW_IDS = 2
"""A call with more ids is about the first of them."""
_CALLED_ID = re.compile(r"(?:\b|_)id$|(?<=[a-z])I[dD]$", re.ASCII)
"""The end of the name of an argument that is an id, whatever it looks like."""


class Freshness(IntEnum):
    """Whether a tool result can be where a value came into the conversation."""

    NEW = 0
    REPEATED = 1
    """The same call was made before."""
    OF_A_CHANGE = 2
    """The call changed something, so the result mostly echoes what was known."""
    OF_NOTHING = 3
    """The call was to change something, and all is as it was: the same page once more."""


class Book:
    """A whole transcript, indexed."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.pages = [open_page(turn) for turn in transcript.turns]
        self._holders: dict[str, list[int]] = defaultdict(list)
        for page in self.pages:
            for key in page.keys:
                self._holders[key].append(page.index)

    def holders(self, piece: Piece, before: int) -> list[int]:
        """The turns before one that hold a piece, in the same unit if it has one, in order."""
        found = {t for key in piece.keys for t in self._holders.get(key, ()) if t < before}
        if piece.unit:
            found = {t for t in found if self.pages[t].occurrences(piece.keys, piece.unit)}
        return sorted(found)

    def turns_with(self, key: str, before: int) -> list[int]:
        """The turns before one that hold a key, in order."""
        found = self._holders.get(key, [])
        return found[: bisect_left(found, before)]

    def first_holder(self, key: str) -> int | None:
        """Where a key first stands."""
        return next(iter(self._holders.get(key, ())), None)

    def rarity(self, key: str, at: int) -> float:
        """How few turns up to `at` hold a key, on a logarithmic scale."""
        return scarcity(bisect_left(self._holders.get(key, ()), at + 1), at)

    def roles(self, role: Role, before: int) -> list[int]:
        """The turns of one role before a turn."""
        return [page.index for page in self.pages[:before] if page.role is role]

    def just_looked_up(self, turn: int) -> list[int]:
        """The results since the latest user turn before a turn: what was looked up for it."""
        users = self.roles(Role.USER, turn)
        return [t for t in self.roles(Role.TOOL, turn) if users and t > users[-1]]

    def renewed(self, before: int) -> set[int]:
        """The results of look-ups that were made again since the latest user turn before a turn.

        What is said now rests on what was looked up for it, even if it is the same once more.
        """
        users = self.roles(Role.USER, before)
        latest = users[-1] if users else -1
        earlier = {t: text for t, text in self._look_ups.items() if t < before}
        last = {text: t for t, text in earlier.items() if t > latest}
        return {t for t, text in earlier.items() if t < last.get(text, -1)}

    @cached_property
    def _look_ups(self) -> dict[int, str]:
        """For every result of a look-up, the call in plain words, in order."""
        found = {t: self.caller(t) for t in self.roles(Role.TOOL, len(self.pages))}
        return {
            t: normal(caller[1].span.of(caller[0].text))
            for t, caller in found.items()
            if caller and not caller[0].may_change(caller[1])
        }

    def caller(self, result: int) -> tuple[Page, Call] | None:
        """The call that a tool result answers."""
        site = self.transcript.call_sites.get(result)
        if site is None:
            return None
        page = self.pages[site.turn]
        return page, next(call for call in page.calls if call.span == site.span)

    def argument_keys(self, result: int) -> frozenset[str]:
        """What was passed to the call behind a result: in the result it is an echo, not news."""
        return self._argument_keys[result]

    @cached_property
    def _argument_keys(self) -> list[frozenset[str]]:
        return [frozenset(self._keys_passed(page.index)) for page in self.pages]

    def _keys_passed(self, result: int) -> Iterator[str]:
        for view in self.arguments(result):
            yield "v:" + normal(view.text)
            yield from (piece.key for piece in view.pieces)

    def arguments(self, result: int) -> Iterator[FieldView]:
        """The arguments of the call behind a result."""
        found = self.caller(result)
        if found is None:
            return
        page, call = found
        for view in page.views:
            if call.arguments <= view.field.value_start < call.end:
                yield view

    def is_about(self, result: int, key: str) -> bool:
        """Whether a result describes the one thing with that id: it was looked up by it."""
        return key in self.subjects[result]

    @cached_property
    def subjects(self) -> list[list[str]]:
        """For every result, the ids of what it is about: of many, an order and items, the first."""
        passed = (list(dict.fromkeys(self._ids_of_call(page.index))) for page in self.pages)
        return [ids if len(ids) <= _FEW_IDS else ids[:1] for ids in passed]

    def _ids_of_call(self, result: int) -> Iterator[str]:
        """What looks like an id, or is all of an argument that is called one: `PUNERT`."""
        for view in self.arguments(result):
            is_called_id = len(view.pieces) == 1 and _CALLED_ID.search(view.field.key)
            yield from (p.key for p in view.pieces if is_called_id or p.kind is Kind.ID)

    @cached_property
    def freshness(self) -> dict[int, Freshness]:
        """For every tool result."""
        found: dict[int, Freshness] = {}
        seen: set[str] = set()
        shown: set[str] = set()
        for result in self.roles(Role.TOOL, len(self.pages)):
            origin = self.caller(result)
            if origin is None:
                found[result] = Freshness.NEW
                continue
            page, call = origin
            text, told = normal(call.span.of(page.text)), self.pages[result].plain
            if page.may_change(call):
                same = len(told) > _LONG_ANSWER and told in shown
                found[result] = Freshness.OF_NOTHING if same else Freshness.OF_A_CHANGE
            else:
                found[result] = Freshness.REPEATED if text in seen else Freshness.NEW
            seen.add(text)
            shown.add(told)
        return found

    def agrees(self, turn: int) -> float:
        """How clearly a user turn says yes, half as much where nothing was asked."""
        page = self.pages[turn]
        if page.role is not Role.USER:
            return 0.0
        before = self.pages[turn - 1] if turn else None
        asked = (
            before is not None
            and before.role is Role.ASSISTANT
            and not before.calls
            and QUESTION.search(before.text) is not None
        )
        return agreement(page.text) * (1.0 if asked else 0.5)


def scarcity(holders: int, at: int) -> float:
    """The rarity of something that so many turns up to `at` hold."""
    return math.log((at + 2) / (holders + 0.5))
