"""How weights of the `blend` backend do where they were not fitted: on domains never seen.

A trial is an ordinary run in which every conversation is traced with weights that know nothing of
its domain, so everything that can be said about a run can be said about a trial.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from tokengeist.api import settings_for
from tokengeist.attribution.blend.attributor import BlendAttributor
from tokengeist.attribution.blend.model import Weights, shipped_weights
from tokengeist.attribution.blend.revision import CUES, Revision
from tokengeist.attribution.blend.rivals import LAYERS
from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.fit import CUT, all_examples, fit
from tokengeist.bench.links import graphs, linked, links_digest
from tokengeist.bench.patterns import read_pattern
from tokengeist.bench.revision import (
    Talk,
    fit_revision,
    kept_revision,
    read_datasets,
    read_talks,
)
from tokengeist.bench.run import run
from tokengeist.bench.scoring import RunScores, score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.worker import Finished, Job, Method, Worker
from tokengeist.errors import DatasetError, OptionError, RunError
from tokengeist.models.sentences import SentenceModel

T = TypeVar("T")

DOMAIN = r"^[^-]+-([^-]+)"
"""What of an id names its domain: `airline` of `tau-airline-005-0` and of `w7-airline`."""


@dataclass(frozen=True, slots=True)
class Division:
    """Conversations to be tested, and weights that were fitted without them."""

    fitted_on: tuple[str, ...]
    tested_on: str
    ids: tuple[str, ...]
    weights: Weights
    model: SentenceModel | None = None
    revision: Revision | None = None

    @property
    def attributor(self) -> BlendAttributor:
        return BlendAttributor(self.weights, model=self.model, revision=self.revision, cache=True)


@dataclass(frozen=True, slots=True)
class Transfer:
    """What weights are worth on what they have not seen."""

    fitted_on: tuple[str, ...]
    tested_on: str
    scores: RunScores


def across(
    dataset: Dataset,
    *,
    domain: str = DOMAIN,
    model: SentenceModel | None = None,
    others: Sequence[Dataset] = (),
) -> list[Division]:
    """For each domain of a data set in turn: fitted on all its others and on other data sets.

    What other data sets have of the tested domain is left out. With a model, what it adds to those
    weights is fitted on the same.
    """
    _refuse_the_tested(dataset, others)
    by_domain = domains(dataset, domain)
    if len(by_domain) < 2:
        raise DatasetError(
            f"{dataset.folder} has conversations of {len(by_domain)} domain; "
            "a transfer needs two or more"
        )
    names = tuple(other.name for other in others)
    name = ", ".join((f"the other domains of {dataset.name}", *names))
    divisions = []
    for tested, ids in by_domain.items():
        known = tuple(other for other in by_domain if other != tested)
        kept = {
            part: [id for id in part.ids if _domain_of(id, domain) != tested]
            for part in (dataset, *others)
        }
        gold = [[p.conversation(id) for id in ids] for p, ids in kept.items() if graphs(p)]
        weights = Weights(fit(all_examples(gold)), CUT, name)
        revision = None
        if model:
            links = chain.from_iterable(linked(part, ids) for part, ids in kept.items())
            talks = read_talks(chain.from_iterable(gold), links, model)
            revision = fit_revision(talks, name, weights)
        divisions.append(Division((*known, *names), tested, ids, weights, model, revision))
    return divisions


def elsewhere(
    fitting: Sequence[Dataset], tested: Dataset, *, domain: str = DOMAIN
) -> list[Division]:
    """For each domain of `tested`: fitted on all of other data sets."""
    _refuse_the_tested(tested, fitting)
    by_domain = domains(tested, domain)
    for dataset in fitting:
        if shared := {_domain_of(id, domain) for id in dataset.ids} & by_domain.keys():
            raise DatasetError(
                f"{dataset.folder} and {tested.folder} share the domain "
                f"{', '.join(sorted(filter(None, shared)))}; "
                "a test needs domains that the weights have not seen"
            )
    names = tuple(dataset.name for dataset in fitting)
    weights = Weights(fit(all_examples(map(graphs, fitting))), CUT, ", ".join(names))
    return [Division(names, name, ids, weights) for name, ids in by_domain.items()]


def each(
    datasets: Sequence[Dataset], *, model: SentenceModel | None = None, kept: Path | None = None
) -> Iterator[tuple[Dataset, Division]]:
    """Every data set, with what was fitted on all the others.

    They may share domains; what is left out is a set of conversations and who annotated them. All
    are read once, for every division needs nearly all of them. A folder of labelled hops only is
    never tested. What the model adds is kept in `kept`, if given, and not fitted again.
    """
    if len(datasets) < 2:
        raise DatasetError("to leave one folder out takes two or more")
    names = [dataset.name for dataset in datasets]
    if kept and (twice := [name for name in names if names.count(name) > 1]):
        raise DatasetError(f"two folders are called {twice[0]}, and what is kept is called so too")
    known = [list(all_examples([graphs(dataset)])) for dataset in datasets]

    @cache
    def talks(number: int) -> list[Talk]:
        return read_datasets([datasets[number]], model) if model else []

    def fitted(number: int, name: str, weights: Weights) -> Revision:
        others = (talks(n) for n in range(len(datasets)) if n != number)
        return fit_revision(list(chain.from_iterable(others)), name, weights)

    for number, tested in enumerate(datasets):
        if not tested.gold_ids:
            continue
        others = [dataset for dataset in datasets if dataset is not tested]
        _refuse_the_tested(tested, others)
        name = ", ".join(dataset.name for dataset in others)
        weights = Weights(fit(_without(known, number)), CUT, name)
        revision = None
        if model:
            fit_this = partial(fitted, number, name, weights)
            revision = (
                kept_revision(kept / tested.name, _made_from(others, weights, model), fit_this)
                if kept
                else fit_this()
            )
        yield (
            tested,
            Division(
                ("the other folders",), tested.name, tuple(tested.ids), weights, model, revision
            ),
        )


def _without(parts: Sequence[Sequence[T]], number: int) -> Iterator[T]:
    return chain.from_iterable(part for n, part in enumerate(parts) if n != number)


def _made_from(datasets: Sequence[Dataset], weights: Weights, model: SentenceModel) -> str:
    """A digest of the data, weights and model that a revision is fitted to, and of its form."""
    said = [
        (CUES, LAYERS),
        weights.groups,
        model.fingerprint,
        [(dataset.digest(), links_digest(dataset)) for dataset in datasets],
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def with_model(fitting: Sequence[Dataset], tested: Dataset, model: SentenceModel) -> list[Division]:
    """For a whole data set: the shipped weights, and a revision fitted on others."""
    _refuse_the_tested(tested, fitting)
    names = tuple(dataset.name for dataset in fitting)
    weights = shipped_weights()
    revision = fit_revision(read_datasets(fitting, model), ", ".join(names), weights)
    return [Division(names, tested.name, tuple(tested.ids), weights, model, revision)]


def _refuse_the_tested(tested: Dataset, fitting: Sequence[Dataset]) -> None:
    if tested.folder.resolve() in [dataset.folder.resolve() for dataset in fitting]:
        raise DatasetError(f"{tested.folder} is one of the folders to fit on; test on another")


def domains(dataset: Dataset, pattern: str = DOMAIN) -> dict[str, tuple[str, ...]]:
    """The conversations of a data set by domain, as the pattern's first group names it."""
    if not read_pattern(pattern).groups:
        raise OptionError(
            f"the pattern {pattern} has no group (…) that could name a domain; the default is "
            f"{DOMAIN}"
        )
    found: dict[str, tuple[str, ...]] = {}
    for id in dataset.ids:
        name = _domain_of(id, pattern)
        if name is None:
            raise DatasetError(f"the id {id!r} names no domain by the pattern {pattern}")
        found[name] = (*found.get(name, ()), id)
    return found


def _domain_of(id: str, pattern: str) -> str | None:
    match = re.match(pattern, id)
    return match[1] if match else None


def transfer(
    dataset: Dataset, divisions: Sequence[Division], out: Path | None = None
) -> list[Transfer]:
    """Trace the divisions of a data set, each with its weights, and score each.

    The predictions are kept in `out`, if given, as a run.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = RunFolder(out or temporary)
        _refuse_another(folder, divisions[0].attributor.spec)
        method = Method("blend", settings=settings_for("blend"))
        run(dataset, folder.path, method, engine=_FittedEngine(divisions))
        return [
            Transfer(part.fitted_on, part.tested_on, score(dataset, folder, part.ids))
            for part in divisions
        ]


def _refuse_another(folder: RunFolder, spec: AttributorSpec) -> None:
    made_by = (folder.meta()["made_by"] or {}) if folder.exists() else {}
    if made_by and made_by["options"] != dict(spec.options):
        raise RunError(
            f"{folder.path} holds a run with other weights ({made_by['options'].get('weights')}); "
            "choose another folder"
        )


class _FittedEngine:
    """Traces every conversation with the weights of its division, in this process."""

    name = "inline"

    def __init__(self, divisions: Sequence[Division]) -> None:
        self._divisions = {id: part for part in divisions for id in part.ids}

    def run(self, method: Method, jobs: Iterable[Job]) -> Generator[Finished, None, None]:
        for job in jobs:
            yield Worker(method, self._divisions[job.id].attributor)(job)
