"""What speaks for an earlier turn being a source of prose: the rules, a user, the assistant."""

from __future__ import annotations

import math
from functools import cached_property

from tokengeist.attribution.blend.cues import (
    CONCLUSION,
    INFORMATION,
    LABEL,
    NOW,
    QUESTION,
    agreement,
)
from tokengeist.attribution.blend.dates import today
from tokengeist.attribution.blend.figures import Place
from tokengeist.attribution.blend.need import share
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.prose_users import UsersBehindProse
from tokengeist.attribution.blend.scene import Features, compares, match_rule
from tokengeist.attribution.blend.workings import may_account
from tokengeist.transcript import Role


class ProseFeatures(UsersBehindProse):
    """For prose: what the assistant says, thinks, or writes into a summary."""

    def _system(self, page: Page) -> Features:
        covered = match_rule(page, self.need)
        rule = self.need.states_rule
        return {
            "states_rule": rule,
            "states_rule_only": rule and not self.hard,
            "rule_match": covered,
            "rule_match_stated": covered * rule,
            "told": self.scene.told_best,
            "thought_through": self.scene.thought_best,
            "change_reported": self.scene.reports_change,
            "concludes": CONCLUSION.search(self.need.text) is not None,
            "may_account": may_account(page, self.need),
            "explains_failure": self.scene.follows_failure,
            "values_only": share(
                [i for i in self.hard if self._told(i) == [page.index]], self.hard
            ),
            "derived": self.scene.is_derived_from(page),
            "works_with": self._works_with(page),
            "tells_today": NOW.search(self.need.text) is not None and today(page) is not None,
            "words_only": share(
                [i for i in self.soft if self._told(i) == [page.index]], self.need.items
            ),
        }

    def _user(self, page: Page) -> Features:
        scene, turn = self.scene, page.index
        is_latest = turn == scene.latest_user
        answers = is_latest and turn == self.need.turn - 1
        rule = self.need.states_rule
        described = scene.describes(turn)
        asks = INFORMATION.search(page.text) is not None
        return {
            "passage": scene.passages[turn],
            "answered": answers,
            "answered_by_rule": answers and rule,
            "answered_by_sum": answers and self._is_worked_out,
            "compares": self._is_choice and compares(page),
            "compares_last": self._is_choice and turn == self._last_comparison,
            "describes_record_last": described["describes_record_last"],
            "describes_record_now": is_latest * described["describes_record"],
            "recited": answers * scene.rule,
            "context_match": self._context_match(page),
            "wished": scene.retells * scene.passages[turn],
            "agrees": agreement(page.text),
            **self._use(page),
            "change_reported": scene.reports_change,
            **self._derived(page),
            "works_with": self._works_with(page),
            "proposed_as_said": turn == self._proposed_as_said,
            "asks_information": asks * scene.passages[turn],
            "asked_for_value": is_latest
            and "?" in page.text
            and self._is_looked_up
            and not scene.is_derived_from(page),
            "said_first": share([i for i in self.soft if i.first == turn], self.soft),
            "values_best": share([i for i in self.hard if i.best == turn], self.hard),
        }

    @cached_property
    def _proposed_as_said(self) -> int:
        """The user who said what a detail of a proposal is: `**Cabin:** Economy`."""
        if any(i.piece.number is not None for i in self.hard):
            return -1
        detail = LABEL.search(self.need.text) is not None
        if not detail or QUESTION.search(self.book.pages[self.need.turn].text) is None:
            return -1
        said = {user: self.scene.passages[user] for user in self.scene.users}
        best = max(said.values(), default=0.0)
        return max((user for user in said if said[user] == best), default=-1) if best else -1

    @cached_property
    def _is_worked_out(self) -> bool:
        """A figure of the target stands nowhere before: it was worked out here."""
        return any(i.piece.number is not None and not i.holders for i in self.hard)

    @cached_property
    def _is_looked_up(self) -> bool:
        """A result holds a value of the target, or it was worked out from one."""
        turns = {place.turn for place in self._operands} | {item.best for item in self.hard}
        return any(t is not None and self.book.pages[t].role is Role.TOOL for t in turns)

    @cached_property
    def _is_choice(self) -> bool:
        """A value is one of several that a result offers, so something told them apart."""
        for item in self.scene.from_results:
            page = self.book.pages[item.best or 0]
            inside = any(
                r.is_nested and r.start <= p.start < r.end
                for p in page.occurrences(item.keys, item.piece.unit)
                for r in page.records
            )
            if inside and item.alternatives >= 4:
                return True
        return any(self._is_offered(place.turn, place.start) for place in self._operands)

    @cached_property
    def _operands(self) -> list[Place]:
        return [p for i in self.need.items if i.derivation for p in i.derivation.places]

    def _is_offered(self, turn: int, position: int) -> bool:
        page = self.book.pages[turn]
        held = page.field_at(position)
        if held is None or page.role is not Role.TOOL:
            return False
        return sum(f.key == held.key for f in page.fields) >= 4

    @cached_property
    def _last_comparison(self) -> int:
        return max((u for u in self.scene.users if compares(self.book.pages[u])), default=-1)

    def _assistant(self, page: Page) -> Features:
        turn, passage = page.index, self.scene.passages[page.index]
        own = [
            item
            for item in self.hard
            if turn in item.holders
            and all(self.book.pages[t].role is Role.ASSISTANT for t in item.holders)
        ]
        return {
            "only_here": share(own, self.hard),
            "passage": passage,
            "words_first_here": share([i for i in self.soft if i.first == turn], self.soft),
            "computed_here": any(i.first == turn for i in own if i.piece.number is not None),
            "retold": self._retold(page),
            "goes_on_from": self._is_worked_out and turn in self._figures_beside,
            "thought": page.is_thinking and turn > self.scene.latest_user and passage,
            "says_much": math.log1p(len(page.pieces)),
            "derived": self.scene.is_derived_from(page),
        }

    @cached_property
    def _figures_beside(self) -> set[int]:
        """The assistant turns that worked out a figure which stands around the target.

        `£147.20`, `£254.60` and `£25.20`, each reckoned before, make `£427.00` in all.
        """
        found: set[int] = set()
        for piece in self.book.pages[self.need.turn].pieces:
            if piece.number is None or piece.number < 10 or piece.key not in self.need.context:
                continue
            holders = [self.book.pages[turn] for turn in self.book.holders(piece, self.need.turn)]
            if all(page.role is Role.ASSISTANT for page in holders):
                found.update(p.index for p in holders[:1] if piece.key in p.prose_keys)
        return found

    def _retold(self, page: Page) -> float:
        """How much more of the target the first assistant turn to say it holds than anyone else."""
        if self._first_to_say != page.index:
            return 0.0
        return max(0.0, self.scene.passages[page.index] - self._told_best)

    @cached_property
    def _told_best(self) -> float:
        """The same for the best sentence or record of anyone else."""
        pages = self.book.pages[: self.need.turn]
        return max(
            (self.scene.passages[p.index] for p in pages if p.role is not Role.ASSISTANT),
            default=0.0,
        )

    @cached_property
    def _first_to_say(self) -> int | None:
        """The first assistant turn with about as much of the target as any."""
        passages = {
            p.index: self.scene.passages[p.index]
            for p in self.book.pages[: self.need.turn]
            if p.role is Role.ASSISTANT
        }
        most = max(passages.values(), default=0.0)
        return next((turn for turn, found in passages.items() if found >= 0.9 * most), None)
