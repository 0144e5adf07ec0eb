"""How alike in meaning a target and the passages of earlier turns are, whatever their words.

A bare likeness says little: some conversations are about one thing from end to end. What tells a
source is that its best passage is more like the target than the best of its rivals. A turn with
many passages has many chances of that, so their number counts as well.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.need import Need
from tokengeist.attribution.blend.page import Page
from tokengeist.models.sentences import Embed
from tokengeist.transcript import Role

if TYPE_CHECKING:
    from tokengeist.models.sentences import Matrix

_LONGEST = 500
_LONGEST_VALUE = 300
_USUAL_GAP = 0.125
"""Two passages' likenesses to one text are usually about so far apart."""
_DECIMALS = 4
"""More would differ between machines."""
_BETWEEN_WORDS = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Likeness:
    """Of one earlier turn to a target."""

    beyond_rivals: float
    """By how much its best passage is more like the target than any of what others were told."""
    chances: float
    """How many passages it has, on a logarithmic scale."""


class Meaning:
    """The passages of a transcript as vectors, made when the first question comes."""

    def __init__(self, book: Book, embed: Embed) -> None:
        self._book = book
        self._embed = embed

    @cached_property
    def _passages(self) -> dict[int, Matrix]:
        """For every turn the vectors of its passages; all are made at once, which is faster."""
        texts = {page.index: _passages(page) for page in self._book.pages}
        vectors = self._embed([text for found in texts.values() for text in found])
        split, start = {}, 0
        for turn, found in texts.items():
            split[turn] = vectors[start : start + len(found)]
            start += len(found)
        return split

    def likeness(self, need: Need) -> dict[int, Likeness]:
        """Of every earlier turn to the target, taken alone or with the sentence around it."""
        beyond: dict[int, float] = {}
        for claim in self._claims(need):
            best = {
                turn: float((vectors @ claim).max())
                for turn, vectors in self._passages.items()
                if turn < need.turn and len(vectors)
            }
            for turn, value in self._beyond_rivals(best).items():
                beyond[turn] = max(value, beyond.get(turn, value))
        return {
            turn: Likeness(round(value, _DECIMALS), math.log1p(len(self._passages[turn])))
            for turn, value in beyond.items()
        }

    @property
    def passages(self) -> dict[int, Matrix]:
        """The vectors of every turn's passages."""
        return self._passages

    def views(self, need: Need) -> Matrix:
        """A target in five views: (views, width).

        By itself, in its sentence, the sentence before that, the whole turn, and what the user said
        last; zeros where there is no such thing.
        """
        import numpy as np

        page = self._book.pages[need.turn]
        start = need.spans[0].start
        before = [n for n, (_, end) in enumerate(page.sentences) if end <= start]
        users = self._book.roles(Role.USER, need.turn)
        own = self._passages[need.turn]
        said = self._passages[users[-1]] if users else own[:0]
        views = [*self._claims(need), own[before[-1:]], own, said]
        return np.stack([_mean(found) for found in views])

    def sentences(self, need: Need, page: Page) -> list[float]:
        """How alike each sentence of a page is to the target."""
        vectors = self._passages[page.index][: len(page.sentences)]
        likenesses = [vectors @ claim for claim in self._claims(need)]
        return [round(float(max(both)), _DECIMALS) for both in zip(*likenesses, strict=True)]

    def _claims(self, need: Need) -> list[Matrix]:
        """The target by itself, and the sentences that it stands in.

        Each is embedded by itself: beside others it would come out differently in the last digits.
        """
        text = self._book.pages[need.turn].text
        homes = dict.fromkeys(self._book.pages[need.turn].home(span.start) for span in need.spans)
        around = " ".join(text[start:end][:_LONGEST] for start, end in homes)
        return [self._embed([claim[:_LONGEST]])[0] for claim in (need.text, around)]

    def _beyond_rivals(self, best: dict[int, float]) -> dict[int, float]:
        told = [turn for turn in best if self._book.pages[turn].role is not Role.ASSISTANT]
        usual = sum(best.values()) / len(best) if best else 0.0
        return {
            turn: (own - max((best[t] for t in told if t != turn), default=usual)) / _USUAL_GAP
            for turn, own in best.items()
        }


def _mean(vectors: Matrix) -> Matrix:
    """The mean of some vectors, or the one vector that is given; zeros for none."""
    if vectors.ndim == 1:
        return vectors
    found: Matrix = vectors.sum(axis=0) / max(len(vectors), 1)
    return found


def _passages(page: Page) -> list[str]:
    """What a turn says, piece by piece: its sentences first, then a tool's fields and records."""
    found = [page.text[start:end][:_LONGEST] for start, end in page.sentences]
    if page.role is Role.TOOL:
        found += [
            f"{_BETWEEN_WORDS.sub(' ', view.field.key).strip()}: {view.text}"
            for view in page.views
            if 0 < len(view.text) <= _LONGEST_VALUE
        ]
        found += [
            page.text[record.start : record.end]
            for record in page.records
            if record.end - record.start <= _LONGEST
        ]
    if not found and page.text.strip():
        found.append(page.text[:_LONGEST])
    return found
