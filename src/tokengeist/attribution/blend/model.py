"""Named features → the probability that a turn is a source, by weights that can be read.

`weights.json` is made by `tokengeist fit` and says from what. Each weight started from a rule of
the annotation protocol (`start`) and was moved by the data as far as the data insisted (`fitted`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

BIAS = "bias"


@dataclass(frozen=True, slots=True)
class Weights:
    """Per list of features, the weight of each; and where the line between yes and no lies."""

    groups: Mapping[str, Mapping[str, float]]
    cut: float
    name: str = ""
    """What they were fitted on, in few words."""

    def probability(self, group: str, features: Mapping[str, float]) -> float:
        """How likely a turn with these features is a source."""
        weights = self.groups[group]
        logit = weights[BIAS] + sum(weights[name] * value for name, value in features.items())
        return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Weights:
        """From a weights file's content."""
        groups = {
            group: {name: float(entry["fitted"]) for name, entry in entries.items()}
            for group, entries in data["weights"].items()
        }
        return cls(groups, float(data["cut"]), data["fitted_on"]["name"])


@cache
def shipped_data() -> Mapping[str, Any]:
    """The content of the weights file in the package."""
    text = files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


@cache
def shipped_weights() -> Weights:
    """The weights in the package."""
    return Weights.from_json(shipped_data())


def starting_weights() -> dict[str, dict[str, float]]:
    """Where a fit starts from."""
    return {
        group: {name: float(entry["start"]) for name, entry in entries.items()}
        for group, entries in shipped_data()["weights"].items()
    }
