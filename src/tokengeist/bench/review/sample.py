"""Which targets to look at: a sample spread evenly over splits and dependency types.

The paper's spot-check took as many targets from either split and balanced the four kinds. A plain
random sample would hold hardly any of the rare kinds, which are the ones most often wrong.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self, TypeVar

from tokengeist.bench.dataset import Dataset, read_bytes
from tokengeist.bench.files import replace_file
from tokengeist.bench.gold import GoldTarget, quoted
from tokengeist.bench.patterns import read_pattern
from tokengeist.errors import RunError
from tokengeist.transcript import Transcript

BUCKETS = ("chained", "chained+multi_source", "direct", "hallucination")
SPLIT = r"^[A-Za-z]+(?:[-_][A-Za-z]+)*"
"""What a conversation's id says of its split: the words that it begins with."""

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Item:
    """One target of the sample, as it was when it was drawn."""

    conversation: str
    target: str
    bucket: str
    split: str
    digest: str
    """Of the graph that was drawn: a judgement of another graph was made after re-labelling."""

    @property
    def key(self) -> tuple[str, str]:
        """What actions name it by."""
        return self.conversation, self.target


@dataclass(frozen=True, slots=True)
class Sample:
    """What all reviewers of a benchmark look at, in this order."""

    seed: int
    size: int
    items: tuple[Item, ...]

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a sample that was drawn before."""
        try:
            raw = json.loads(read_bytes(path))
            return cls(raw["seed"], raw["size"], tuple(Item(**item) for item in raw["items"]))
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path} is no sample: {error!r}") from error

    def save(self, path: Path) -> None:
        """Write it for other reviewers, and for reloading."""
        path.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"
        replace_file(path, lambda file: file.write(data.encode("utf-8", "backslashreplace")))


def bucket_of(target: GoldTarget) -> str:
    """The paper's four kinds, each target in one of them."""
    if "hallucination" in target.tags:
        return "hallucination"
    if "direct" in target.tags:
        return "direct"
    both = {"multi_source", "diamond"} & set(target.tags)
    return "chained+multi_source" if both else "chained"


def split_of(conversation: str, pattern: str = SPLIT) -> str:
    """The split of a conversation, by its id.

    >>> split_of("tau-airline-005-0"), split_of("17")
    ('tau-airline', 'all')
    """
    found = re.search(pattern, conversation)
    return (found[1] if found.re.groups else found[0]) if found else "all"


def digest_of(target: GoldTarget, transcript: Transcript) -> str:
    """A digest of an annotated graph; equal digests, equal annotation."""
    text = json.dumps(quoted(target, transcript), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def draw_sample(dataset: Dataset, *, size: int, seed: int, split_by: str = SPLIT) -> Sample:
    """Draw a stratified sample. The same data, size and seed give the same sample."""
    strata: dict[str, dict[str, list[Item]]] = {}
    for item in _items(dataset, split_by):
        strata.setdefault(item.split, {}).setdefault(item.bucket, []).append(item)
    if not strata:
        raise RunError(f"{dataset.folder} has no targets to review")
    rng = random.Random(seed)
    chosen: list[Item] = []
    per_split = allocate(size, {s: sum(map(len, b.values())) for s, b in sorted(strata.items())})
    for split, share in per_split.items():
        buckets = strata[split]
        per_bucket = allocate(share, {b: len(buckets[b]) for b in BUCKETS if b in buckets})
        for bucket, number in per_bucket.items():
            chosen += rng.sample(buckets[bucket], number)
    rng.shuffle(chosen)  # so that a reviewer who stops early has still seen all kinds
    return Sample(seed, size, tuple(chosen))


def _items(dataset: Dataset, split_by: str) -> Iterable[Item]:
    read_pattern(split_by)
    gold = dataset.gold_ids
    for conversation in (dataset.conversation(id) for id in dataset.ids if id in gold):
        for target in conversation.targets:
            yield Item(
                conversation.id,
                target.name,
                bucket_of(target),
                split_of(conversation.id, split_by),
                digest_of(target, conversation.transcript),
            )


def allocate(size: int, available: Mapping[K, int]) -> dict[K, int]:
    """Divide `size` as evenly as what is available allows; the first ones get what is left over.

    >>> allocate(10, {"a": 2, "b": 9, "c": 9})
    {'a': 2, 'b': 4, 'c': 4}
    """
    shares = dict.fromkeys(available, 0)
    left = min(size, sum(available.values()))
    while left:
        for key in [key for key in shares if shares[key] < available[key]][:left]:
            shares[key] += 1
            left -= 1
    return shares
