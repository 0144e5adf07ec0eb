"""The backend: a transcript is indexed once, and each target is explained by its pieces."""

from __future__ import annotations

from collections.abc import Sequence

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.evidence import evidence
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.model import Weights, shipped_weights
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.verdicts import shown_wrong_by, units
from tokengeist.attribution.protocol import AttributorSpec, Explanation, Link
from tokengeist.attribution.registry import BackendOptions
from tokengeist.segmentation import Source
from tokengeist.transcript import Span, Target, Transcript

LEAST = 0.02
"""Less likely sources are not worth mentioning."""
USER_OF_A_CALL = 0.22
"""A user turn behind a call is kept from here on. Nothing lies behind it, so a wrong one costs one
edge, and a missing one is a source that everything after it lacks."""
LIKELIEST = 0.08
"""A target's likeliest source is kept from here on, even where it is likelier not to be one."""

CONTRADICTS = 0.6
"""How likely what shows a target to be wrong is one of its sources: it was there to be read."""


def create(options: BackendOptions) -> BlendAttributor:
    """The factory in the registry."""
    return BlendAttributor()


class BlendAttributor:
    """Origins of typed pieces, weighed by a small fitted model. Needs no language model."""

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or shipped_weights()

    @property
    def spec(self) -> AttributorSpec:
        return AttributorSpec("blend", options={"weights": self.weights.name, "model": None})

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> BlendReading:
        return BlendReading(transcript, sources, self.weights)


class BlendReading:
    """An indexed transcript."""

    def __init__(self, transcript: Transcript, sources: Sequence[Source], weights: Weights) -> None:
        self._book = Book(transcript)
        self._sources = sources
        self._weights = weights

    def explain(self, target: Target) -> Explanation:
        """The likely sources of a target with their probabilities, and the account of its pieces.

        Some sources near the cut are lifted over it: users behind a call, and the likeliest, for a
        span was written for some reason, and the best guess is worth more than none.
        """
        need = understand(self._book, target)
        likely = {}
        for turn, (group, values) in features(self._book, need).items():
            likely[turn] = self._weights.probability(group, values)
            if group == "call/user" and likely[turn] >= USER_OF_A_CALL:
                likely[turn] = max(likely[turn], self._weights.cut)
        best = max(likely, key=lambda turn: (likely[turn], turn), default=None)
        if best is not None and LIKELIEST <= likely[best] < self._weights.cut:
            likely[best] = self._weights.cut
        links = {
            turn: Link(turn, probability, evidence(self._book, need, self._book.pages[turn]))
            for turn, probability in likely.items()
            if probability >= LEAST
        }
        kept = [link for link in links.values() if link.score >= self._weights.cut]
        account = units(self._book, need, kept)
        for turn, spans in shown_wrong_by(account).items():
            if turn not in links or links[turn].score < CONTRADICTS:
                links[turn] = Link(turn, CONTRADICTS, spans)
        return Explanation(tuple(links.values()), account)

    def score(self, target: Target) -> list[float]:
        """The same by source: a turn's probability where a source overlaps its evidence."""
        links = {link.turn: link for link in self.explain(target).links}
        return [
            _share(links.get(source.turn), source.span)
            for source in self._sources
            if source.turn < target.turn
        ]


def _share(link: Link | None, span: Span) -> float:
    return link.score if link and any(span.overlaps(place) for place in link.evidence) else 0.0
