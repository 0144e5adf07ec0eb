"""What likeness in meaning adds: the model-free probability of a source of prose, revised.

`revision.json` holds four numbers for each role of the candidate, made by `tokengeist fit --model`:
how far the model-free log-odds are trusted, and what is added to them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tokengeist.attribution.blend.meaning import Likeness
from tokengeist.attribution.blend.model import BIAS

TRUST, MEANING, CHANCES = "trust", "meaning", "chances"
START = {BIAS: 0.0, TRUST: 1.0, MEANING: 0.5, CHANCES: -0.3}
"""Where a fit starts from: a turn that is more alike than its rivals is likelier a source."""
GROUPS = ("prose/system", "prose/user", "prose/tool")
HOW_FAR = 0.5
"""What was fitted is gone half way: the whole way finds little more, and loses twice as much where
the model-free part is at its best."""
_CERTAIN = 1e-12


@dataclass(frozen=True, slots=True)
class Revision:
    """Per list of features, the weight of each of the four."""

    groups: Mapping[str, Mapping[str, float]]
    name: str
    """What it was fitted on, in few words."""

    def probability(self, group: str, free: float, likeness: Likeness) -> float:
        """How likely a turn is a source, given how likely it is without the model."""
        weights = self.groups[group]
        found = evidence(free, likeness)
        fitted = weights[BIAS] + sum(weights[name] * value for name, value in found.items())
        logit = (1 - HOW_FAR) * found[TRUST] + HOW_FAR * fitted
        return 1 / (1 + math.exp(-max(-500.0, logit)))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Revision:
        """From a file's content."""
        return cls(data["weights"], data["fitted_on"]["name"])


def evidence(free: float, likeness: Likeness) -> dict[str, float]:
    """What is weighed, by name."""
    free = min(max(free, _CERTAIN), 1 - _CERTAIN)
    return {
        TRUST: math.log(free / (1 - free)),
        MEANING: likeness.beyond_rivals,
        CHANCES: likeness.chances,
    }


@cache
def shipped_revision() -> Revision:
    """The one in the package."""
    text = files(__package__).joinpath("revision.json").read_text(encoding="utf-8")
    return Revision.from_json(json.loads(text))
