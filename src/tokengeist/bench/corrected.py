"""Corrected hallucination targets: the wrong value replaced by the right one, as a reviewed patch.

A hallucination's gold says where the wrong value came from. The paper also asks whether the right
value can be traced, and for that replaces wrong values by reviewed ones and leaves the rest of the
conversation alone (appendix C). A patch file holds what stood there and what should have, side by
side; it is applied when the corrected benchmark is made, and refused where the benchmark has moved
on. Each corrected target becomes a conversation of its own: two corrections of one conversation
would otherwise stand in each other's context.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tokengeist.bench.annotation.gather import messages
from tokengeist.bench.dataset import Conversation, Dataset, gold_json, read_bytes, read_gold
from tokengeist.bench.files import replace_file
from tokengeist.bench.gold import GoldTarget, offsets
from tokengeist.bench.review.editing import find_target, fitting_tags
from tokengeist.bench.validation import check
from tokengeist.errors import DatasetError
from tokengeist.transcript import Span, Transcript, Turn


@dataclass(frozen=True, slots=True)
class TargetPatch:
    """One wrong value and what it should have been."""

    conversation: str
    target: str
    before: str
    after: str
    reason: str = ""
    ground_truth_deps: dict[str, Any] | None = None
    """Where the right value comes from, as a gold file has it; left out, the graph stays."""

    @property
    def is_filled_in(self) -> bool:
        """Whether a reviewer has put a right value."""
        return self.after != self.before


def propose_patches(dataset: Dataset) -> Iterator[TargetPatch]:
    """An entry for every hallucination, for a reviewer to fill in or to delete."""
    for conversation in dataset:
        for target in conversation.targets:
            if "hallucination" in target.tags:
                text = target.span.of(conversation.transcript.turns[target.turn].text)
                yield TargetPatch(conversation.id, target.name, text, text, target.comment)


def read_patches(path: Path) -> list[TargetPatch]:
    """The entries of a patch file."""
    try:
        return [TargetPatch(**entry) for entry in json.loads(read_bytes(path))]
    except (ValueError, TypeError) as error:
        raise DatasetError(f"{path} is no list of corrected targets: {error}") from error


def write_patches(patches: Sequence[TargetPatch], path: Path) -> None:
    """Write entries for review."""
    _write(path, [asdict(patch) for patch in patches], indent=2)


def corrected(dataset: Dataset, patches: Sequence[TargetPatch]) -> Iterator[Conversation]:
    """The corrected conversations, each with its one target. Entries not filled in are passed over.

    Raises `DatasetError` for an entry that does not fit, or whose graph breaks the protocol.
    """
    for patch in patches:
        if patch.is_filled_in:
            yield _corrected(dataset.conversation(patch.conversation), patch)


def write_corrected(conversations: Iterator[Conversation], folder: Path) -> int:
    """Write a benchmark folder of corrected conversations; returns how many."""
    count = 0
    for conversation in conversations:
        talk = {"id": conversation.id, "messages": messages(conversation.transcript)}
        for name, data in (("conversations", talk), ("gold", gold_json(conversation))):
            (folder / name).mkdir(parents=True, exist_ok=True)
            _write(folder / name / f"{conversation.id}.json", data, indent=1)
        count += 1
    return count


def _write(path: Path, data: object, *, indent: int) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=indent) + "\n"
    replace_file(path, lambda file: file.write(text.encode("utf-8", "backslashreplace")))


def _corrected(conversation: Conversation, patch: TargetPatch) -> Conversation:
    target = find_target(conversation, patch.target)
    transcript = conversation.transcript
    turn = transcript.turns[target.turn]
    place = f"target '{patch.target}' of {patch.conversation}"
    if target.span.of(turn.text) != patch.before:
        raise DatasetError(f"the text of {place} is not what its correction says it was")
    changed = _with_text(turn, target.span, patch.after)
    if changed is None or not patch.after.strip():
        raise DatasetError(f"{place} cannot be replaced: it is empty or spans prose and a call")
    turns = (*transcript.turns[: turn.index], changed, *transcript.turns[turn.index + 1 :])
    fresh = Transcript(turns, id=f"{conversation.id}--{target.name}")
    span = Span(target.span.start, target.span.start + len(patch.after))
    entry = offsets(replace(target, span=span, corrective=())) | {
        "comment": patch.reason or target.comment,
        "corrected_from": patch.before,
    }
    if patch.ground_truth_deps is not None:
        entry["ground_truth_deps"] = patch.ground_truth_deps
    right = _read(entry, fresh, place)
    right = replace(right, tags=tuple(fitting_tags(right, is_hallucination=False)))
    made = Conversation(fresh, (right,))
    for problem in check(made, file=fresh.id):
        if not problem.is_advice:
            raise DatasetError(f"the corrected graph of {place}: {problem.message}")
    return made


def _with_text(turn: Turn, span: Span, text: str) -> Turn | None:
    """The turn with `span` replaced, in its prose or in one call's arguments."""

    def put(into: str, start: int) -> str:
        return into[: span.start - start] + text + into[span.end - start :]

    if span.end <= len(turn.content):
        return replace(turn, content=put(turn.content, 0))
    for number, (call, where) in enumerate(zip(turn.calls, turn.call_spans, strict=True)):
        start = where.start + len(call.name) + 1
        if start <= span.start and span.end <= start + len(call.arguments):
            fixed = replace(call, arguments=put(call.arguments, start))
            calls = (*turn.calls[:number], fixed, *turn.calls[number + 1 :])
            return replace(turn, calls=calls)
    return None


def _read(entry: dict[str, Any], transcript: Transcript, place: str) -> GoldTarget:
    data = json.dumps({"conversation_id": transcript.id, "targets": [entry]}).encode()
    targets, problems = read_gold(data, transcript, file=transcript.id)
    if problems:
        raise DatasetError(f"the corrected graph of {place}: {problems[0].message}")
    return targets[0]
