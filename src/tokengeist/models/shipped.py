"""The probes inside this package, and which model each belongs to.

A model is known by the content of its GGUF file, not by its name: a probe says something about one
set of weights, and another release of the embedded model, or a file of the same name, is another.
"""

from __future__ import annotations

import json
from pathlib import Path

from tokengeist.models.cache import sampled_digest
from tokengeist.models.store import ModelPlace

SHIPPED = Path(__file__).parent / "probes"


def shipped_probe(place: ModelPlace) -> Path | None:
    """The directory of the probe that was trained for the model at `place`, if there is one."""
    if place.path is None or place.path.suffix != ".gguf":
        return None
    digest = sampled_digest(place.path)
    for card in sorted(SHIPPED.glob("*/probe.json")):
        if json.loads(card.read_text("utf-8"))["gguf"] == digest:
            return card.parent
    return None
