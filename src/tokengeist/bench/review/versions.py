"""The graphs of one item: gold, as it was drawn, and the copy of everybody who edited it.

Reviewers work by themselves. Until somebody has judged or edited an item they are shown the graph
that was drawn, whatever others have made of it meanwhile; only then can they look at other copies.
So the graph that each of them ends up with by themselves says how far people agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokengeist.bench.dataset import Conversation
from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.review.editing import read_entry
from tokengeist.bench.review.judgements import Action
from tokengeist.bench.review.sample import Item, digest_of

Review = tuple[str, Sequence[Action]]
"""A reviewer's name, and what they did."""

GOLD = "gold"
"""What the graph in the gold file is called among the reviewers' copies."""


class Versions:
    """The graphs of one item, by digest."""

    def __init__(self, item: Item, conversation: Conversation, reviews: Sequence[Review]) -> None:
        self._item = item
        self._conversation = conversation
        self._reviews = {
            name: [action for action in actions if action.item == item.key]
            for name, actions in reviews
        }
        self.gold = digest_of(conversation.target(item.target), conversation.transcript)
        """The digest of the graph in the gold file."""
        self._entries: dict[str, dict[str, Any]] = dict(self._stored())

    def __contains__(self, digest: str) -> bool:
        return digest == self.gold or digest in self._entries

    def target(self, digest: str) -> GoldTarget:
        """The graph with this digest."""
        if digest == self.gold:
            return self._conversation.target(self._item.target)
        return read_entry(self._entries[digest], self._conversation)

    def entry(self, digest: str) -> dict[str, Any]:
        """The same as a gold file has it; only of graphs that are not gold."""
        return self._entries[digest]

    def is_blind(self, name: str) -> bool:
        """Whether a reviewer has yet to say anything of this item."""
        return not self._reviews.get(name)

    def shown_to(self, name: str) -> str:
        """The digest of the graph that a reviewer is shown first."""
        if self.is_blind(name):
            return self._item.digest if self._item.digest in self else self.gold
        return self._copies().get(name, self.gold)

    def named(self, name: str) -> dict[str, list[str]]:
        """The graphs that a reviewer may look at, and whose each one is."""
        found: dict[str, list[str]] = {}
        if not self.is_blind(name):
            for owner, digest in ((GOLD, self.gold), *self._copies().items()):
                found.setdefault(digest, []).append(owner)
        return found

    def own(self, name: str) -> str | None:
        """The digest of the graph that a reviewer came to without having seen another's.

        It is their last edit in a line of edits that began with the graph that was drawn, or that
        graph itself if they accepted it. Who called it wrong and left it has none.
        """
        line = [self._item.digest]
        judgements = []
        for action in self._reviews.get(name, ()):
            if action.after is not None and action.seen in line:
                line.append(action.digest)
            elif action.judgement is not None and action.digest == self._item.digest:
                judgements.append(action.judgement)
        if len(line) > 1:
            return line[-1]
        accepted = bool(judgements) and judgements[0].is_accepted
        return self._item.digest if accepted and self._item.digest in self else None

    def _copies(self) -> dict[str, str]:
        return {
            name: edits[-1].digest
            for name, actions in self._reviews.items()
            if (edits := [action for action in actions if action.after is not None])
        }

    def _stored(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for actions in self._reviews.values():
            for action in actions:
                if action.before is not None:
                    yield action.replaced, action.before
                if action.after is not None:
                    yield action.digest, action.after
