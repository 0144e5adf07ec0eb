"""Fit what likeness in meaning adds to the model-free part of `blend`.

An example is a candidate source of prose, with how likely it is without the model and how alike it
is. Real domains differ most in how they put things in other words, so it takes several data sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.meaning import Meaning
from tokengeist.attribution.blend.model import Weights, shipped_weights
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.revision import GROUPS, START, Revision, evidence
from tokengeist.attribution.blend.vectors import keeping
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.fit import Example, fit_group, needs
from tokengeist.models.sentences import SentenceModel
from tokengeist.models.store import SENTENCES

STIFFNESS = 1.0
"""Four numbers with many examples each need little holding."""


def revision_json(datasets: Sequence[Dataset], model: SentenceModel) -> dict[str, Any]:
    """The content of a revision file fitted to some data sets."""
    free = shipped_weights()
    data = _examples(datasets, free, model)
    return {
        "fitted_on": {
            "name": ", ".join(f"{d.name} ({len(d.ids)})" for d in datasets),
            "digests": {dataset.name: dataset.digest() for dataset in datasets},
            "examples": len(data),
            "sources": sum(example.is_source for example in data),
            "weights": free.name,
        },
        "model": SENTENCES,
        "stiffness": STIFFNESS,
        "weights": _fitted(data),
    }


def fit_revision(
    parts: Sequence[Iterable[Conversation]], name: str, free: Weights, model: SentenceModel
) -> Revision:
    """The revision of some weights that the conversations of several data sets call for."""
    return Revision(_fitted(_examples(parts, free, model)), name)


def _fitted(data: Sequence[Example]) -> dict[str, dict[str, float]]:
    return {
        group: {
            name: round(value, 4)
            for name, value in fit_group(
                START, [e for e in data if e.group == group], STIFFNESS
            ).items()
        }
        for group in GROUPS
    }


def _examples(
    parts: Sequence[Iterable[Conversation]], free: Weights, model: SentenceModel
) -> list[Example]:
    return [example for part in parts for talk in part for example in _of(talk, free, model)]


def _of(conversation: Conversation, free: Weights, model: SentenceModel) -> Iterator[Example]:
    book = Book(conversation.transcript)
    meaning = Meaning(book, keeping(model, conversation.transcript))
    for target, sources in needs(conversation):
        need = understand(book, target)
        if not need.is_prose:
            continue
        likeness = meaning.likeness(need)
        for turn, (group, values) in features(book, need).items():
            if group in GROUPS and turn in likeness:
                known = evidence(free.probability(group, values), likeness[turn])
                yield Example(group, known, turn in sources)
