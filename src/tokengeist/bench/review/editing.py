"""Putting a gold graph right: every rule is checked first, and the file changes whole or not.

Only the entry of the edited target is replaced; everything else in the file stays as it was, in
whichever of the two forms it is written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokengeist.bench.dataset import Conversation, Dataset, read_bytes, read_gold
from tokengeist.bench.files import replace_file
from tokengeist.bench.gold import GoldTarget, fitting_tags, offsets, quoted
from tokengeist.bench.review.judgements import Edited
from tokengeist.bench.review.sample import digest_of
from tokengeist.bench.validation import check
from tokengeist.errors import DatasetError


class EditError(DatasetError):
    """An edit that was refused; nothing was written."""


class ConflictError(EditError):
    """The graph has changed since it was seen."""


class RuleError(EditError):
    """The edited graph breaks rules of the protocol."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Edges:
    """What an editor may change of a target: its edges with their evidence, and what it is."""

    edges: tuple[tuple[int, int, int, int], ...]
    """Dependent, source, and the range of the source's text that was needed."""
    is_hallucination: bool
    corrective: tuple[int, ...] = ()
    comment: str = ""


def edit(dataset: Dataset, conversation_id: str, name: str, new: Edges, *, seen: str) -> Edited:
    """Change a target's graph. `seen` is the digest of the graph that the editor had before them.

    The gold file changes only if that graph is the one that stands there: nobody's work is
    overwritten by somebody who has not seen it. The tags that follow from a graph's shape are set
    here; whether the span is a hallucination only a person can say.
    """
    conversation = dataset.conversation(conversation_id)
    old = conversation.target(name)
    entry = offsets(old) | {"comment": new.comment, "corrected_from": old.corrected_from}
    entry["ground_truth_deps"] = _dependencies(old.turn, new)
    entry["corrective_turns"] = list(new.corrective)
    entry["dep_type_tags"] = []
    shaped = read_entry(entry, conversation)
    entry["dep_type_tags"] = fitting_tags(shaped, is_hallucination=new.is_hallucination)
    target = read_entry(entry, conversation)
    checked = Conversation(conversation.transcript, (target,))
    problems = [p for p in check(checked, file=conversation_id) if not p.is_advice]
    if problems:
        raise RuleError([_said(p.turn, p.message) for p in problems])
    now = digest_of(old, conversation.transcript)
    in_offsets = "target_text" not in _entry(dataset, conversation_id, name)
    after = offsets(target) if in_offsets else quoted(target, conversation.transcript)
    # From what is kept: the offsets form leaves comments behind.
    digest = digest_of(read_entry(after, conversation), conversation.transcript)
    if now != seen:
        return Edited(seen, digest, after)
    return Edited(seen, digest, after, _replace(dataset, conversation_id, name, after), now)


def put(
    dataset: Dataset, conversation_id: str, name: str, entry: dict[str, Any], *, seen: str
) -> dict[str, Any]:
    """Put another entry into the gold file, if the graph there is still `seen`; returns the old."""
    conversation = dataset.conversation(conversation_id)
    if digest_of(conversation.target(name), conversation.transcript) != seen:
        raise ConflictError(
            f"the graph of '{name}' has been changed meanwhile; look at it again first"
        )
    return _replace(dataset, conversation_id, name, entry)


def read_entry(entry: dict[str, Any], conversation: Conversation) -> GoldTarget:
    """A target from what a gold file has of it. Raises `RuleError`."""
    data = json.dumps({"conversation_id": conversation.id, "targets": [entry]}).encode()
    targets, problems = read_gold(data, conversation.transcript, file=conversation.id)
    if problems:
        raise RuleError([_said(problem.turn, problem.message) for problem in problems])
    return targets[0]


def _dependencies(root: int, new: Edges) -> dict[str, Any]:
    turns = {root} | {edge[0] for edge in new.edges} | {edge[1] for edge in new.edges}
    found: dict[str, Any] = {}
    for turn in sorted(turns, reverse=True):
        own = [edge for edge in new.edges if edge[0] == turn]
        found[str(turn)] = {
            "depends_on": [source for _, source, _, _ in own],
            "span_offsets": {str(source): [start, end] for _, source, start, end in own},
        }
    return found


def _said(turn: int | None, message: str) -> str:
    return message if turn is None else f"turn {turn}: {message}"


def _entry(dataset: Dataset, conversation_id: str, name: str) -> dict[str, Any]:
    raw = json.loads(read_bytes(dataset.gold_path(conversation_id)))
    found: dict[str, Any] = next(entry for entry in raw["targets"] if entry["name"] == name)
    return found


def _replace(
    dataset: Dataset, conversation_id: str, name: str, new: dict[str, Any]
) -> dict[str, Any]:
    path = dataset.gold_path(conversation_id)
    raw = json.loads(read_bytes(path))
    position = next(n for n, entry in enumerate(raw["targets"]) if entry["name"] == name)
    before: dict[str, Any] = raw["targets"][position]
    raw["targets"][position] = new
    text = json.dumps(raw, ensure_ascii=False, indent=1) + "\n"
    replace_file(path, lambda file: file.write(text.encode("utf-8", "backslashreplace")))
    return before
