"""Fit the weights of the `blend` backend to gold graphs.

An example is one assistant turn of a gold graph with what its dependents needed of it, and for
every earlier turn whether it is a source. Weights start from the rules of the annotation protocol,
and leave them only as far as the data insist: a logistic regression pulled towards its start. That
matters more than the fit itself, because a domain shows only some of the ways in which a turn can
be a source. Nothing is drawn at random, so the same data give the same weights.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.model import BIAS, starting_weights
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.scene import Features
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.links import graphs
from tokengeist.transcript import Role, Span, Target, Transcript

STIFFNESS = 16.0
"""How strongly weights are held to their start; the bias a tenth of that."""
CUT = 0.2
"""Below one half, because a missing source takes all that lies behind it along."""
_STEPS = 50
_SETTLED = 1e-9


@dataclass(frozen=True, slots=True)
class Example:
    """A candidate source: which features apply, their values, and whether it is one."""

    group: str
    features: Features
    is_source: bool


def examples(conversation: Conversation) -> Iterator[Example]:
    """The examples in the gold graphs of a conversation; what two graphs share counts once."""
    book = Book(conversation.transcript)
    for target, sources in needs(conversation):
        for candidate, (group, values) in features(book, understand(book, target)).items():
            yield Example(group, values, candidate in sources)


def all_examples(parts: Iterable[Iterable[Conversation]]) -> Iterator[Example]:
    """The examples of several data sets."""
    for part in parts:
        for conversation in part:
            yield from examples(conversation)


def needs(conversation: Conversation) -> Iterator[tuple[Target, Collection[int]]]:
    """What is explained in the gold graphs of a conversation, and its sources."""
    seen: set[Target] = set()
    for gold in conversation.targets:
        for turn in gold.nodes:
            if conversation.transcript.turns[turn].role is not Role.ASSISTANT:
                continue
            target = needed(gold, turn, conversation.transcript)
            if target in seen:
                continue
            seen.add(target)
            yield target, gold.sources[turn]


def needed(gold: GoldTarget, turn: int, transcript: Transcript) -> Target:
    """What the dependents of a turn needed of it: of a call, all of it."""
    if turn == gold.turn:
        return gold.target
    spans: set[Span] = set()
    for edge in gold.edges:
        if edge.source == turn:
            site = transcript.call_sites.get(edge.dependent)
            spans.add(site.span if site and site.turn == turn else edge.span)
    return Target(turn, tuple(sorted(spans)))


def fit(data: Iterable[Example], *, stiffness: float = STIFFNESS) -> dict[str, dict[str, float]]:
    """The weights that the examples call for, by group and feature."""
    grouped: dict[str, list[Example]] = {}
    for example in data:
        grouped.setdefault(example.group, []).append(example)
    return {
        group: fit_group(start, grouped.get(group, []), stiffness)
        for group, start in starting_weights().items()
    }


def fit_group(
    start: Mapping[str, float], data: Sequence[Example], stiffness: float
) -> dict[str, float]:
    """Newton's method on the penalised log-likelihood, which has one maximum."""
    names = [BIAS, *sorted(name for name in start if name != BIAS)]
    rows = [
        (tuple(1.0 if n == BIAS else e.features[n] for n in names), float(e.is_source))
        for e in data
    ]
    pull = [stiffness * 0.1 if name == BIAS else stiffness for name in names]
    origin = [start[name] for name in names]
    weights = list(origin)
    for _ in range(_STEPS):
        gradient = [p * (w - o) for p, w, o in zip(pull, weights, origin, strict=True)]
        curvature = [[p if i == j else 0.0 for j in range(len(names))] for i, p in enumerate(pull)]
        for row, label in rows:
            logit = sum(w * x for w, x in zip(weights, row, strict=True))
            probability = 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))
            present = [(i, x) for i, x in enumerate(row) if x]
            bend = probability * (1 - probability)
            for i, x in present:
                gradient[i] += (probability - label) * x
                for j, y in present:
                    curvature[i][j] += bend * x * y
        step = _solve(curvature, gradient)
        longest = max(1.0, max(abs(s) for s in step))  # no step longer than 1 in any direction
        weights = [w - s / longest for w, s in zip(weights, step, strict=True)]
        if max(abs(s) for s in step) < _SETTLED:
            break
    return dict(zip(names, weights, strict=True))


def _solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """A system of linear equations, by elimination; `matrix` is positive definite."""
    size = len(vector)
    rows = [[*row, value] for row, value in zip(matrix, vector, strict=True)]
    for i in range(size):
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            for k in range(i, size + 1):
                rows[j][k] -= factor * rows[i][k]
    solution = [0.0] * size
    for i in reversed(range(size)):
        known = sum(rows[i][j] * solution[j] for j in range(i + 1, size))
        solution[i] = (rows[i][size] - known) / rows[i][i]
    return solution


def weights_json(datasets: Sequence[Dataset]) -> dict[str, Any]:
    """The content of a weights file fitted to those data sets that have gold graphs."""
    datasets = [dataset for dataset in datasets if graphs(dataset)]
    data = list(all_examples(datasets))
    start, fitted = starting_weights(), fit(data)
    return {
        "fitted_on": {
            "name": ", ".join(f"{dataset.name} ({len(dataset.ids)})" for dataset in datasets),
            "digests": {dataset.name: dataset.digest() for dataset in datasets},
            "examples": len(data),
            "sources": sum(example.is_source for example in data),
        },
        "stiffness": STIFFNESS,
        "cut": CUT,
        "weights": {
            group: {
                name: {"start": start[group][name], "fitted": round(value, 4)}
                for name, value in entries.items()
            }
            for group, entries in fitted.items()
        },
    }
