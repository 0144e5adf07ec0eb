"""What speaks for an earlier turn being a source of a call's arguments."""

from __future__ import annotations

import math
from functools import cached_property

from tokengeist.attribution.blend.book import scarcity
from tokengeist.attribution.blend.cues import KEEPING, NOT_KNOWN, RANKING, SAME_ACTION, words_of
from tokengeist.attribution.blend.need import Item, is_small, share
from tokengeist.attribution.blend.origins import id_words
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind, name_keys, stem
from tokengeist.attribution.blend.reader import FeatureReader
from tokengeist.attribution.blend.scene import Features
from tokengeist.transcript import Role

_GENERIC_WORDS = name_keys("number name type key value code list item new old first last")
"""Words in the names of arguments that say nothing about them."""
_SETTINGS = name_keys(
    "limit page lines rows count size max min top offset tail days weeks months years hours minutes"
)
"""Names of arguments that say how much is to be looked at."""
_A_TOPIC = 2.0
"""So many rare words of one turn tell what a query or a note was made from."""
_NEAR = 3
_A_FEW_WORDS = 24
_A_SHORT_REPLY = 14
_YES = 4
"""A reply of so many words with a yes in it says nothing else."""


class CallFeatures(FeatureReader):
    """For the arguments of a call."""

    def _system(self, page: Page) -> Features:
        return {
            "passage": self.scene.passages[page.index],
            "gives_argument": any(item.origin == page.index for item in self.hard),
            "derived": self.scene.is_derived_from(page),
            "gives_words": self._words_of(page),
        }

    def _user(self, page: Page) -> Features:
        scene, turn = self.scene, page.index
        stated = [item for item in self.hard if item.origin == turn]
        direct = [item for item in stated if not item.is_implied]
        is_latest = turn == scene.latest_user
        is_lost = not stated and _says_only_what_is_unknown(page)
        asks_read = is_latest and not self.need.is_change
        asks_change = is_latest and self.need.is_change and not is_lost
        agrees = self.book.agrees(turn)
        case = self._reading_case if asks_read and not stated and not is_lost else ""
        back = len(scene.users) - 1 - scene.users.index(turn)
        described = scene.describes(turn)
        ranks = not stated and self._ranks_argument(page)
        is_spent = scene.latest_user_is_spent and not ranks and not any(described.values())
        words = 0.0 if stated else self._words_of(page)
        derived = scene.is_derived_from(page)
        return {
            "states_argument": bool(direct),
            "states_share": share(stated, self.hard),
            "states_implied": bool(stated) and not direct,
            "states_words_only": bool(stated) and _all_kind(stated, Kind.VALUE),
            "latest_before_change": asks_change,
            "agrees_to_change": agrees * asks_change,
            "latest_no_arguments": case == "no arguments",
            "latest_calculation": case == "calculation" and not self._thought_covers,
            "latest_unexplained": case == "unexplained",
            "chose_after_seeing": case == "chosen",
            "agreed_after_seeing": agrees * (case in ("chosen", "only one")),
            "spent": asks_read and is_spent,
            "asks_question": asks_read and not stated and self._asks_at_once(page),
            **described,
            "ranks_argument": ranks,
            "same_talk": self.need.is_change
            and not is_latest
            and not stated
            and self._talks_on(turn),
            "speaks_of_argument": self.need.is_change and turn in self._speaks_of_argument,
            "keeps_value": turn == self._keeps_value,
            "asks_for_action": self.need.is_change and turn == self._asks_for_action,
            "derived": derived,
            "turns_back": 0.0 if stated or words or derived else math.log1p(back),
            "gives_words": words,
        }

    def _ranks_argument(self, page: Page) -> bool:
        """Whether a turn picks one of several by its place: `my last order` of those listed."""
        offered = [item for item in self._from_results if item.alternatives > 1]
        names = {key for item in offered for key in name_keys(item.argument) - _GENERIC_WORDS}
        return any(
            names & page.keys_between(cue.end(), cue.end() + _A_FEW_WORDS)
            for cue in RANKING.finditer(page.text)
        )

    def _asks_at_once(self, page: Page) -> bool:
        """Whether a turn asks something, other than how to do without what its writer lacks.

        The first call after it is the look-up that it asked for.
        """
        asks = "?" in page.text and not NOT_KNOWN.search(page.text)
        return asks and self._talks_on(page.index)

    def _talks_on(self, user: int) -> bool:
        """Whether nothing was called since a user turn: it is a part of what was agreed on now."""
        since = self.book.pages[user + 1 : self.need.turn]
        return not any(page.calls for page in since)

    def _words_of(self, page: Page) -> float:
        """How many words of what the assistant composed came from a turn, 1 for a topic."""
        given = (weight for key, weight in self._composed.items() if self._told[key] == page.index)
        return min(1.0, sum(given) / _A_TOPIC)

    @cached_property
    def _composed(self) -> dict[str, float]:
        """The words of arguments that nobody gave as a whole: a query, code, a note.

        Those count that few turns hold.
        """
        keys = {
            key
            for item in self.need.items
            if item.argument and (item.origin is None or not item.is_hard)
            for key in item.keys
            if key.startswith("w:")
        }
        most = scarcity(1, self.need.turn)
        return {key: self.book.rarity(key, self.need.turn) / most for key in sorted(keys)}

    @cached_property
    def _told(self) -> dict[str, int | None]:
        """Who brought in each of these words: a user or a result, else the rules."""
        found: dict[str, int | None] = {}
        for key in self._composed:
            holders = [self.book.pages[t] for t in self.book.turns_with(key, self.need.turn)]
            told = [p.index for p in holders if p.role in (Role.USER, Role.TOOL)]
            ruled = [p.index for p in holders if p.role is Role.SYSTEM]
            found[key] = next(iter(told + ruled), None)
        return found

    @cached_property
    def _from_results(self) -> list[Item]:
        """The arguments that a tool result brought in."""
        found = [item for item in self.hard if item.origin is not None]
        return [item for item in found if self.book.pages[item.origin or 0].role is Role.TOOL]

    @cached_property
    def _is_calculation(self) -> bool:
        return bool(self.hard) and _all_kind(self.hard, Kind.NUMBER)

    @cached_property
    def _reading_case(self) -> str:
        """Why a look-up might rest on the latest user turn, though its arguments do not."""
        if not self.hard:
            return "no arguments"
        if self._is_calculation:
            return "calculation"
        roles = self._origin_roles
        if not roles:
            return "no arguments"
        if any(found == {None} for found in roles.values()) and not self._only_agrees:
            return "unexplained"
        if any(Role.USER in found for found in roles.values()):
            return "stated elsewhere"
        offered = max(item.alternatives for item in self.hard)
        seen = self.scene.latest_user > max(item.origin or 0 for item in self.hard)
        if not seen:
            return "not seen"
        return "chosen" if offered > 1 else "only one"

    @cached_property
    def _only_agrees(self) -> bool:
        """The latest user turn says yes and nothing else."""
        user = self.scene.latest_user
        return self.book.agrees(user) > 0 and len(self.book.pages[user].text.split()) <= _YES

    @cached_property
    def _origin_roles(self) -> dict[str, set[Role | None]]:
        """For every argument, who its pieces come from."""
        found: dict[str, set[Role | None]] = {}
        for item in self.hard:
            if item.origin is None and not item.derivation and _is_setting(item):
                continue
            role = None if item.origin is None else self.book.pages[item.origin].role
            found.setdefault(item.argument, set()).add(role)
        return found

    @cached_property
    def _speaks_of_argument(self) -> set[int]:
        """For each argument that no user stated, the latest user turn that speaks of it most."""
        found = set()
        for item in self.hard:
            origin = item.origin
            stated = origin is not None and self.book.pages[origin].role is Role.USER
            if stated or item.is_implied or item.is_choice:
                continue
            words = sorted((name_keys(item.argument) - _GENERIC_WORDS) | id_words(item))
            rarity = {word: self.book.rarity(word, self.need.turn) for word in words}
            total = sum(max(0.2, r) for r in rarity.values())
            scores = {}
            for user in self.scene.users[:-1]:
                spoken = [w for w in words if w in self.book.pages[user].keys]
                if any(rarity[w] > 0.4 for w in spoken):
                    scores[user] = sum(max(0.2, rarity[w]) for w in spoken) / total
            most = max(scores.values(), default=0.0)
            if most >= 0.3:
                found.add(max(user for user, score in scores.items() if score >= most - 1e-9))
        return found

    @cached_property
    def _keeps_value(self) -> int | None:
        """The first user turn that asks to keep what an argument from a result is called."""
        names = {
            key for item in self._from_results for key in name_keys(item.argument) - _GENERIC_WORDS
        }
        for user in self.scene.users:
            page = self.book.pages[user]
            for cue in KEEPING.finditer(page.text):
                if names & page.keys_between(cue.end(), cue.end() + _A_FEW_WORDS):
                    return user
        return None

    @cached_property
    def _asks_for_action(self) -> int | None:
        """The latest earlier user turn that asks for what the tool does, in whatever words."""
        calls = [c for c in self.book.pages[self.need.turn].calls if c.span in self.need.calls]
        verbs = {word for call in calls for word in words_of(call.name)[:1]}
        for alike in SAME_ACTION:
            verbs |= alike if verbs & alike else set()
        keys = {f"w:{stem(verb)}" for verb in verbs}
        asking = [u for u in self.scene.users[:-1] if keys & self.book.pages[u].keys]
        return asking[-1] if asking else None

    def _assistant(self, page: Page) -> Features:
        turn = page.index
        written = [item for item in self.hard if item.origin == turn]
        chosen = [
            item
            for item in self.hard
            if item.decided == turn and item.is_singled_out and not item.is_implied
        ]
        is_near_thought = page.is_thinking and self.need.turn - turn <= _NEAR
        return {
            "wrote_argument": bool(written),
            "wrote_share": share(written, self.hard),
            "chose_argument": self.need.is_change and bool(chosen),
            "chose_among_many": self.need.is_change and any(item.is_choice for item in chosen),
            "agreed_proposal": self._agreed(page) * self._proposed(page),
            "thought_near": is_near_thought * self._coverage(page),
        }

    def _agreed(self, page: Page) -> float:
        """How clearly the latest user turn agrees to a turn, where a call changes something."""
        is_answered = page.index == self.scene.latest_user - 1 and not page.calls
        agreed = self.need.is_change and is_answered
        return self.book.agrees(self.scene.latest_user) if agreed else 0.0

    def _proposed(self, page: Page) -> float:
        """How much of the call stands in a turn's prose."""
        said = [item for item in self.hard if not page.prose_keys.isdisjoint(item.keys)]
        return share(said, self.hard)

    def _result(self, page: Page) -> Features:
        turn = page.index
        brought = [item for item in self.hard if item.origin == turn and not item.is_implied]
        implied = any(item.origin == turn and item.is_implied for item in self.hard)
        return {
            "brought_argument": bool(brought),
            "brought_implied": implied and not brought,
            "brought_words_only": bool(brought) and all(_is_weak(item) for item in brought),
            "chosen_later": self.need.is_change
            and bool(brought)
            and all(item.is_choice for item in brought),
            "derived": self.scene.is_derived_from(page),
            "coverage": self._coverage(page),
            "thought_covers": self._thought_covers,
            "gives_words": 0.0 if brought else self._words_of(page),
        }

    def _coverage(self, page: Page) -> float:
        return share([item for item in self.hard if page.index in item.holders], self.hard)

    @cached_property
    def _thought_covers(self) -> bool:
        """The assistant just thought of every argument."""
        near = self.book.pages[max(0, self.need.turn - _NEAR) : self.need.turn]
        return bool(self.hard) and any(p.is_thinking and self._coverage(p) > 0.99 for p in near)


def _says_only_what_is_unknown(page: Page) -> bool:
    """Whether a reply says that its writer cannot tell, and so chooses nothing."""
    is_short = len(page.text.split()) <= _A_SHORT_REPLY
    return is_short and NOT_KNOWN.search(page.text) is not None


def _all_kind(items: list[Item], kind: Kind) -> bool:
    return all(item.piece.kind is kind for item in items)


def _is_setting(item: Item) -> bool:
    """The assistant's own to choose: a figure of one digit, or one named after what it limits."""
    named = name_keys(item.argument) & _SETTINGS
    return is_small(item.piece) or (item.piece.number is not None and bool(named))


def _is_weak(item: Item) -> bool:
    """A word or a small number, which may stand anywhere."""
    if item.piece.kind in (Kind.VALUE, Kind.CODE):
        return True
    return item.piece.number is not None and item.piece.number < 10
