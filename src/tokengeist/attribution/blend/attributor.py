"""The backend: a transcript is indexed once, and each target is explained by its pieces."""

from __future__ import annotations

from collections.abc import Sequence

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.evidence import evidence
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.meaning import Meaning
from tokengeist.attribution.blend.model import Weights, shipped_weights
from tokengeist.attribution.blend.need import Need
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.revision import Revision, candidate, shipped_revision
from tokengeist.attribution.blend.vectors import keeping
from tokengeist.attribution.blend.verdicts import of_a_call, shown_wrong_by, units
from tokengeist.attribution.protocol import AttributorSpec, Explanation, Link, OptionValue
from tokengeist.attribution.registry import BackendOptions
from tokengeist.models.sentences import SentenceModel
from tokengeist.models.store import SENTENCES
from tokengeist.segmentation import Source
from tokengeist.transcript import Span, Target, Transcript

LEAST = 0.02
"""Less likely sources are not worth mentioning."""
LIKELIEST = 0.08
"""A target's likeliest source is kept from here on, even where it is likelier not to be one."""

CONTRADICTS = 0.6
"""How likely what shows a target to be wrong is one of its sources: it was there to be read."""


def create(options: BackendOptions) -> BlendAttributor:
    """The factory in the registry: with the sentence model, if it is at hand or asked for."""
    model = None
    if options.model is None:
        model = SentenceModel.at_hand()
    elif options.model == SENTENCES:
        model = SentenceModel.find("blend with a model")
    return BlendAttributor(model=model, cache=options.cache)


class BlendAttributor:
    """Origins of typed pieces, weighed by a small fitted model.

    Needs no neural model; with one, likeness in meaning revises what is found for prose.
    """

    def __init__(
        self,
        weights: Weights | None = None,
        *,
        model: SentenceModel | None = None,
        revision: Revision | None = None,
        cache: bool = False,
    ) -> None:
        self.weights = weights or shipped_weights()
        self._model = model
        self._revision = revision or (shipped_revision() if model else None)
        self._cache = cache

    @property
    def spec(self) -> AttributorSpec:
        name = SENTENCES if self._model else None
        options: dict[str, OptionValue] = {"weights": self.weights.name, "model": name}
        if self._revision:
            options["revision"] = self._revision.name
        return AttributorSpec("blend", name, options)

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> BlendReading:
        book = Book(transcript)
        meaning = None
        if self._model:
            embed = keeping(self._model, transcript) if self._cache else self._model.embed
            meaning = Meaning(book, embed)
        return BlendReading(book, sources, self.weights, meaning, self._revision)


class BlendReading:
    """An indexed transcript."""

    def __init__(
        self,
        book: Book,
        sources: Sequence[Source],
        weights: Weights,
        meaning: Meaning | None = None,
        revision: Revision | None = None,
    ) -> None:
        self._book = book
        self._sources = sources
        self._weights = weights
        self._meaning = meaning
        self._revision = revision

    def explain(self, target: Target) -> Explanation:
        """The likely sources of a target with their probabilities, and the account of its pieces.

        The likeliest is lifted over the cut, for a span was written for some reason, and the best
        guess is worth more than none.
        """
        need = understand(self._book, target)
        likely = self._likely(need)
        best = max(likely, key=lambda turn: (likely[turn], turn), default=None)
        if best is not None and LIKELIEST <= likely[best] < self._weights.cut:
            likely[best] = self._weights.cut
        links = {
            turn: Link(turn, probability, self._evidence(need, turn))
            for turn, probability in likely.items()
        }
        kept = [link for link in links.values() if link.score >= self._weights.cut]
        is_name = need.spans != target.spans  # of a call, which is explained by its arguments
        account = (
            of_a_call(self._book, need, target, kept) if is_name else units(self._book, need, kept)
        )
        for turn, spans in shown_wrong_by(account).items():
            if turn not in links or links[turn].score < CONTRADICTS:
                links[turn] = Link(turn, CONTRADICTS, spans)
        return Explanation(tuple(links.values()), account)

    def _likely(self, need: Need) -> dict[int, float]:
        """How likely each earlier turn is a source, as far as it is worth mentioning."""
        found = features(self._book, need)
        likely = {turn: self._weights.probability(*known) for turn, known in found.items()}
        if self._meaning and self._revision and need.is_prose:
            alike = self._meaning.likeness(need)
            candidates = [
                candidate(self._book.pages[turn], values, likely[turn], alike.get(turn))
                for turn, (_, values) in found.items()
            ]
            views, passages = self._meaning.views(need), self._meaning.passages
            likely = self._revision.probabilities(need.turn, candidates, views, passages)
        return {turn: probability for turn, probability in likely.items() if probability >= LEAST}

    def _evidence(self, need: Need, turn: int) -> tuple[Span, ...]:
        meaning = self._meaning if need.is_prose else None
        return evidence(self._book, need, self._book.pages[turn], meaning)

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
