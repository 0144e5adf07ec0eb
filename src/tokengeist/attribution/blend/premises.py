"""What is said right before a statement, or beside it: from there it may follow."""

from __future__ import annotations

import re
from functools import cached_property

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.cues import CONCLUSION, REFERENCE
from tokengeist.attribution.blend.need import Need, take_apart
from tokengeist.attribution.blend.scene import Scene
from tokengeist.transcript import Role, Span, Target

_NEAR = 25
"""So many characters on, a word for a conclusion still belongs to it."""
_NEW_PARAGRAPH = re.compile(r"\n\s*\n")


class Premises:
    """The sentence of a target and the one before it in its paragraph, without the target itself.

    `You attended 18 of 24 lessons, so you do not qualify`: the second half has no value that could
    be looked for, and rests on what the first half rests on.
    """

    def __init__(self, book: Book, need: Need) -> None:
        self._book = book
        self._target = need
        self._page = book.pages[need.turn]
        self._home = self._page.home(need.spans[0].start)

    @cached_property
    def _before(self) -> Span | None:
        """The sentence before, unless a new paragraph has begun since."""
        earlier = [place for place in self._page.sentences if place[1] <= self._home[0]]
        if not earlier or _NEW_PARAGRAPH.search(self._page.text, earlier[-1][1], self._home[0]):
            return None
        return Span(*earlier[-1])

    @cached_property
    def need(self) -> Need:
        """They as a need, to be looked for like a target; nothing of an argument."""
        target = self._target
        homes = {Span(*self._page.home(span.start)) for span in target.spans}
        stretches = [tuple(sorted(homes)), *([(self._before,)] if self._before else [])]
        own = {item.piece.key for item in target.items}
        found = Need(target.turn, target.spans, target.text, target.calls)
        for spans in stretches if not target.calls else ():
            items = take_apart(self._book, Target(target.turn, spans)).items
            found.items += [item for item in items if item.piece.key not in own]
        return found

    def rest_on(self, turn: int) -> bool:
        """Whether a value comes from a turn; a sentence that opens a paragraph needs no other."""
        return self._before is not None and any(item.best == turn for item in self.need.hard)

    @cached_property
    def are_needed(self) -> bool:
        """The target draws a conclusion, refers back, or has a figure that nothing accounts for."""
        start, text = self._target.spans[0].start, self._target.text
        before = self._page.text[self._home[0] : start]
        return (
            CONCLUSION.search(f"{before[-_NEAR:]} {text[:_NEAR]}") is not None
            or REFERENCE.match(self._page.text, self._home[0]) is not None
            or any(not item.holders and not item.derivation for item in self._target.hard)
        )

    def told_by(self, turn: int) -> float:
        """How much of them the best passage of a result tells, measured by the best of all."""
        found = self._told
        best = max(found.values(), default=0.0)
        return found.get(turn, 0.0) / best if best else 0.0

    @cached_property
    def _told(self) -> dict[int, float]:
        scene = Scene(self._book, self.need)
        results = (page.index for page in scene.candidates if page.role is Role.TOOL)
        return {turn: scene.passages[turn] for turn in results}
