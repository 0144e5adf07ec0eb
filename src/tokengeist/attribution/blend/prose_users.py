"""What was made of a user's turn before prose was written that may rest on it.

What was passed to a call is in the prose by way of the call's result; what was told and not passed
on must have gone in directly.
"""

from __future__ import annotations

import math
from functools import cached_property

from tokengeist.attribution.blend.need import Item, share
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.attribution.blend.prose_results import ResultsBehindProse
from tokengeist.attribution.blend.scene import Features
from tokengeist.transcript import Role


class UsersBehindProse(ResultsBehindProse):
    """The part of the features of prose that is about how far users' turns were dealt with."""

    def _use(self, page: Page) -> Features:
        turn = page.index
        told = math.log1p(self._count_unused(page))
        back = self._turns_back(turn)
        goes_on = turn == self.scene.latest_user and turn in self._acted_on
        return {
            "gave_id": turn in self._gave_id and not self.scene.is_derived_from(page),
            "acted_on": turn in self._acted_on,
            "tells_much": told,
            "tells_unexplained": goes_on * told * self._unexplained,
            "said_alone": share(
                [i for i in self.need.items if self._said(i) == [turn]], self.need.items
            ),
            "turns_back": back,
            "handed_on": back * self._is_handed_on,
        }

    def _count_unused(self, page: Page) -> int:
        """How much a turn tells, rather than asks, that no call since was made with."""
        passed = self._passed_since[page.index]
        return sum(
            passed.isdisjoint(piece.keys)
            for start, end in page.sentences
            if "?" not in page.text[end - 2 : end]
            for piece in page.between(start, end)
        )

    @cached_property
    def _passed_since(self) -> dict[int, frozenset[str]]:
        """For every user turn, what the calls since were made with."""
        return {
            user: frozenset().union(
                *(self.book.argument_keys(t) for t in self.scene.results if t > user)
            )
            for user in self.scene.users
        }

    @cached_property
    def _gave_id(self) -> set[int]:
        """The users who gave an id that a call since was made with.

        That is what their turn was for: what was found by the id comes from the result.
        """
        return {
            user
            for user, passed in self._passed_since.items()
            if any(
                piece.kind is Kind.ID and not passed.isdisjoint(piece.keys)
                for piece in self.book.pages[user].pieces
            )
        }

    @cached_property
    def _acted_on(self) -> set[int]:
        """The users after whom something was looked up or done before the next one spoke."""
        users = self.scene.users
        return {max((u for u in users if u < t), default=-1) for t in self.scene.results}

    def _turns_back(self, turn: int) -> float:
        """How many users' turns ago it was; to give an id that was asked for takes up nothing."""
        since = (user for user in self.scene.users if user > turn)
        return math.log1p(sum(user not in self._gave_id for user in since))

    def _said(self, item: Item) -> list[int]:
        """The users who said a piece of the target."""
        return [t for t in item.holders if self.book.pages[t].role is Role.USER]

    @property
    def _unexplained(self) -> float:
        """How much of the target is in no one turn, nor in a rule."""
        return 1.0 - min(1.0, max(self.scene.best_passage, self.scene.rule))

    @property
    def _is_handed_on(self) -> bool:
        """The target is in what is written for somebody else, who was told nothing yet."""
        return bool(self.need.calls) and not self.book.pages[self.need.turn].is_thinking
