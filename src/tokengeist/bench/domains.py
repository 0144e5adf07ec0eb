"""Task families of a data set: conversations that call similar tools (paper, section 5.1).

Each conversation is embedded by the signatures of the tools that it calls, with
the sentence model; k-means makes the families, and the silhouette chooses how many.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tokengeist.bench.dataset import Dataset
from tokengeist.models.sentences import Embed, SentenceModel
from tokengeist.transcript import Transcript

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MOST_FAMILIES = 12
SMALLEST_FAMILY = 4
"""On average: the silhouette alone would split a small data set into single conversations."""
COMPARED = 1000
"""The silhouette is taken over this many conversations at most, spread evenly."""
RESTARTS = 10
SHOWN_TOOLS = 3


@dataclass(frozen=True, slots=True)
class Family:
    """Conversations that belong together, and the tools that most of them call."""

    tools: tuple[str, ...]
    conversations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Domains:
    """The families of a data set, largest first, and how well they separate."""

    families: tuple[Family, ...]
    silhouette: float

    def json(self) -> dict[str, Any]:
        """As a plain object."""
        return {"silhouette": self.silhouette, "families": [asdict(f) for f in self.families]}


def find_domains(dataset: Dataset, embed: Embed | None = None) -> Domains:
    """Group the conversations of a data set; `embed` replaces the bundled model."""
    tools: dict[str, list[str]] = {}
    signatures = []
    for id in dataset.ids:
        found = call_signatures(dataset.transcript(id))
        tools[id] = [signature.partition("(")[0] for signature in found]
        signatures.append("; ".join(found) or "no tools")
    embed = embed or SentenceModel.find("finding domains").embed
    labels, silhouette = cluster(embed(signatures).astype("float64"))
    families = []
    for label in sorted(set(labels)):
        members = [id for id, found in zip(dataset.ids, labels, strict=True) if found == label]
        counts = Counter(tool for id in members for tool in tools[id])
        common = tuple(tool for tool, _ in counts.most_common(SHOWN_TOOLS))
        families.append(Family(common, tuple(members)))
    families.sort(key=lambda family: -len(family.conversations))
    return Domains(tuple(families), silhouette)


def call_signatures(transcript: Transcript) -> list[str]:
    """The distinct tools that a conversation calls, with the names of their arguments.

    A tool that is called with different arguments has all of them.
    """
    arguments: dict[str, dict[str, None]] = {}
    for turn in transcript.turns:
        for call in turn.calls:
            known = arguments.setdefault(call.name, {})
            try:
                given = json.loads(call.arguments)
            except ValueError:
                continue
            known.update(dict.fromkeys(given) if isinstance(given, dict) else {})
    return [f"{name}({', '.join(arguments[name])})" for name in sorted(arguments)]


def cluster(vectors: Matrix, most: int = MOST_FAMILIES) -> tuple[list[int], float]:
    """A label for each vector, with the number of clusters that has the best silhouette.

    Too few vectors, or vectors that are all alike, are one cluster with a silhouette of 0.
    """
    import numpy as np

    distinct = len(np.unique(vectors.round(6), axis=0))
    best: tuple[list[int], float] = ([0] * len(vectors), 0.0)
    compared = np.arange(0, len(vectors), math.ceil(len(vectors) / COMPARED) or 1)
    distances = np.sqrt(_squares(vectors[compared], vectors[compared]))
    for k in range(2, min(most, distinct, len(vectors) // SMALLEST_FAMILY) + 1):
        labels = _k_means(vectors, k)
        silhouette = _silhouette(distances, labels[compared])
        if silhouette > best[1]:
            best = (labels.tolist(), silhouette)
    return best


def _k_means(vectors: Matrix, k: int) -> NDArray[np.int64]:
    """Lloyd's algorithm from k-means++ starts; the best of several, always the same ones."""
    import numpy as np

    best: tuple[float, NDArray[np.int64]] | None = None
    for restart in range(RESTARTS):
        draw = np.random.default_rng(restart)
        centres = vectors[[draw.integers(len(vectors))]]
        while len(centres) < k:
            gaps = _squares(vectors, centres).min(axis=1)
            chosen = draw.choice(len(vectors), p=gaps / gaps.sum())
            centres = np.vstack([centres, vectors[chosen]])
        while True:
            gaps = _squares(vectors, centres)
            labels = gaps.argmin(axis=1)
            moved = np.stack(
                [
                    vectors[labels == label].mean(axis=0) if (labels == label).any() else centre
                    for label, centre in enumerate(centres)
                ]
            )
            if np.allclose(moved, centres):
                break
            centres = moved
        inertia = float(gaps.min(axis=1).sum())
        if best is None or inertia < best[0]:
            best = (inertia, labels)
    return best[1] if best else np.zeros(len(vectors), dtype=np.int64)


def _squares(ours: Matrix, theirs: Matrix) -> Matrix:
    """Squared distances: (ours, theirs)."""
    import numpy as np

    lengths = (ours**2).sum(axis=1)[:, None] + (theirs**2).sum(axis=1)
    found: Matrix = np.maximum(lengths - 2 * ours @ theirs.T, 0)
    return found


def _silhouette(distances: Matrix, labels: NDArray[np.int64]) -> float:
    """How much nearer vectors are to their own cluster than to the next, from -1 to 1."""
    import numpy as np

    members = [labels == label for label in np.unique(labels)]
    if len(members) < 2:
        return 0.0
    means = np.stack([distances[:, m].sum(axis=1) for m in members])  # (clusters, vectors)
    scores = []
    for index in range(len(labels)):
        own = next(place for place, m in enumerate(members) if m[index])
        size = int(members[own].sum())
        if size == 1:
            scores.append(0.0)
            continue
        inside = means[own, index] / (size - 1)
        outside = min(
            means[place, index] / m.sum() for place, m in enumerate(members) if place != own
        )
        scores.append(float((outside - inside) / max(inside, outside, 1e-12)))
    return sum(scores) / len(scores)
