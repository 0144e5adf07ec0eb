"""What speaks for an earlier turn being a source of prose: the rules, a user, the assistant."""

from __future__ import annotations

import math
from functools import cached_property

from tokengeist.attribution.blend.cues import CONCLUSION, INFORMATION, LABEL, NOW, QUESTION
from tokengeist.attribution.blend.dates import today
from tokengeist.attribution.blend.figures import Place
from tokengeist.attribution.blend.need import share
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.prose_users import UsersBehindProse
from tokengeist.attribution.blend.scene import Features, compares, match_rule
from tokengeist.attribution.blend.workings import may_account
from tokengeist.transcript import Role

_TELLING = 10
"""Smaller figures stand in many places by accident."""


class ProseFeatures(UsersBehindProse):
    """For prose: what the assistant says, thinks, or writes into a summary."""

    def _system(self, page: Page) -> Features:
        covered = match_rule(page, self.need)
        figures = any(item.piece.number is not None for item in self.hard)
        rule = self.need.states_rule
        return {
            "states_rule": rule,
            "rule_match": covered,
            "rule_match_stated": covered * rule,
            "premise_match": match_rule(page, self._premises.need),
            "said": self.scene.said_best,
            "figures": figures,
            "figures_ruled": figures * math.log1p(sum(bool(p.unit) for p in page.pieces)),
            "answers": self.scene.latest_user == self.need.turn - 1,
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
        described = scene.describes(turn)
        asking = (place for place in page.sentences if INFORMATION.search(page.text, *place))
        return {
            "passage": scene.passages[turn],
            "answered": answers,
            "answered_by_sum": answers and self._is_worked_out,
            "compares_last": self._is_choice and turn == self._last_comparison,
            "describes_record_last": described["describes_record_last"],
            "recited": answers * scene.rule,
            "context_match": self._context_match(page),
            "wished": scene.retells * scene.passages[turn],
            **self._use(page),
            "change_reported": scene.reports_change,
            **self._derived(page),
            "works_with": self._works_with(page),
            "asks_information": scene.best_of(page, asking),
            "proposed_as_said": turn == self._proposed_as_said,
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
            "new_figures": math.log1p(self._count_new_figures(page)),
            "goes_on_from": self._is_worked_out and turn in self._figures_beside,
            "thought": page.is_thinking and turn > self.scene.latest_user and passage,
            "says_much": math.log1p(len(page.pieces)),
            "ruled": self.scene.rule,
            "long_ago": math.log1p(self.need.turn - turn),
            **self._derived(page),
        }

    def _count_new_figures(self, page: Page) -> int:
        """How many figures a turn was the first to give: what it worked out is gone on with."""
        return sum(
            (piece.number or 0.0) >= _TELLING and self.book.first_holder(piece.key) == page.index
            for piece in page.pieces
        )

    @cached_property
    def _figures_beside(self) -> set[int]:
        """The assistant turns that worked out a figure which stands around the target.

        `£147.20`, `£254.60` and `£25.20`, each reckoned before, make `£427.00` in all.
        """
        found: set[int] = set()
        for piece in self.book.pages[self.need.turn].pieces:
            if (piece.number or 0.0) < _TELLING or piece.key not in self.need.context:
                continue
            holders = [self.book.pages[turn] for turn in self.book.holders(piece, self.need.turn)]
            if all(page.role is Role.ASSISTANT for page in holders):
                found.update(p.index for p in holders[:1] if piece.key in p.prose_keys)
        return found
