"""Corrections of a benchmark: what stands there and what should, side by side, applied at load.

A benchmark folder may hold `corrections.json`, which a person has reviewed. It changes no other
file: whoever reads the folder reads it corrected, and an entry that no longer fits is refused.

    {"turns":   [{"conversation": ID, "turn": 4, "before": "…", "after": "…", "reason": "…"}],
     "targets": [{"conversation": ID, "target": NAME, "before": "…", "after": "…", "reason": "…",
                  "ground_truth_deps": {…}}]}

A corrected *turn* is a repair of the conversation, such as a year that a user left out (paper,
appendix B.2.1): `before` stands exactly once in the turn. A corrected *target* is a hallucination
put right, to see whether the right value can be traced (appendix C). It is added beside the wrong
one, in a conversation of its own: two of them would otherwise stand in each other's context. Its
graph stays as it was unless `ground_truth_deps` says where the right value comes from. An entry
whose `after` is still its `before` waits for a person and is not applied.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from tokengeist.bench.files import replace_file
from tokengeist.bench.gold import GoldTarget, TargetReader, fitting_tags, offsets
from tokengeist.errors import DatasetError
from tokengeist.transcript import Span, Transcript, Turn

FILE = "corrections.json"


@dataclass(frozen=True, slots=True)
class TurnCorrection:
    """Some text of a turn, and what it should have been."""

    conversation: str
    turn: int
    before: str
    after: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TargetCorrection:
    """A hallucinated value, and what it should have been."""

    conversation: str
    target: str
    before: str
    after: str
    reason: str = ""
    ground_truth_deps: dict[str, Any] | None = None
    """Where the right value comes from, as a gold file has it; left out, the graph stays."""

    @property
    def id(self) -> str:
        """The conversation in which the right value stands."""
        return f"{self.conversation}--{self.target}"


Entry = TurnCorrection | TargetCorrection
_E = TypeVar("_E", TurnCorrection, TargetCorrection)


@dataclass(frozen=True)
class Corrections:
    """What a corrections file holds."""

    turns: tuple[TurnCorrection, ...] = ()
    targets: tuple[TargetCorrection, ...] = ()
    origin: str = FILE
    """The file, for messages."""

    @classmethod
    def read(cls, path: Path) -> Corrections:
        """The corrections of a file; none where there is no such file."""
        try:
            raw = json.loads(path.read_bytes())
        except FileNotFoundError:
            return cls(origin=str(path))
        except OSError as error:
            raise DatasetError(f"{path} cannot be read: {error.strerror or error}") from error
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path} is not JSON: {error}") from error
        if not isinstance(raw, dict) or not set(raw) <= {"turns", "targets"}:
            raise DatasetError(f"{path} is no corrections file: an object of 'turns' and 'targets'")
        turns = _entries(raw.get("turns", []), TurnCorrection, f"{path}, turns")
        targets = _entries(raw.get("targets", []), TargetCorrection, f"{path}, targets")
        return cls(tuple(turns), tuple(targets), str(path))

    def write(self, path: Path) -> None:
        """Write them for a person to review."""
        data = {
            "turns": [asdict(entry) for entry in self.turns],
            "targets": [
                {key: value for key, value in asdict(entry).items() if value is not None}
                for entry in self.targets
            ],
        }
        text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
        replace_file(path, lambda file: file.write(text.encode("utf-8", "backslashreplace")))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All of them."""
        return (*self.turns, *self.targets)

    def counts(self) -> dict[str, int]:
        """How many are applied, of each kind, and how many wait to be filled in."""
        turns = sum(_is_filled_in(entry) for entry in self.turns)
        targets = len(self.applied_targets)
        waiting = len(self.entries) - turns - targets
        return {"turns": turns, "targets": targets, "waiting": waiting}

    @property
    def applied_targets(self) -> tuple[TargetCorrection, ...]:
        """The corrected targets that a person has filled in."""
        return tuple(entry for entry in self.targets if _is_filled_in(entry))

    @property
    def conversations(self) -> frozenset[str]:
        """The conversations that anything is corrected in."""
        return frozenset(entry.conversation for entry in self.entries)

    def corrected(self, transcript: Transcript) -> Transcript:
        """A conversation with its turns corrected. Raises `DatasetError` where one does not fit."""
        turns = list(transcript.turns)
        for entry in self.turns:
            if entry.conversation == transcript.id and _is_filled_in(entry):
                if not 0 <= entry.turn < len(turns):
                    raise self._misfit(entry, f"there is no turn {entry.turn}")
                turns[entry.turn] = self._corrected_turn(turns[entry.turn], entry)
        same = all(a is b for a, b in zip(turns, transcript.turns, strict=True))
        return transcript if same else replace(transcript, turns=tuple(turns))

    def corrected_target(
        self, transcript: Transcript, targets: Sequence[GoldTarget], entry: TargetCorrection
    ) -> tuple[Transcript, tuple[GoldTarget]]:
        """The conversation in which a target has its right value, and the target there."""
        target = next((target for target in targets if target.name == entry.target), None)
        if target is None:
            raise self._misfit(entry, f"there is no target '{entry.target}'")
        turn = transcript.turns[target.turn]
        if target.span.of(turn.text) != entry.before:
            raise self._misfit(
                entry, f"'{target.name}' in turn {turn.index} is not '{entry.before}' (any more)"
            )
        changed = _with_text(turn, target.span, entry.after) if entry.after.strip() else None
        if changed is None:
            raise self._misfit(
                entry, f"turn {turn.index}: the right value is empty, or replaces prose and a call"
            )
        turns = (*transcript.turns[: turn.index], changed, *transcript.turns[turn.index + 1 :])
        made = Transcript(turns, id=entry.id, origin=transcript.origin)
        span = Span(target.span.start, target.span.start + len(entry.after))
        raw = offsets(replace(target, span=span, corrective=(), flaw=None)) | {
            "comment": entry.reason or target.comment,
            "corrected_from": entry.before,
        }
        if entry.ground_truth_deps is not None:
            raw["ground_truth_deps"] = entry.ground_truth_deps
        reader = TargetReader(raw, made, file=self.origin, position=0)
        right = reader.read()
        if right is None:
            problem = reader.problems[0]
            turn_said = "" if problem.turn is None else f"turn {problem.turn}: "
            raise self._misfit(entry, f"{turn_said}{problem.message}")
        return made, (replace(right, tags=tuple(fitting_tags(right, is_hallucination=False))),)

    def _corrected_turn(self, turn: Turn, entry: TurnCorrection) -> Turn:
        found = turn.text.count(entry.before) if entry.before else 0
        if found != 1:
            often = "is not there (any more)" if not found else f"stands there {found} times"
            raise self._misfit(entry, f"turn {turn.index}: '{entry.before}' {often}")
        start = turn.text.index(entry.before)
        changed = _with_text(turn, Span(start, start + len(entry.before)), entry.after)
        if changed is None:
            raise self._misfit(entry, f"turn {turn.index}: 'before' is more than prose or one call")
        return changed

    def _misfit(self, entry: Entry, problem: str) -> DatasetError:
        if isinstance(entry, TurnCorrection):
            name = f"turns[{self.turns.index(entry)}]"
        else:
            name = f"targets[{self.targets.index(entry)}]"
        return DatasetError(
            f"{self.origin}, {name} does not fit '{entry.conversation}': {problem}. "
            "Correct the entry or take it out"
        )


def _is_filled_in(entry: Entry) -> bool:
    return entry.after != entry.before


def _entries(raw: object, kind: type[_E], place: str) -> Iterator[_E]:
    if not isinstance(raw, list):
        raise DatasetError(f"{place}: a list of corrections is needed")
    types = get_type_hints(kind)
    needed = {field.name for field in fields(kind) if field.default is MISSING}
    for number, entry in enumerate(raw):
        if not isinstance(entry, dict) or not needed <= set(entry) <= set(types):
            raise DatasetError(
                f"{place}[{number}]: a correction has {', '.join(types)}, of which "
                f"{', '.join(sorted(set(types) - needed))} may be left out"
            )
        for name, value in entry.items():
            expected = dict if name == "ground_truth_deps" else types[name]
            if type(value) is not expected:
                raise DatasetError(f"{place}[{number}]: '{name}' cannot be {value!r}")
        yield kind(**entry)


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
