"""Fit what likeness in meaning adds to the model-free part of `blend`.

An example is a candidate source of prose, with how likely it is without the model and how alike it
is. Real domains differ most in how they put things in other words, so it takes several data sets,
and each counts the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
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
    data = [_examples(dataset, free, model) for dataset in datasets]
    total = sum(map(len, data)) / len(data)
    weighed = [replace(e, weight=total / len(part)) for part in data for e in part]
    return {
        "fitted_on": {
            "name": ", ".join(f"{d.name} ({len(d.ids)})" for d in datasets),
            "digests": {dataset.name: dataset.digest() for dataset in datasets},
            "examples": len(weighed),
            "sources": sum(example.is_source for example in weighed),
            "weights": free.name,
        },
        "model": SENTENCES,
        "stiffness": STIFFNESS,
        "weights": {
            group: {
                name: round(value, 4)
                for name, value in fit_group(
                    START, [e for e in weighed if e.group == group], STIFFNESS
                ).items()
            }
            for group in GROUPS
        },
    }


def fit_revision(datasets: Sequence[Dataset], model: SentenceModel) -> Revision:
    """The revision that some data sets call for."""
    return Revision.from_json(revision_json(datasets, model))


def _examples(dataset: Dataset, free: Weights, model: SentenceModel) -> list[Example]:
    return [e for id in dataset.ids for e in _of(dataset.conversation(id), free, model)]


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
