"""What a sentence model adds: the model-free log-odds of the sources of prose, revised.

How alike two texts are is one thing, and whether one rests on the other is another: an answer is
most like its question. So eight likenesses of their own were learned from labelled conversations.
Each compares what is asked about, in five views of it, with a passage; how near a turn's best
passage comes, and how large its share among all turns is, are cues beside the model-free log-odds,
the features behind these, the turn's place in the conversation and its rivals. A turn's new
log-odds are the weighted sum of its cues, with weights for each role.

`revision.json` holds the weights by name, `revision.safetensors` the likenesses. Both are made by
`tokengeist fit --model`, and the first says from what.
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
    """What each cue weighs, and the learned likenesses."""

    weights: Mapping[str, Mapping[str, float]]
    """By role: of every cue, and of the features of the role's list."""
    asked: Matrix
    """(views × width + 1, likenesses × inner): what is asked about; the last row is the bias."""
    passage: Matrix
    """(width + roles, likenesses × inner): a passage, and who wrote it."""
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
        compared = self._compare(candidates, views, passages)
        found = {}
        for candidate, known, alike in zip(
            candidates, cues(turn, candidates), compared.tolist(), strict=True
        ):
            weights = self.weights[candidate.role]
            given = dict(zip(CUES, (*known, *alike), strict=True)) | candidate.features
            odds = sum(weights[name] * value for name, value in given.items())
            found[candidate.turn] = 1 / (1 + math.exp(-max(-_SURE, min(_SURE, odds))))
        return found

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
    def from_files(cls, numbers: Mapping[str, Any], likenesses: bytes) -> Revision:
        """From the content of its two files."""
        import numpy as np
        from safetensors.numpy import load

        tensors = {name: found.astype(np.float32) for name, found in load(likenesses).items()}
        return cls(numbers["weights"], **tensors, name=numbers["fitted_on"]["name"])

    def likenesses(self) -> bytes:
        """The content of the second file."""
        import numpy as np
        from safetensors.numpy import save

        halves = {"asked": self.asked, "passage": self.passage}
        return save({name: found.astype(np.float16) for name, found in halves.items()})


@cache
def shipped_revision() -> Revision:
    """The one in the package."""
    package = files(__package__)
    numbers = json.loads(package.joinpath("revision.json").read_text(encoding="utf-8"))
    return Revision.from_files(numbers, package.joinpath("revision.safetensors").read_bytes())
