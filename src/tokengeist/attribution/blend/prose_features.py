"""What speaks for an earlier turn being a source of prose."""

from __future__ import annotations

import math
from functools import cached_property

from tokengeist.attribution.blend.accounts import Place
from tokengeist.attribution.blend.book import Freshness, Page
from tokengeist.attribution.blend.cues import (
    COMPARISON,
    COMPUTATION,
    CONCLUSION,
    FAILURE,
    INFORMATION,
    LABEL,
    NEGATION,
    NOW,
    TOTALITY,
)
from tokengeist.attribution.blend.need import SWITCH_VALUES, Item, Need, share
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.attribution.blend.reader import FeatureReader
from tokengeist.attribution.blend.scene import Features, compares, match_rule
from tokengeist.attribution.blend.workings import gives, may_account, today_told, workings
from tokengeist.transcript import Role

_A_FEW = 3
_ALL_BUT = 0.9
"""So much of a text is as good as all of it."""


class ProseFeatures(FeatureReader):
    """For prose: what the assistant says, thinks, or writes into a summary."""

    def _relative(self, page: Page) -> float:
        best = self.scene.best_passage
        return self.scene.passages[page.index] / best if best else 0.0

    def _derived(self, page: Page) -> Features:
        """Whether a value of the target was worked out from a turn, surely or at a guess."""
        found = {
            item.derivation.is_guess
            for item in self.need.items
            if item.derivation and item.derived_from(page.index)
        }
        return {"derived": False in found, "guessed": found == {True}}

    @cached_property
    def _workings(self) -> Need | None:
        return workings(self.book, self.need)

    def _works_with(self, page: Page) -> bool:
        return self._workings is not None and gives(self._workings, page.index)

    def _system(self, page: Page) -> Features:
        covered, words = match_rule(page, self.need)
        rule = self.need.states_rule
        return {
            "states_rule": rule,
            "states_rule_only": rule and not self.hard,
            "passage": self.scene.passages[page.index],
            "rule_match": covered,
            "rule_match_stated": covered * rule,
            "rule_words": math.log1p(words),
            "concludes": CONCLUSION.search(self.need.text) is not None,
            "may_account": may_account(page, self.need),
            "explains_failure": self.scene.follows_failure,
            "values_only": share(
                [i for i in self.hard if self._told(i) == [page.index]], self.hard
            ),
            "states_figure": self._states_figure(page),
            "derived": self.scene.is_derived_from(page),
            "works_with": self._works_with(page),
            "tells_today": NOW.search(self.need.text) is not None and today_told(page) is not None,
            "words_only": share(
                [i for i in self.soft if self._told(i) == [page.index]], self.need.items
            ),
            "is_label": not rule and LABEL.search(self.need.text) is not None,
        }

    def _states_figure(self, page: Page) -> bool:
        """Whether a figure that only the rules give stands among other words of the target."""
        words = {item.piece.key for item in self.soft}
        return any(
            len(words & page.keys_between(*page.home(found.start))) >= 2
            for item in self.hard
            if item.piece.number is not None and self._told(item) == [page.index]
            for found in page.occurrences(item.keys, item.piece.unit)
        )

    def _user(self, page: Page) -> Features:
        scene, turn = self.scene, page.index
        is_latest = turn == scene.latest_user
        answers = is_latest and turn == self.need.turn - 1
        rule = self.need.states_rule
        described = scene.describes(turn)
        asks = INFORMATION.search(page.text) is not None
        return {
            "passage": scene.passages[turn],
            "passage_relative": self._relative(page),
            "answered": answers,
            "answered_by_rule": answers and rule,
            "compares": self._is_choice and compares(page),
            "compares_last": self._is_choice and turn == self._last_comparison,
            **described,
            "describes_record_now": is_latest * described["describes_record"],
            "rule_suffices": is_latest * rule * scene.rule[0],
            "change_reported": is_latest and scene.reports_change,
            **self._derived(page),
            "works_with": self._works_with(page),
            "nothing_to_match": is_latest and self.need.weight <= 1.0 and len(self.need.items) < 2,
            "asks_information": asks * scene.passages[turn],
            "information_given": asks and answers,
            "asked_for_value": is_latest
            and "?" in page.text
            and self._is_looked_up
            and not scene.is_derived_from(page),
            "said_first": share([i for i in self.soft if i.first == turn], self.soft),
            "values_best": share([i for i in self.hard if i.best == turn], self.hard),
        }

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
            "thought": page.is_thinking * passage,
            "derived": self.scene.is_derived_from(page),
        }

    def _retold(self, page: Page) -> float:
        """How much of the target a sentence of the assistant's holds that nobody else has said."""
        found = self.scene.passages[page.index]
        if self.need.states_rule or self._first_to_say != page.index:
            return 0.0
        return found if found > 0.6 and self._told_best < 0.6 * found else 0.0

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

    def _result(self, page: Page) -> Features:
        scene, turn = self.scene, page.index
        is_latest = turn == scene.latest_result
        held = [item for item in self.hard if turn in item.holders]
        only = [item for item in held if self._told(item) == [turn]]
        about = any(self.book.is_about(turn, i.piece.key) for i in self.hard if _is_id(i))
        failed = len(page.text.strip()) <= 4 or FAILURE.match(page.text) is not None
        negative = NEGATION.search(self.need.text) is not None
        return {
            "values_best": share([i for i in self.hard if i.best == turn], self.hard),
            "values_only": share(only, self.hard),
            **self._derived(page),
            "works_with": self._works_with(page),
            "passage": self._lead(turn, self._result_passages),
            "passage_relative": self._relative(page),
            "field_match": self._lead(turn, self._field_matches),
            "field_weight": self._lead(turn, self._field_weights),
            "tells_attribute": turn == self._last_attribute,
            "brings_word": self._brings_word(page),
            "change_reported": is_latest and scene.reports_change,
            "failure_reported": is_latest and failed and negative,
            "latest": is_latest,
            "latest_unexplained": is_latest * (1.0 - max(scene.best_passage, scene.rule[0])),
            "since_user": turn > scene.latest_user,
            "rule_recited": self._is_recital,
            "says_nothing": self._is_told and not any(turn in i.holders for i in self.need.items),
            "about_value": about,
            "about_context": any(
                self.book.is_about(turn, k) for k in self.need.context if k.startswith("i:")
            ),
            "lists_only": self._is_described and not about and bool(held),
            "repeated": self.book.freshness[turn] is Freshness.REPEATED,
            "one_of_all": self._speaks_of_all and turn in self._same_tool,
            "one_of_compared": self._compares_results and turn in self._recent_same_tool,
        }

    @staticmethod
    def _lead(turn: int, found: dict[int, float]) -> float:
        """By how much a result says more than any other: what several say tells them not apart."""
        return max(0.0, found[turn] - max((v for t, v in found.items() if t != turn), default=0.0))

    @cached_property
    def _results(self) -> list[Page]:
        return [page for page in self.scene.candidates if page.role is Role.TOOL]

    @cached_property
    def _result_passages(self) -> dict[int, float]:
        return {page.index: self.scene.passages[page.index] for page in self._results}

    @cached_property
    def _field_matches(self) -> dict[int, float]:
        return {page.index: self._field_match(page) for page in self._results}

    @cached_property
    def _field_weights(self) -> dict[int, float]:
        return {page.index: self._field_weight(page) for page in self._results}

    @cached_property
    def _is_recital(self) -> bool:
        """The target is a rule without values, word for word: no result is needed to say it."""
        return self.need.states_rule and not self.hard and self.scene.rule[0] >= _ALL_BUT

    @cached_property
    def _is_told(self) -> bool:
        """Every value of the target stands in some result or user turn, or follows from some."""
        return bool(self.hard) and all(i.derivation or self._told(i) for i in self.hard)

    def _told(self, item: Item) -> list[int]:
        return [t for t in item.holders if self.book.pages[t].role is not Role.ASSISTANT]

    @cached_property
    def _is_described(self) -> bool:
        """Some result describes the very thing that an id of the target names."""
        return any(
            self.book.pages[t].role is Role.TOOL
            and self.book.is_about(t, item.piece.key)
            and len(self.book.pages[t].text) > 60
            for item in self.hard
            if _is_id(item)
            for t in item.holders
        )

    @cached_property
    def _speaks_of_all(self) -> bool:
        return TOTALITY.search(self.need.text) is not None and len(self._same_tool) > 1

    @cached_property
    def _compares_results(self) -> bool:
        """The target compares results, or answers a user who asked to have them compared."""
        texts = [self.need.text]
        if self.scene.latest_user >= 0:
            asked = INFORMATION.finditer(self.book.pages[self.scene.latest_user].text)
            texts += [question.group() for question in asked]
        cue = any(COMPARISON.search(text) or COMPUTATION.search(text) for text in texts)
        return cue and len(self._recent_same_tool) > 1

    @cached_property
    def _recent_same_tool(self) -> set[int]:
        return {t for t in self._same_tool if t > self.scene.latest_user}

    @cached_property
    def _same_tool(self) -> set[int]:
        """The results of the tool that was used last."""
        names = {}
        for result in self.scene.results:
            found = self.book.caller(result)
            names[result] = found[1].name if found else None
        last = names.get(self.scene.latest_result)
        return {result for result, name in names.items() if name == last}

    @cached_property
    def _last_attribute(self) -> int:
        """The latest result with a field of words whose whole name and value are in the target."""
        wanted = self.need.weights.keys()
        for result in reversed(self.scene.results):
            for view in self.book.pages[result].views:
                words = {p.key for p in view.pieces}
                plain = all(p.kind in (Kind.WORD, Kind.NAME) for p in view.pieces)
                if not words or not view.names or not plain or words == view.names:
                    continue
                if view.names <= wanted and words <= wanted:
                    return result
        return -1

    def _brings_word(self, page: Page) -> bool:
        """Whether a field's value, in words, is in the target and no user said it."""
        users = [self.book.pages[user].keys for user in self.scene.users]
        soft = {i.piece.key for i in self.soft if i.piece.kind in (Kind.WORD, Kind.NAME)}
        return any(
            0 < len(view.pieces) <= _A_FEW
            and all(piece.key in soft for piece in view.pieces)
            and not any(all(p.key in said for p in view.pieces) for said in users)
            and view.text.lower() not in SWITCH_VALUES
            for view in (page.views if page.is_structured else ())
        )

    def _field_match(self, page: Page) -> float:
        """Of the best field, how much of its name times how much of its value is in the target."""
        wanted = self.need.weights.keys()
        best = 0.0
        for view in page.views if page.is_structured else ():
            if view.names and view.pieces and len(view.text) <= 60:
                keys = {p.key for p in view.pieces}
                named = len(view.names & wanted) / len(view.names)
                best = max(best, named * len(keys & wanted) / len(keys))
        return best

    def _field_weight(self, page: Page) -> float:
        """The share of the target that the heaviest field accounts for, echoes left out."""
        weights, echo = self.need.weights, self.book.argument_keys(page.index)
        if sum(key.startswith("i:") for key in echo) > 2:
            echo = frozenset()
        best = 0.0
        for view in page.views if page.is_structured else ():
            keys = {key for p in view.pieces for key in p.keys}
            value = sum(weights[k] for k in sorted(keys & weights.keys()) if k not in echo)
            if value and len(view.text) <= 80:
                name = sum(weights[k] for k in sorted(view.names & weights.keys() - keys))
                covered = len(keys & weights.keys()) / len(keys)
                best = max(best, value * (0.5 + 0.5 * covered) + 0.7 * name)
        return best / self.need.weight


def _is_id(item: Item) -> bool:
    return item.piece.kind is Kind.ID
