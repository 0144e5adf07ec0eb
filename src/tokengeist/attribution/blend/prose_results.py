"""What speaks for a tool's result being a source of prose."""

from __future__ import annotations

from functools import cached_property

from tokengeist.attribution.blend.book import Freshness
from tokengeist.attribution.blend.cues import CASE, FAILURE, NEGATION, PERMISSION, SEVERAL, TOTALITY
from tokengeist.attribution.blend.need import Item, Need, share
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind
from tokengeist.attribution.blend.premises import Premises
from tokengeist.attribution.blend.reader import FeatureReader
from tokengeist.attribution.blend.scene import Features
from tokengeist.attribution.blend.workings import gives, workings
from tokengeist.transcript import Role

_MOST_OF_IT = 0.5
_ALL_BUT = 0.9
"""So much of a text is as good as all of it."""


class ResultsBehindProse(FeatureReader):
    """The part of the features of prose that is about results, and what other parts need too."""

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

    @cached_property
    def _premises(self) -> Premises:
        return Premises(self.book, self.need)

    def _works_with(self, page: Page) -> bool:
        return self._workings is not None and gives(self._workings, page.index)

    def _result(self, page: Page) -> Features:
        scene, turn = self.scene, page.index
        is_latest = turn == scene.latest_result
        held = [item for item in self.hard if turn in item.holders]
        only = [item for item in held if self._told(item) == [turn]]
        about = any(self.book.is_about(turn, i.piece.key) for i in self.hard if _is_id(i))
        failed = len(page.text.strip()) <= 4 or FAILURE.match(page.text) is not None
        negative = NEGATION.search(self.need.text) is not None
        says_nothing = self._is_told and not self._has_part(turn)
        return {
            "values_best": share([i for i in self.hard if i.best == turn], self.hard),
            "values_only": share(only, self.hard),
            **self._derived(page),
            "premise_given": self._premises.rest_on(turn),
            "premise_told": self._premises.are_needed and self._premises.told_by(turn),
            "passage": self._lead(turn, self._result_passages),
            "passage_relative": self._relative(page),
            "others_tell": self._most_of_others(turn),
            "retold_since": self._retold_since(turn),
            "tells_attribute": turn == self._last_attribute,
            "change_reported": turn in self._reported_changes,
            "failure_reported": is_latest and failed and negative,
            "latest": is_latest,
            "since_user": turn > scene.latest_user,
            "rule_recited": self._is_recital,
            "says_nothing": says_nothing,
            "brings_name": self._brings_name(turn),
            "context_match": 0.0 if says_nothing else self._lead(turn, self._context_matches),
            "adds_nothing_to_rule": self._is_ruled and not self._adds_to_rule(turn),
            "about_subject": turn in self._about_subject,
            "about_other": self._is_about_other(turn),
            "subject_elsewhere": bool(self._about_subject) and turn not in self._about_subject,
            "lists_only": self._is_described and not about and bool(held),
            "told_by_change": self._is_told_by_change(turn),
            "one_of_all": turn in self._one_of_all,
        }

    def _has_part(self, turn: int) -> bool:
        """Whether a turn holds something of the target, or a number that gives one of its own."""
        return any(
            turn in item.holders
            or (item.derivation and item.derivation.is_certain and item.derived_from(turn))
            for item in self.need.items
        )

    def _brings_name(self, turn: int) -> bool:
        """Whether a result alone tells a name of the target."""
        return any(
            item.piece.kind is Kind.NAME and self._told(item) == [turn] for item in self.soft
        )

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
    def _context(self) -> dict[str, float]:
        """What the sentences of the target say beside it, by rarity."""
        page = self.book.pages[self.need.turn]
        own = {key for item in self.need.items for key in item.keys}
        homes = [page.keys_between(*page.home(span.start)) for span in self.need.spans]
        around = sorted(frozenset().union(*homes) - own)
        return {key: max(0.0, self.book.rarity(key, self.need.turn)) for key in around}

    def _context_match(self, page: Page) -> float:
        """How much of that the best passage of a turn holds."""
        rarity = self._context
        total = sum(rarity.values()) or 1.0
        held = (page.keys_between(*place) & rarity.keys() for place in page.passages)
        return max((sum(rarity[key] for key in sorted(keys)) / total for keys in held), default=0.0)

    @cached_property
    def _context_matches(self) -> dict[int, float]:
        return {page.index: self._context_match(page) for page in self._results}

    @cached_property
    def _is_recital(self) -> bool:
        """The target is a rule without values, word for word: no result is needed to say it."""
        return self.need.states_rule and not self.hard and self.scene.rule >= _ALL_BUT

    @cached_property
    def _is_ruled(self) -> bool:
        """The target says what is allowed, not how things are, and so does a rule mostly."""
        text = self.need.text
        general = PERMISSION.search(text) is not None and CASE.search(text) is None
        return general and self.scene.rule >= _MOST_OF_IT

    def _adds_to_rule(self, turn: int) -> bool:
        """Whether a turn holds something of the target that the rules do not."""
        return any(
            turn in item.holders
            and not any(self.book.pages[t].role is Role.SYSTEM for t in item.holders)
            for item in self.need.items
        )

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
    def _one_of_all(self) -> set[int]:
        """What the last tool has just brought, for a target that speaks of all and names none.

        Of `two orders`, the results about things whose ids its turn gives.
        """
        if self._names_subject:
            return set()
        found = self._same_tool & set(self.book.just_looked_up(self.need.turn))
        if not TOTALITY.search(self.need.text):
            listed = self.book.pages[self.need.turn].keys if SEVERAL.search(self.need.text) else ()
            found = {t for t in found if any(self.book.is_about(t, key) for key in listed)}
        return found if len(found) > 1 else set()

    @cached_property
    def _reported_changes(self) -> set[int]:
        """The results of the changes that the target reports: of what it names, all, the last."""
        if not self.scene.reports_change:
            return set()
        recent = {t for t in self.book.just_looked_up(self.need.turn) if self._is_change(t)}
        if self._names_subject and recent & self._about_subject:
            return recent & self._about_subject
        return recent if TOTALITY.search(self.scene.sentences) else {self.scene.latest_result}

    def _is_change(self, turn: int) -> bool:
        return self.book.freshness[turn] is Freshness.OF_A_CHANGE

    @cached_property
    def _same_tool(self) -> set[int]:
        """The results of the tool that was used last."""
        last = self._tools.get(self.scene.latest_result)
        return {result for result, name in self._tools.items() if name == last}

    @cached_property
    def _tools(self) -> dict[int, str | None]:
        """The name of the tool behind every result."""
        callers = {result: self.book.caller(result) for result in self.scene.results}
        return {result: found[1].name if found else None for result, found in callers.items()}

    @cached_property
    def _subjects(self) -> set[str]:
        """The ids of the things that the target is about, as far as they were looked up.

        Those in it, else the last before it in its sentence, else the last before it in its turn.
        """
        page = self.book.pages[self.need.turn]
        first = self.need.spans[0]
        known = {key for result in self.scene.results for key in self.book.subjects[result]}
        ids = [piece for piece in page.pieces if piece.key in known]
        inside = {p.key for p in ids if any(s.start <= p.start < s.end for s in self.need.spans)}
        if inside:
            return inside
        start, end = page.home(first.start)
        before = [p.key for p in ids if p.start < first.start]
        sentence = [p for p in ids if start <= p.start < end]
        if sentence and sentence[0].start > first.start:
            return {sentence[0].key}
        return set(before[-1:])

    @cached_property
    def _names_subject(self) -> bool:
        return any(item.piece.key in self._subjects for item in self.hard)

    @cached_property
    def _about_subject(self) -> set[int]:
        """The results that were looked up by such an id.

        Of changes, those just made; where one is reported, these alone.
        """
        found = {
            page.index
            for page in self._results
            if any(self.book.is_about(page.index, key) for key in self._subjects)
        }
        changes = {turn for turn in found if self._is_change(turn)}
        if self.scene.reports_change and changes:
            return changes
        return found - {turn for turn in changes if turn < self.scene.latest_user} or found

    def _is_about_other(self, turn: int) -> bool:
        """Whether the same tool told of something else than what the target is about."""
        named = {self._tools[result] for result in self._about_subject}
        return turn not in self._about_subject and self._tools[turn] in named

    def _is_told_by_change(self, turn: int) -> bool:
        """Whether the change that the target reports tells all that an earlier result does."""
        change = self.scene.latest_result
        return (
            self.scene.reports_change
            and turn < self.scene.latest_user
            and all(change in item.holders for item in self.hard if turn in item.holders)
        )

    def _most_of_others(self, turn: int) -> float:
        """How much of the target another result tells, measured by the best of all turns."""
        return max(
            (self._relative(page) for page in self._results if page.index != turn), default=0
        )

    def _retold_since(self, turn: int) -> float:
        """How much of the target the assistant has said since: it may go on from that."""
        return max(
            (
                self.scene.passages[page.index]
                for page in self.book.pages[turn + 1 : self.need.turn]
                if page.role is Role.ASSISTANT
            ),
            default=0.0,
        )

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


def _is_id(item: Item) -> bool:
    return item.piece.kind is Kind.ID
