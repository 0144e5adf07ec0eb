"""Fit what a sentence model adds to the model-free part of `blend`.

An example is one thing that is explained, a passage of prose in a gold graph or in a label of one
hop, with all that the model says of it and of the turns before. Conversations are read without the
weights, so that a revision of any weights can be fitted to one reading.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.meaning import Likeness, Meaning
from tokengeist.attribution.blend.model import Weights, shipped_weights
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.revision import Candidate, Revision, candidate
from tokengeist.attribution.blend.scene import Features
from tokengeist.attribution.blend.vectors import keeping
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.files import replace_file
from tokengeist.bench.fit import needs
from tokengeist.bench.links import Linked, graphs, linked, links_digest
from tokengeist.errors import DatasetError, RunError
from tokengeist.models.sentences import SentenceModel
from tokengeist.models.store import SENTENCES
from tokengeist.progress import report
from tokengeist.transcript import Target, Transcript

if TYPE_CHECKING:
    from tokengeist.models.sentences import Matrix


@dataclass(frozen=True, eq=False)
class Hop:
    """Prose that is explained: its candidates as the features and the model see them."""

    turn: int
    found: Sequence[tuple[Page, str, Features, Likeness | None]]
    """By candidate: the turn, its list of features and their values, and how alike it is."""
    views: Matrix
    sources: Collection[int]

    def candidates(self, free: Weights) -> list[Candidate]:
        """What some weights make of them."""
        return [
            candidate(page, values, free.probability(group, values), likeness)
            for page, group, values, likeness in self.found
        ]


@dataclass(frozen=True, eq=False)
class Talk:
    """A conversation that was read: the vectors of its passages, and what is explained in it."""

    passages: dict[int, Matrix]
    hops: Sequence[Hop]
    is_gold: bool
    """Whether its labels are gold graphs, and not of one hop each."""


def read_talks(
    gold: Iterable[Conversation], links: Iterable[Linked], model: SentenceModel
) -> list[Talk]:
    """The conversations that explain any prose."""
    found = [(talk.transcript, needs(talk), True) for talk in gold]
    found += [(talk.transcript, iter(talk.hops), False) for talk in links]
    talks = []
    for count, (transcript, hops, is_gold) in enumerate(found):
        report("reading conversations", count, len(found))
        talks.append(_read(transcript, hops, model, is_gold=is_gold))
    return [talk for talk in talks if talk.hops]


def read_datasets(datasets: Iterable[Dataset], model: SentenceModel) -> list[Talk]:
    """Everything that some folders have, gold graphs or labels of one hop."""
    return [
        talk for dataset in datasets for talk in read_talks(graphs(dataset), linked(dataset), model)
    ]


def fit_revision(talks: Sequence[Talk], name: str, free: Weights) -> Revision:
    """The revision of some weights that the conversations call for."""
    if not talks:
        raise DatasetError("there is no prose in these conversations that anything is said of")
    from tokengeist.bench.revision_training import train

    return train(talks, free, name)


def revision_json(
    datasets: Sequence[Dataset], model: SentenceModel
) -> tuple[dict[str, Any], Revision]:
    """The content of a revision file fitted to some data sets, and the revision."""
    free = shipped_weights()
    talks = read_datasets(datasets, model)
    name = ", ".join(f"{d.name} ({len(d.ids)})" for d in datasets)
    found = fit_revision(talks, name, free)
    made_from = {
        "name": name,
        "digests": {
            dataset.name: {"benchmark": dataset.digest(), "links": links_digest(dataset)}
            for dataset in datasets
        },
        "hops": {
            "gold": sum(len(talk.hops) for talk in talks if talk.is_gold),
            "links": sum(len(talk.hops) for talk in talks if not talk.is_gold),
        },
        "weights": free.name,
    }
    return {"fitted_on": made_from, "model": SENTENCES, "weights": _rounded(found)}, found


def kept_revision(path: Path, made_from: str, fit: Callable[[], Revision]) -> Revision:
    """The revision kept in two files that are called like `path`, or a new one, kept from now on.

    Fitting takes minutes, and a test of many folders fits many. Raises `RunError` where what is
    kept was made from something else than `made_from` says.
    """
    numbers, nameless = (path.with_name(path.name + end) for end in (".json", ".safetensors"))
    if not numbers.is_file():
        found = fit()
        content = {
            "made_from": made_from,
            "fitted_on": {"name": found.name},
            "weights": _rounded(found),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(nameless, lambda file: file.write(found.nameless()))
        # Last, because it says that the other is there.
        replace_file(numbers, lambda file: file.write(json.dumps(content, indent=1).encode()))
    try:
        known = json.loads(numbers.read_bytes())
        if known["made_from"] != made_from:
            raise RunError(
                f"{numbers} was fitted to other data or by another version; choose another folder"
            )
        return Revision.from_files(known, nameless.read_bytes())
    except (ValueError, KeyError, OSError) as error:
        raise RunError(f"{numbers} cannot be used ({error}); remove it to fit it again") from error


def _rounded(revision: Revision) -> dict[str, dict[str, float]]:
    return {
        role: {cue: round(weight, 4) for cue, weight in weights.items()}
        for role, weights in revision.weights.items()
    }


def _read(
    transcript: Transcript,
    hops: Iterable[tuple[Target, Collection[int]]],
    model: SentenceModel,
    *,
    is_gold: bool,
) -> Talk:
    book = Book(transcript)
    meaning = Meaning(book, keeping(model, transcript))
    return Talk(meaning.passages, tuple(_hops(book, meaning, hops)), is_gold)


def _hops(
    book: Book, meaning: Meaning, hops: Iterable[tuple[Target, Collection[int]]]
) -> Iterator[Hop]:
    for target, sources in hops:
        need = understand(book, target)
        if not need.is_prose:
            continue
        likeness = meaning.likeness(need)
        found = [
            (book.pages[turn], group, values, likeness.get(turn))
            for turn, (group, values) in features(book, need).items()
        ]
        if found:
            yield Hop(need.turn, found, meaning.views(need), sources)
