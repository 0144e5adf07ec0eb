"""The transcript under construction, and the marks that say what each stretch of it rests on.

Every utterance goes through here, so this is the one place where text gets its offsets in the
canonical text of a turn (content, then each call as `name(arguments)` on its own line). Only
assistant turns carry marks: user and system turns are leaves, and a tool result rests on its
call alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tokengeist.bench.synth.document import Document, JsonStyle, write_json
from tokengeist.bench.synth.phrasing import Shown, Stretch, render
from tokengeist.bench.synth.value import Flaw, Origin, Value, derive, merge

T = TypeVar("T")

_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of an assistant turn and the places that had to be read to write it."""

    place: Origin
    label: str
    needs: tuple[Origin, ...]
    flaw: Flaw | None
    in_call: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call about to be made; `authorised_by` is what the policy demands before a write."""

    tool: str
    arguments: Mapping[str, Value[Any]]
    authorised_by: tuple[Value[Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A tool call that stands in the transcript and waits for its result."""

    call: Call
    id: str
    place: Origin


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance that stands in the transcript; its stretches can be read as values."""

    turn: int
    stretches: tuple[Stretch, ...]
    made: tuple[Made, ...] = ()

    def read(self, label: str) -> Value[Any]:
        """What the stretch `label` says, read from this turn: the phrase if there is one."""
        found = [s for s in self.stretches if s.label == label]
        best = next((s for s in found if s.is_phrase), None) or found[0]
        place = Origin(self.turn, best.start, best.end)
        return Value(best.content.data, (place,), best.content.flaw)

    def carry(self, label: str, value: Value[T]) -> Value[T]:
        """A value as later turns should cite it after it was said here.

        What the agent computed or got wrong exists only in this turn. What it merely repeated is
        still cited from where it was read.
        """
        if len(value.origins) == 1 and value.flaw is None:
            return value
        return derive(value.data, self.read(label))


@dataclass(slots=True)
class Ledger:
    """Turns in order, as chat messages and as canonical text, with marks and callers."""

    rng: random.Random
    style: JsonStyle
    messages: list[dict[str, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    marks: list[tuple[Mark, ...]] = field(default_factory=list)
    callers: dict[int, Origin] = field(default_factory=dict)

    def role(self, turn: int) -> str:
        """Who speaks in a turn."""
        return str(self.messages[turn]["role"])

    def system(self, template: str, **slots: Shown) -> Said:
        """The policy."""
        return self._exogenous("system", template, slots)

    def user(self, template: str, **slots: Shown) -> Said:
        """Something the user says."""
        return self._exogenous("user", template, slots)

    def _exogenous(self, role: str, template: str, slots: Mapping[str, Shown]) -> Said:
        rendered = render(self.rng, template, slots)
        self._append({"role": role, "content": rendered.text}, rendered.text, ())
        return Said(len(self.texts) - 1, rendered.stretches)

    def assistant(self, template: str, calls: Sequence[Call] = (), /, **slots: Shown) -> Said:
        """Something the agent says or does; marks whatever rests on earlier turns."""
        turn = len(self.texts)
        rendered = render(self.rng, template, slots)
        marks = [
            Mark(Origin(turn, s.start, s.end), s.label, s.content.origins, s.content.flaw, False)
            for s in rendered.stretches
            if s.content.origins
        ]
        lines = [rendered.text] if rendered.text else []
        made: list[Made] = []
        records: list[dict[str, Any]] = []
        for call in calls:
            start = sum(len(line) + 1 for line in lines)
            arguments = write_json({k: v.data for k, v in call.arguments.items()}, self.style)
            lines.append(f"{call.tool}({arguments.text})")
            marks += self._argument_marks(call, arguments.values, turn, start + len(call.tool) + 1)
            identity = "call_" + "".join(self.rng.choices(_ID_ALPHABET, k=20))
            made.append(Made(call, identity, Origin(turn, start, start + len(lines[-1]))))
            function = {"name": call.tool, "arguments": arguments.text}
            records.append({"id": identity, "type": "function", "function": function})
        message: dict[str, Any] = {"role": "assistant", "content": rendered.text or None}
        if records:
            message["tool_calls"] = records
        self._append(message, "\n".join(lines), tuple(marks))
        return Said(turn, rendered.stretches, tuple(made))

    def _argument_marks(
        self,
        call: Call,
        ranges: Mapping[tuple[str | int, ...], tuple[int, int]],
        turn: int,
        offset: int,
    ) -> list[Mark]:
        """One mark per argument: a string's is inside its quotes, as an annotator would take it."""
        marks = []
        for name, value in call.arguments.items():
            start, end = ranges[(name,)]
            quote = isinstance(value.data, str)
            place = Origin(turn, offset + start + quote, offset + end - quote)
            needs = merge((value.origins, *(reason.origins for reason in call.authorised_by)))
            marks.append(Mark(place, name, needs, value.flaw, True))
        return marks

    def result(self, made: Made, data: object) -> Document:
        """What a tool answers."""
        layout = write_json(data, self.style)
        turn = len(self.texts)
        self.callers[turn] = made.place
        message = {
            "role": "tool",
            "tool_call_id": made.id,
            "name": made.call.tool,
            "content": layout.text,
        }
        self._append(message, layout.text, ())
        return Document(turn, data, layout)

    def _append(self, message: dict[str, Any], text: str, marks: tuple[Mark, ...]) -> None:
        self.messages.append(message)
        self.texts.append(text)
        self.marks.append(marks)
