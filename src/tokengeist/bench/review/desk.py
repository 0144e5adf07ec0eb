"""A benchmark under review: the sample, everybody's judgements, and the graphs as they are now.

Everything is read from disk when it is asked for. The files are small, and so several reviewers, in
one process or in several, always see the same state.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.files import lock_file
from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.review.acceptance import acceptance
from tokengeist.bench.review.agreement import kappas
from tokengeist.bench.review.editing import ConflictError, Edges, edit, restore
from tokengeist.bench.review.judgements import Action, Judgement, Reviewer, judged, reviewers
from tokengeist.bench.review.sample import SPLIT, Item, Sample, digest_of, draw_sample
from tokengeist.errors import RunError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Opened:
    """One item with everything that a reviewer needs to see."""

    item: Item
    conversation: Conversation
    target: GoldTarget
    digest: str


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

    def open(self, index: int) -> Opened:
        """An item of the sample as it is now."""
        if not 0 <= index < len(self.sample.items):
            raise UnknownNameError(f"the sample has no item {index}")
        item = self.sample.items[index]
        conversation = self.dataset.conversation(item.conversation)
        target = conversation.target(item.target)
        return Opened(item, conversation, target, digest_of(target, conversation.transcript))

    def judge(self, name: str, index: int, judgement: Judgement, *, note: str, seen: str) -> None:
        """Judge the graph with the digest `seen`, which must still be the one that stands there."""
        reviewer = self.reviewer(name)
        with self._writing():
            opened = self.open(index)
            if opened.digest != seen:
                raise ConflictError("the graph has been changed meanwhile; look at it again first")
            key = (opened.item.conversation, opened.item.target)
            reviewer.judge(key, judgement, note=note, digest=seen)

    def edit(self, name: str, index: int, new: Edges, *, seen: str) -> None:
        """Change a graph, if the result obeys the protocol."""
        reviewer = self.reviewer(name)
        with self._writing():
            item = self.open(index).item
            done = edit(self.dataset, item.conversation, item.target, new, seen=seen)
            key = (item.conversation, item.target)
            reviewer.edited(key, before=done.before, digest=done.digest)

    def undo(self, name: str) -> Action | None:
        """Take a reviewer's last action back; returns it, or None where there is none."""
        reviewer = self.reviewer(name)
        with self._writing():
            actions = reviewer.actions()
            if not actions:
                return None
            last = actions[-1]
            if last.before is not None:
                restore(self.dataset, last.conversation, last.target, last.before, seen=last.digest)
            reviewer.undo()
            return last

    def overview(self, name: str) -> list[dict[str, Any]]:
        """The sample with what one reviewer said of each item."""
        said = judged(self.reviewer(name).actions())
        digests = self._digests()
        found = []
        for item in self.sample.items:
            key = (item.conversation, item.target)
            last = said[key][-1] if key in said else None
            found.append(
                {
                    "conversation": item.conversation,
                    "target": item.target,
                    "bucket": item.bucket,
                    "split": item.split,
                    "judgement": last.judgement if last else None,
                    "note": last.note if last else "",
                    "is_relabelled": digests.get(key, item.digest) != item.digest,
                    "is_waiting": last is not None and last.digest != digests.get(key),
                }
            )
        return found

    def statistics(self) -> dict[str, Any]:
        """Acceptance for every reviewer and for all, and agreement between any two."""
        reviews = [(r.name, r.actions()) for r in reviewers(self.folder)]
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
        }

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
