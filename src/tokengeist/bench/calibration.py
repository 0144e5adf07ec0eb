"""Whether a probability is worth what it says: how many links with about that score are right.

What is counted is what `blend` shows, one hop at a time, each from what gold says that the hop
before it needed, so that one error is not counted again behind itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from tokengeist.attribution.blend.attributor import LEAST, BlendAttributor
from tokengeist.bench.dataset import Conversation
from tokengeist.bench.fit import needs

BOUNDS = (LEAST, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
"""Where the bands begin; the last ends with certainty."""


@dataclass(frozen=True, slots=True)
class Band:
    """The links with a score from `low` to below `high`."""

    low: float
    high: float
    links: int
    sources: int
    """Of the links, those that gold has as well."""

    def json(self) -> dict[str, float]:
        """As a plain object."""
        return asdict(self)


def scored_links(
    conversations: Iterable[Conversation], attributor: BlendAttributor
) -> Iterator[tuple[float, bool]]:
    """The score of every link from what gold explains, and whether gold has it as well."""
    for conversation in conversations:
        reading = attributor.read(conversation.transcript, ())
        for target, sources in needs(conversation):
            for link in reading.explain(target).links:
                yield link.score, link.turn in sources


def bands(scored: Iterable[tuple[float, bool]]) -> list[Band]:
    """The links counted by score, from the least likely on."""
    edges = (*BOUNDS, 1.0)
    inside: list[list[bool]] = [[] for _ in BOUNDS]
    for score, is_source in scored:
        inside[bisect_right(BOUNDS, score) - 1].append(is_source)
    return [Band(edges[n], edges[n + 1], len(found), sum(found)) for n, found in enumerate(inside)]
