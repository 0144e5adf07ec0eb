"""What both kinds of features look at: the conversation as it stood when the target was written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

from tokengeist.attribution.blend.book import Book, Freshness
from tokengeist.attribution.blend.cues import COMPARISON, COMPLETION, FAILURE, WISH
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.origins import alternatives, id_words
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import BASE_WEIGHT, Kind, Piece
from tokengeist.attribution.blend.selection import marks
from tokengeist.transcript import Role

Features = dict[str, float]
_FULL_DESCRIPTION = 4.0
"""What a user's words for a record must tell apart to be a full description."""


class Scene:
    """A need among the turns before it."""

    def __init__(self, book: Book, need: Need) -> None:
        self.book = book
        self.need = need
        self.turn = need.turn
        self.users = book.roles(Role.USER, need.turn)
        self.results = book.roles(Role.TOOL, need.turn)
        self.latest_user = self.users[-1] if self.users else -1
        self.latest_result = self.results[-1] if self.results else -1
        self.has_derived = any(item.derivation for item in need.items)

    @cached_property
    def candidates(self) -> list[Page]:
        """The earlier turns that can be a source: not empty, not the echo of a thought.

        Of prose, nor what was looked up again for it.
        """
        renewed = self.book.renewed(self.turn) if self.need.is_prose else ()
        pages = [p for p in self.book.pages[: self.turn] if p.text.strip()]
        return [p for p in pages if p.index not in renewed and not self._is_idle(p)]

    def _is_idle(self, page: Page) -> bool:
        if page.role is not Role.TOOL:
            return False
        found = self.book.caller(page.index)
        return found is not None and found[0].is_thinking

    def is_derived_from(self, page: Page) -> bool:
        return self.has_derived and any(i.derived_from(page.index) for i in self.need.items)

    @cached_property
    def from_results(self) -> list[Item]:
        """The hard items that stand best in a tool result, with what it offered beside them."""
        found = []
        for item in self.need.hard:
            if item.best is None or self.book.pages[item.best].role is not Role.TOOL:
                continue
            item.alternatives = max(1, len(alternatives(self._source(item), item)))
            found.append(item)
        return found

    def _source(self, item: Item) -> Page:
        origin = item.origin if self.need.calls else None
        if origin is not None and self.book.pages[origin].role is Role.TOOL:
            return self.book.pages[origin]
        return self.book.pages[item.best or 0]

    @cached_property
    def _choices(self) -> list[dict[str, float]]:
        """For each value taken from a result that offers others, what sets it apart."""
        places = [
            (self._source(item), found.start, item)
            for item in self.from_results
            if item.alternatives > 1
            for found in _in_fields_first(self._source(item), item)[:1]
        ]
        for item in self.need.items:
            for place in item.derivation.places if item.derivation else ():
                page = self.book.pages[place.turn]
                if page.role is Role.TOOL:
                    places.append((page, place.start, item))
        found = []
        for page, position, item in places:
            apart = dict.fromkeys(id_words(item, shortest=2), 1.0) | marks(page, position)
            passed = self.book.argument_keys(page.index)  # said once, to find the record
            for key in (*passed, *item.keys):
                apart.pop(key, None)
            if apart:
                found.append(apart)
        return found

    @cached_property
    def _descriptions(self) -> dict[int, tuple[float, float, float]]:
        """For every user turn, how much it says of what sets a chosen record apart from others.

        All of it, and as a share of what all users say: that which nobody said before, and that
        which nobody said again later.
        """
        best = dict.fromkeys(self.users, (0.0, 0.0, 0.0))
        for apart in self._choices:
            said = {u: apart.keys() & self.book.pages[u].keys for u in self.users}
            first = {key: user for user in reversed(self.users) for key in said[user]}
            last = {key: user for user in self.users for key in said[user]}
            total = sum(apart[key] for key in sorted(first))
            for user, keys in said.items():
                if keys:
                    mine = sorted(keys)
                    known = best[user]
                    best[user] = (
                        max(known[0], sum(apart[key] for key in mine)),
                        max(known[1], sum(apart[k] for k in mine if first[k] == user) / total),
                        max(known[2], sum(apart[k] for k in mine if last[k] == user) / total),
                    )
        return best

    def describes(self, user: int) -> Features:
        """How much a user turn says of what sets the chosen records apart from others."""
        found, first, last = self._descriptions[user]
        return {
            "describes_record": min(1.0, found / _FULL_DESCRIPTION),
            "describes_record_first": first,
            "describes_record_last": last,
        }

    @cached_property
    def latest_user_is_spent(self) -> bool:
        """Whether an earlier call since then has used what the latest user turn brought in."""
        user = self.latest_user
        return user >= 0 and any(
            piece.kind in (Kind.ID, Kind.NUMBER, Kind.DATE, Kind.NAME, Kind.CODE)
            and self.book.first_holder(piece.key) == user
            for page in self.book.pages[user + 1 : self.turn]
            if page.role is Role.ASSISTANT and page.calls
            for piece in page.pieces
        )

    @cached_property
    def sentences(self) -> str:
        """The sentences that the target is part of."""
        page = self.book.pages[self.turn]
        spans = self.need.spans
        homes = [page.home(span.start) for span in spans] if self.need.is_prose else []
        return " ".join((self.need.text, *(page.text[start:end] for start, end in homes)))

    @cached_property
    def retells(self) -> bool:
        """The target is in what is handed on or noted, or says what the user wants or has said."""
        return bool(self.need.calls) or WISH.search(self.sentences) is not None

    @cached_property
    def reports_change(self) -> bool:
        """The target says that something was done, and the latest result is of a change."""
        return (
            COMPLETION.search(self.sentences) is not None
            and self.latest_result > self.latest_user
            and self.book.freshness[self.latest_result] is Freshness.OF_A_CHANGE
        )

    @cached_property
    def follows_failure(self) -> bool:
        """A call since the latest user turn has just failed."""
        result = self.latest_result
        return result > self.latest_user and FAILURE.match(self.book.pages[result].text) is not None

    @cached_property
    def passages(self) -> dict[int, float]:
        """For every turn, the share of the need that its best sentence or record holds."""
        return {p.index: self.best_of(p, p.passages) for p in self.book.pages[: self.turn]}

    @cached_property
    def best_passage(self) -> float:
        return max(self.passages.values(), default=0.0)

    @cached_property
    def said_best(self) -> float:
        """The same for the best turn but the rules: more than the whole is no more than it."""
        pages = (p for p in self.book.pages[: self.turn] if p.role is not Role.SYSTEM)
        return min(1.0, max((self.passages[page.index] for page in pages), default=0.0))

    @cached_property
    def thought_best(self) -> float:
        """The same for the best thought since the latest user turn."""
        thoughts = (p for p in self.book.pages[self.latest_user + 1 : self.turn] if p.is_thinking)
        return max((self.passages[page.index] for page in thoughts), default=0.0)

    def best_of(self, page: Page, places: Iterable[tuple[int, int]]) -> float:
        """The share of the need that the best of some places of a turn holds."""
        wanted: dict[str, float] = {}
        for item in self.need.items:
            if page.index in item.holders:
                wanted.update(dict.fromkeys(item.keys, item.weight))
        if not wanted:
            return 0.0
        best = 0.0
        for start, end in places:
            keys = page.keys_between(start, end) & wanted.keys()
            if keys:
                found = sum(wanted[k] for k in sorted(keys)) / self.need.weight
                best = max(best, found - 0.002 * len(page.between(start, end)))
        return best

    @cached_property
    def rule(self) -> float:
        """The share of the need that the best sentence of a system turn covers."""
        pages = [p for p in self.book.pages[: self.turn] if p.role is Role.SYSTEM]
        return max((match_rule(page, self.need) for page in pages), default=0.0)


def _in_fields_first(page: Page, item: Item) -> list[Piece]:
    """Where an item stands on a page; as a field's value before as the name of a record."""
    found = page.occurrences(item.keys, item.piece.unit)
    return sorted(found, key=lambda piece: page.field_at(piece.start) is None)


def match_rule(page: Page, need: Need) -> float:
    """How much of a need one sentence of a text covers; words rare in that text count more.

    An id counts as a word that it does not have: rules are not about one thing.
    """
    weights = {
        i.piece.key: 1.0 if i.piece.kind is Kind.ID else BASE_WEIGHT[i.piece.kind]
        for i in need.items
    }
    if not weights:
        return 0.0
    passages = [page.keys_between(*span) for span in page.sentences or [(0, len(page.text))]]
    total, rarity = 0.0, {}
    for key, weight in weights.items():
        holding = sum(key in keys for keys in passages)
        if holding:
            rarity[key] = weight * math.log(1 + len(passages) / holding)
            total += rarity[key]
        else:
            total += weight * math.log(1 + len(passages)) * 0.7
    covered = (sum(found for key, found in rarity.items() if key in keys) for keys in passages)
    return max(covered) / total


def compares(page: Page) -> bool:
    """Whether a turn asks for the most, the least, more or less of something."""
    return COMPARISON.search(page.text) is not None
