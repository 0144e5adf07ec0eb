"""Shared words, rare ones counting more: the baseline that needs no model and no time.

Agents copy most of what matters (ids, dates, amounts, names), and a copied value is rare in a
transcript. A word's weight is its inverse frequency over the sources, as in BM25, so `omar_rossi`
outweighs `the` without any list of stop words. A source's score is the share of the target's weight
that its words account for, between 0 and 1.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.attribution.registry import BackendOptions
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

# A run of letters and digits, with what may stand inside an id, a number, a time or an address;
# scripts without spaces count by the character.
_WORD = re.compile(
    r"""[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]
    |[^\W_]+(?:(?:[_.@'’\-]|,(?=\d{3})|(?<=\d):(?=\d))[^\W_]+)*""",
    re.VERBOSE,
)


def create(options: BackendOptions) -> LexicalAttributor:
    """The factory in the registry; overlap has no options."""
    return LexicalAttributor()


class LexicalAttributor:
    """Rarity-weighted word overlap."""

    @property
    def spec(self) -> AttributorSpec:
        return AttributorSpec("lexical")

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> LexicalReading:
        return LexicalReading(transcript, sources)


class LexicalReading:
    """An inverted index of a transcript's sources."""

    def __init__(self, transcript: Transcript, sources: Sequence[Source]) -> None:
        self._transcript = transcript
        self._turns = [source.turn for source in sources]
        self._postings: dict[str, list[int]] = defaultdict(list)  # word → sources that hold it
        for index, source in enumerate(sources):
            text = source.span.of(transcript.turns[source.turn].text)
            for word in set(words(text)):
                self._postings[word].append(index)

    def score(self, target: Target) -> list[float]:
        text = self._transcript.turns[target.turn].text
        wanted = {word for span in target.spans for word in words(span.of(text))}
        earlier = sum(turn < target.turn for turn in self._turns)
        scores = [0.0] * earlier
        total = 0.0
        for word in sorted(wanted):  # the same order of additions, the same sums
            holders = self._postings.get(word, [])
            weight = math.log(1 + (len(self._turns) + 1) / (len(holders) + 0.5))
            total += weight
            for index in holders:
                if index < earlier:  # sources are in order of turns
                    scores[index] += weight
        return [score / total for score in scores] if total else scores


def words(text: str) -> list[str]:
    """The words of a text, case folded.

    >>> words('my id is omar_rossi_1241, paid $1,030.50 on 2024-05-26')
    ['my', 'id', 'is', 'omar_rossi_1241', 'paid', '1,030.50', 'on', '2024-05-26']
    """
    return _WORD.findall(text.casefold())
