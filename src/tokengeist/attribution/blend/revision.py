"""What a sentence model adds: the model-free log-odds of the sources of prose, revised.

How alike two texts are is one thing, and whether one rests on the other is another: an answer is
most like its question. So eight likenesses of their own were learned from labelled conversations.
Each compares what is asked about, in five views of it, with a passage; how near a turn's best
passage comes, and how large its share among all turns is, are cues beside the model-free log-odds,
the features behind these, the turn's place in the conversation and its rivals. A turn's new
log-odds are the weighted sum of its cues, with weights for each role, and what looking at all
candidates side by side adds to it (`rivals`).

`revision.json` holds the weights by name, `revision.safetensors` what has no names: the likenesses
and the layers of `rivals`. Both are made by `tokengeist fit --model`, and the first says from what.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tokengeist.attribution.blend.meaning import Likeness
from tokengeist.attribution.blend.model import BIAS
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.rivals import Rivals
from tokengeist.attribution.blend.scene import Features
from tokengeist.transcript import Role

if TYPE_CHECKING:
    from tokengeist.models.sentences import Matrix

ROLES = tuple(Role)
LIKENESSES = 8
CUES = (
    "log_odds",
    BIAS,
    "beyond_rivals",
    "chances",
    "turns_away",
    "later_of_its_role",
    "length",
    "is_first",
    "place",
    "is_latest_of_its_role",
    "best_rival",
    "best_of_its_role",
    "likelier_rivals",
    "sources_elsewhere",
    *(f"nearest_{n}" for n in range(1, LIKENESSES + 1)),
    *(f"share_{n}" for n in range(1, LIKENESSES + 1)),
)
"""The cues of every turn; the features of its own list come on top."""
_SURE = 30.0
_NO_RIVAL = -9.0
FARTHEST, NEAREST = -5.0, 20.0
"""How far and near passages may be."""
FAINTEST = 1e-3
"""The share that is no more than none."""
SMALLER = 0.2
"""Cues are made so much smaller where all of them are seen side by side."""
_DECIMALS = 4
"""More would differ between machines."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An earlier turn: what speaks for it without the model, and how alike it is."""

    turn: int
    role: Role
    features: Features
    log_odds: float
    likeness: Likeness
    length: int
    """In characters."""


def candidate(
    page: Page, values: Features, probability: float, likeness: Likeness | None
) -> Candidate:
    """A turn that may be a source, given how likely it is without the model."""
    alike = likeness or Likeness(0.0, 0.0)
    return Candidate(page.index, page.role, values, log_odds(probability), alike, len(page.text))


def cues(turn: int, candidates: Sequence[Candidate]) -> list[list[float]]:
    """The cues of every candidate source of a turn, in the order of `CUES`, but the likenesses."""
    odds = [candidate.log_odds for candidate in candidates]
    likely = [1 / (1 + math.exp(-o)) for o in odds]
    found = []
    for number, candidate in enumerate(candidates):
        rivals = [o for n, o in enumerate(odds) if n != number]
        kin = [n for n, c in enumerate(candidates) if c.role is candidate.role and n != number]
        later = sum(candidates[n].turn > candidate.turn for n in kin)
        own = odds[number]
        found.append(
            [
                own,
                1.0,
                candidate.likeness.beyond_rivals,
                candidate.likeness.chances,
                math.log1p(turn - candidate.turn),
                float(later),
                math.log1p(candidate.length),
                float(candidate.turn == 0),
                candidate.turn / turn,
                float(later == 0),
                max(rivals, default=_NO_RIVAL) / 5,
                max((odds[n] for n in kin), default=_NO_RIVAL) / 5,
                sum(o > own for o in rivals) / 5,
                sum(likely) - likely[number],
            ]
        )
    return found


def log_odds(probability: float) -> float:
    """Of a probability, and finite."""
    if 0 < probability < 1:
        return max(-_SURE, min(_SURE, math.log(probability / (1 - probability))))
    return _SURE if probability else -_SURE


@dataclass(frozen=True, slots=True, eq=False)
class Revision:
    """What each cue weighs, the learned likenesses, and what rivals say."""

    weights: Mapping[str, Mapping[str, float]]
    """By role: of every cue, and of the features of the role's list."""
    asked: Matrix
    """(views × width + 1, likenesses × inner): what is asked about; the last row is the bias."""
    passage: Matrix
    """(width + roles, likenesses × inner): a passage, and who wrote it."""
    rivals: Rivals
    """What seeing all candidates side by side adds."""
    name: str
    """What it was fitted on, in few words."""

    def probabilities(
        self,
        turn: int,
        candidates: Sequence[Candidate],
        views: Matrix,
        passages: Mapping[int, Matrix],
    ) -> dict[int, float]:
        """How likely each candidate is a source; `views` (views, width) are of the target."""
        import numpy as np

        if not candidates:
            return {}
        compared = self._compare(candidates, views, passages)
        known = np.concatenate([cues(turn, candidates), compared], axis=1)  # (candidates, cues)
        columns = {key: place for place, key in enumerate(feature_columns(self.weights))}
        values = np.zeros((len(candidates), len(columns)))
        authors = np.zeros((len(candidates), len(ROLES)))
        odds = np.zeros(len(candidates))
        for number, candidate in enumerate(candidates):
            weights = self.weights[candidate.role]
            authors[number, ROLES.index(candidate.role)] = 1.0
            for feature, value in candidate.features.items():
                values[number, columns[candidate.role, feature]] = value
                odds[number] += weights[feature] * value
            odds[number] += sum(
                weights[cue] * value for cue, value in zip(CUES, known[number], strict=True)
            )
        odds += self.rivals.odds(np.concatenate([SMALLER * known, values, authors], axis=1))
        return {
            candidate.turn: 1 / (1 + math.exp(-max(-_SURE, min(_SURE, found))))
            for candidate, found in zip(candidates, odds.tolist(), strict=True)
        }

    def _compare(
        self, candidates: Sequence[Candidate], views: Matrix, passages: Mapping[int, Matrix]
    ) -> Matrix:
        """How near the best passage of each comes, and its share: (candidates, 2 × likenesses)."""
        import numpy as np

        width = views.shape[1]
        inner = self.asked.shape[1] // LIKENESSES
        asked = (views.reshape(-1) @ self.asked[:-1] + self.asked[-1]).reshape(LIKENESSES, inner)
        best = np.full((len(candidates), LIKENESSES), FARTHEST)
        mass = np.zeros((len(candidates), LIKENESSES))
        for number, candidate in enumerate(candidates):
            texts = passages[candidate.turn]
            if not len(texts):
                continue
            own = texts @ self.passage[:width] + self.passage[width + ROLES.index(candidate.role)]
            near = np.einsum("pli,li->pl", own.reshape(-1, LIKENESSES, inner), asked)
            near = np.minimum(near / math.sqrt(inner), NEAREST)
            best[number] = np.maximum(near.max(axis=0), FARTHEST)
            mass[number] = np.exp(near).sum(axis=0)
        share = np.log(mass / (mass.sum(axis=0) + 1e-6) + FAINTEST)
        compared: Matrix = np.concatenate([best, share], axis=1)
        return compared.round(_DECIMALS)

    @classmethod
    def from_files(cls, numbers: Mapping[str, Any], nameless: bytes) -> Revision:
        """From the content of its two files."""
        import numpy as np
        from safetensors.numpy import load

        tensors = {name: found.astype(np.float32) for name, found in load(nameless).items()}
        asked, passage = tensors.pop("asked"), tensors.pop("passage")
        name = numbers["fitted_on"]["name"]
        return cls(numbers["weights"], asked, passage, Rivals(tensors), name)

    def nameless(self) -> bytes:
        """The content of the second file."""
        import numpy as np
        from safetensors.numpy import save

        tensors = {"asked": self.asked, "passage": self.passage, **self.rivals.numbers}
        return save({name: found.astype(np.float16) for name, found in tensors.items()})


def feature_columns(weights: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str]]:
    """All features of all roles in one row: (role, name) in order."""
    return [
        (role, name)
        for role, entries in sorted(weights.items())
        for name in sorted(entries)
        if name not in CUES
    ]


@cache
def shipped_revision() -> Revision:
    """The one in the package."""
    package = files(__package__)
    numbers = json.loads(package.joinpath("revision.json").read_text(encoding="utf-8"))
    return Revision.from_files(numbers, package.joinpath("revision.safetensors").read_bytes())
