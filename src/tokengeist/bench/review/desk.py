"""A benchmark under review: the sample, everybody's judgements and copies, and the gold graphs.

Everything is read from disk when it is asked for. The files are small, and so several reviewers, in
one process or in several, always see the same state.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.files import lock_file
from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.review.acceptance import acceptance
from tokengeist.bench.review.agreement import ReviewerAgreement, kappas, reviewer_agreement
from tokengeist.bench.review.editing import ConflictError, Edges, edit, put
from tokengeist.bench.review.judgements import (
    Action,
    Edited,
    Judgement,
    Reviewer,
    judged,
    reviewers,
)
from tokengeist.bench.review.sample import SPLIT, Item, Sample, digest_of, draw_sample
from tokengeist.bench.review.versions import Review, Versions
from tokengeist.errors import RunError, UnknownNameError
from tokengeist.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Opened:
    """One item with everything that a reviewer needs to see."""

    item: Item
    conversation: Conversation
    target: GoldTarget
    """The graph that is shown."""
    digest: str
    """Of the graph that is shown."""
    gold: str
    """The digest of the graph in the gold file."""
    versions: dict[str, list[str]]
    """The graphs that may be looked at, and whose they are: reviewers' names, and `gold`."""


class ReviewDesk:
    """Where reviews happen."""

    def __init__(self, dataset: Dataset, sample: Sample) -> None:
        self.dataset = dataset
        self.sample = sample
        self._lock = threading.Lock()
        self._known: dict[str, tuple[tuple[int, int, int], dict[str, str]]] = {}

    @classmethod
    def over(
        cls, dataset: Dataset, *, size: int | None, seed: int | None, split_by: str = SPLIT
    ) -> ReviewDesk:
        """The review of a folder, with the sample that is there or a new one.

        A sample is drawn once. Asking for another size or seed later is refused, because
        judgements already made belong to the sample that was drawn.
        """
        path = dataset.folder / "review" / "sample.json"
        if not path.exists():
            drawn = draw_sample(dataset, size=size or 100, seed=seed or 0, split_by=split_by)
            drawn.save(path)
            return cls(dataset, drawn)
        sample = Sample.load(path)
        wanted = (size or sample.size, sample.seed if seed is None else seed)
        if wanted != (sample.size, sample.seed):
            raise RunError(
                f"a sample of {sample.size} with seed {sample.seed} was drawn already; remove "
                f"{path} to draw another"
            )
        return cls(dataset, sample)

    @property
    def folder(self) -> Path:
        """Where reviews are kept."""
        return self.dataset.folder / "review"

    def reviewer(self, name: str) -> Reviewer:
        """A reviewer by name, known or new."""
        return Reviewer(self.folder, name)

    def open(self, index: int, name: str, version: str | None = None) -> Opened:
        """An item as a reviewer is to see it, or in the version with a digest that was offered."""
        item, conversation = self._item(index)
        versions = Versions(item, conversation, self._reviews())
        digest = version or versions.shown_to(name)
        offered = versions.named(name)
        if version is not None and version not in offered:
            raise UnknownNameError("there is no such graph, or it cannot be seen yet")
        return Opened(item, conversation, versions.target(digest), digest, versions.gold, offered)

    def judge(self, name: str, index: int, judgement: Judgement, *, note: str, seen: str) -> None:
        """Judge the graph with the digest `seen`."""
        reviewer = self.reviewer(name)
        with self._writing():
            item = self._seen(index, seen)
            reviewer.judge(item.key, judgement, note=note, digest=seen)

    def edit(self, name: str, index: int, new: Edges, *, seen: str) -> None:
        """Change a graph, if the result obeys the protocol, and keep the reviewer's copy.

        The gold file changes with it unless somebody else's graph stands there.
        """
        reviewer = self.reviewer(name)
        with self._writing():
            item = self._seen(index, seen)
            done = edit(self.dataset, item.conversation, item.target, new, seen=seen)
            reviewer.edited(item.key, done)

    def adopt(self, name: str, index: int, digest: str, *, gold: str) -> None:
        """Make a copy with this digest the gold graph, in place of the one with the digest `gold`.

        It becomes the reviewer's copy too.
        """
        reviewer = self.reviewer(name)
        with self._writing():
            item, conversation = self._item(index)
            versions = Versions(item, conversation, self._reviews())
            if digest not in versions.named(name) or digest == versions.gold:
                raise UnknownNameError("there is no such copy to make gold")
            entry = versions.entry(digest)
            before = put(self.dataset, item.conversation, item.target, entry, seen=gold)
            reviewer.edited(item.key, Edited(digest, digest, entry, before, gold))

    def undo(self, name: str) -> Action | None:
        """Take a reviewer's last action back; returns it, or None where there is none."""
        reviewer = self.reviewer(name)
        with self._writing():
            actions = reviewer.actions()
            if not actions:
                return None
            last = actions[-1]
            if last.before is not None:
                put(self.dataset, last.conversation, last.target, last.before, seen=last.digest)
            reviewer.undo()
            return last

    def overview(self, name: str) -> list[dict[str, Any]]:
        """The sample with what one reviewer said of each item."""
        said = judged(self.reviewer(name).actions())
        digests = self._digests()
        found = []
        touched = {action.item for action in self.reviewer(name).actions()}
        for item in self.sample.items:
            key = item.key
            last = said[key][-1] if key in said else None
            found.append(
                {
                    "conversation": item.conversation,
                    "target": item.target,
                    "bucket": item.bucket,
                    "split": item.split,
                    "judgement": last.judgement if last else None,
                    "note": last.note if last else "",
                    # Who has not looked at it yet is not told what others made of it.
                    "is_relabelled": key in touched
                    and digests.get(key, item.digest) != item.digest,
                    "is_waiting": last is not None and last.digest != digests.get(key),
                }
            )
        return found

    def statistics(self) -> dict[str, Any]:
        """Acceptance for every reviewer and for all, and agreement between any two."""
        reviews = self._reviews()
        digests = self._digests()
        tables = {
            name: acceptance(self.sample, [acts], digests).to_json() for name, acts in reviews
        }
        everybody = acceptance(self.sample, [actions for _, actions in reviews], digests)
        return {
            "sample": {
                "size": len(self.sample.items),
                "seed": self.sample.seed,
                "reviewers": [name for name, _ in reviews],
            },
            "acceptance": everybody.to_json(),
            "by_reviewer": tables,
            "agreement": [kappa.to_json() for kappa in kappas(reviews)],
            "graphs": [found.to_json() for found in self._graph_agreement(reviews)],
        }

    def _graph_agreement(self, reviews: Sequence[Review]) -> Iterator[ReviewerAgreement]:
        """Agreement between any two reviewers on the graphs that each came to by themselves."""
        own: dict[str, dict[tuple[str, str], GoldTarget]] = {name: {} for name, _ in reviews}
        transcripts: dict[str, Transcript] = {}
        for index, item in enumerate(self.sample.items if len(reviews) > 1 else ()):
            _, conversation = self._item(index)
            transcripts[item.conversation] = conversation.transcript
            versions = Versions(item, conversation, reviews)
            for name in own:
                digest = versions.own(name)
                if digest is not None:
                    own[name][item.key] = versions.target(digest)
        for one, other in combinations(own, 2):
            yield reviewer_agreement((one, other), own[one], own[other], transcripts)

    def _item(self, index: int) -> tuple[Item, Conversation]:
        if not 0 <= index < len(self.sample.items):
            raise UnknownNameError(f"the sample has no item {index}")
        item = self.sample.items[index]
        return item, self.dataset.conversation(item.conversation)

    def _seen(self, index: int, digest: str) -> Item:
        """An item that has or had a graph with this digest."""
        item, conversation = self._item(index)
        if digest not in Versions(item, conversation, self._reviews()):
            raise ConflictError("the graph has been changed meanwhile; look at it again first")
        return item

    def _reviews(self) -> list[Review]:
        return [(reviewer.name, reviewer.actions()) for reviewer in reviewers(self.folder)]

    def _digests(self) -> dict[tuple[str, str], str]:
        """The graphs of the sample as they are now. One that is gone has no entry."""
        found = {}
        for id in {item.conversation for item in self.sample.items}:
            for name, digest in self._digests_of(id).items():
                found[id, name] = digest
        return found

    def _digests_of(self, id: str) -> dict[str, str]:
        """The digests of one conversation, computed again only when its gold file has changed."""
        stat = self.dataset.gold_path(id).stat()
        stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if id not in self._known or self._known[id][0] != stamp:
            conversation = self.dataset.conversation(id)
            digests = {t.name: digest_of(t, conversation.transcript) for t in conversation.targets}
            self._known[id] = (stamp, digests)
        return self._known[id][1]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One change at a time, in this process and on this disk."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._lock, (self.folder / ".lock").open("wb") as file:
            lock_file(file, self.folder)
            yield
