"""Fit what likeness in meaning adds to the model-free part of `blend`.

An example is a candidate source of prose, with how likely it is without the model and how alike it
is. Candidates are read without the weights, so that they can be fitted with any. Real domains
differ most in how they put things in other words, so it takes several data sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.meaning import Likeness, Meaning
from tokengeist.attribution.blend.model import Weights, shipped_weights
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.revision import GROUPS, START, Revision, evidence
from tokengeist.attribution.blend.scene import Features
from tokengeist.attribution.blend.vectors import keeping
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.fit import Example, fit_group, needs
from tokengeist.models.sentences import SentenceModel
from tokengeist.models.store import SENTENCES

STIFFNESS = 1.0
"""Four numbers with many examples each need little holding."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate source of prose, read once: what weights and the model each go by."""

    group: str
    features: Features
    likeness: Likeness
    is_source: bool


def revision_json(datasets: Sequence[Dataset], model: SentenceModel) -> dict[str, Any]:
    """The content of a revision file fitted to some data sets."""
    free = shipped_weights()
    data = candidates(datasets, model)
    return {
        "fitted_on": {
            "name": ", ".join(f"{d.name} ({len(d.ids)})" for d in datasets),
            "digests": {dataset.name: dataset.digest() for dataset in datasets},
            "examples": len(data),
            "sources": sum(candidate.is_source for candidate in data),
            "weights": free.name,
        },
        "model": SENTENCES,
        "stiffness": STIFFNESS,
        "weights": _fitted(data, free),
    }


def fit_revision(data: Iterable[Candidate], name: str, free: Weights) -> Revision:
    """The revision of some weights that the candidates call for."""
    return Revision(_fitted(data, free), name)


def candidates(parts: Iterable[Iterable[Conversation]], model: SentenceModel) -> list[Candidate]:
    """The candidates in the gold graphs of several data sets."""
    return [found for part in parts for talk in part for found in _of(talk, model)]


def _fitted(data: Iterable[Candidate], free: Weights) -> dict[str, dict[str, float]]:
    known = [
        Example(c.group, evidence(free.probability(c.group, c.features), c.likeness), c.is_source)
        for c in data
    ]
    return {
        group: {
            name: round(value, 4)
            for name, value in fit_group(
                START, [e for e in known if e.group == group], STIFFNESS
            ).items()
        }
        for group in GROUPS
    }


def _of(conversation: Conversation, model: SentenceModel) -> Iterator[Candidate]:
    book = Book(conversation.transcript)
    meaning = Meaning(book, keeping(model, conversation.transcript))
    for target, sources in needs(conversation):
        need = understand(book, target)
        if not need.is_prose:
            continue
        likeness = meaning.likeness(need)
        for turn, (group, values) in features(book, need).items():
            if group in GROUPS and turn in likeness:
                yield Candidate(group, values, likeness[turn], turn in sources)
