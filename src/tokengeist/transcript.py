"""What is traced: a transcript of turns, and the spans of text inside it.

Everything downstream speaks of turns by index and of text by half-open character ranges of a
turn's *canonical text* (`Turn.text`), so this file fixes what both mean. It knows nothing of file
formats, models or graphs.
"""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Self

from tokengeist.errors import AmbiguousSpanError, SpanNotFoundError, TargetError, TranscriptError


class Role(StrEnum):
    """Who a turn belongs to. A `developer` message is a system turn."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters (code points, not bytes or UTF-16 units)."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span runs forward from 0 or later, not {self.start}:{self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def __bool__(self) -> bool:
        return self.end > self.start

    def of(self, text: str) -> str:
        """The characters of `text` that this span covers."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end

    def shifted(self, by: int) -> Span:
        """The same span, `by` characters later."""
        return Span(self.start + by, self.end + by)


def merge_spans(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The same characters as ordered, disjoint spans.

    >>> merge_spans((Span(4, 9), Span(0, 2), Span(2, 5)))
    (Span(start=0, end=9),)
    """
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One invocation of a tool, as its caller wrote it."""

    name: str
    arguments: str
    """The arguments verbatim: mostly JSON, but a model may have written anything."""
    id: str | None = None

    @property
    def text(self) -> str:
        """How the call stands in its turn's canonical text."""
        return f"{self.name}({self.arguments})"


@dataclass(frozen=True)
class Turn:
    """One contribution by one party.

    Its canonical text is its content and then, for every tool call, `name(arguments)` on a line of
    its own:

    >>> call = ToolCall("get_order", '{"id": 7}', "call_1")
    >>> print(Turn(2, Role.ASSISTANT, "Let me look.", calls=(call,)).text)
    Let me look.
    get_order({"id": 7})
    """

    index: int
    role: Role
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    """For a tool result: the id of the call that it answers."""
    name: str | None = None
    """The agent that speaks, or the tool that answers, where the transcript says so."""
    is_summary: bool = False
    """A compaction summary: written by a model, whatever its role says."""

    @cached_property
    def text(self) -> str:
        """The canonical text, to which every span of this turn refers."""
        return "\n".join(([self.content] if self.content else []) + [c.text for c in self.calls])

    @cached_property
    def call_spans(self) -> tuple[Span, ...]:
        """Where each of `calls` stands in `text`."""
        spans = []
        start = len(self.content) + 1 if self.content else 0
        for call in self.calls:
            spans.append(Span(start, start + len(call.text)))
            start += len(call.text) + 1
        return tuple(spans)

    @property
    def whole(self) -> Span:
        """The span of the whole canonical text."""
        return Span(0, len(self.text))

    @property
    def is_exogenous(self) -> bool:
        """Whether the text came from outside, so that a trace ends here (paper, section 3)."""
        return self.role in (Role.SYSTEM, Role.USER) and not self.is_summary

    @property
    def is_generated(self) -> bool:
        """Whether a model wrote the text, so that a backend can say what it rests on."""
        return self.role is not Role.TOOL and not self.is_exogenous


@dataclass(frozen=True, slots=True)
class CallSite:
    """Where a tool result was asked for: the turn, and the call's place in its text."""

    turn: int
    span: Span


@dataclass(frozen=True)
class Transcript:
    """A finished conversation: its turns in order, and which call each tool result answers."""

    turns: tuple[Turn, ...]
    id: str = "transcript"
    origin: str | None = field(default=None, compare=False)
    """Where it was read from, for messages only."""

    def __post_init__(self) -> None:
        if not self.turns:
            raise TranscriptError(f"{self.label} has no turns")
        for position, turn in enumerate(self.turns):
            if turn.index != position:
                raise TranscriptError(
                    f"{self.label}: turn {turn.index} stands at position {position}; "
                    "turns are numbered from 0 without gaps"
                )
        self.call_sites  # noqa: B018  (a transcript that contradicts itself fails here, not later)

    @property
    def label(self) -> str:
        """How messages name this transcript."""
        return f"{self.origin} ({self.id})" if self.origin else self.id

    @cached_property
    def call_sites(self) -> dict[int, CallSite]:
        """For every tool result that answers a known call, that call.

        Ids decide. An id may come back once its call has been answered (recorded runs do that),
        and then means the latest call; used twice while still open, nobody can say which call a
        result answers. A result without an id belongs to the nearest earlier turn that called
        anything: to the call of that turn with the same tool name, else to the first one not yet
        answered. A result that no turn could have asked for is an orphan and has no entry.
        """
        sites: dict[int, CallSite] = {}
        latest: dict[str, CallSite] = {}  # call id → its most recent call
        unanswered: set[CallSite] = set()
        for turn in self.turns:
            for call, span in zip(turn.calls, turn.call_spans, strict=True):
                site = CallSite(turn.index, span)
                if call.id is not None:
                    if latest.get(call.id) in unanswered:
                        raise TranscriptError(
                            f"{self.label}: turn {turn.index} reuses tool call id '{call.id}' "
                            f"of turn {latest[call.id].turn} before that call was answered; "
                            "give every call its own id"
                        )
                    latest[call.id] = site
                unanswered.add(site)
            if turn.role is not Role.TOOL:
                continue
            if turn.call_id is None:
                found = self._nearest_call(turn, unanswered)
            elif turn.call_id in latest:
                found = latest[turn.call_id]
            else:
                raise TranscriptError(
                    f"{self.label}: turn {turn.index} answers tool call '{turn.call_id}', "
                    "which no earlier turn made; add the calling turn or correct the id"
                )
            if found is not None:
                sites[turn.index] = found
                unanswered.discard(found)
        return sites

    def _nearest_call(self, result: Turn, unanswered: set[CallSite]) -> CallSite | None:
        for turn in reversed(self.turns[: result.index]):
            sites = [
                (call, CallSite(turn.index, span))
                for call, span in zip(turn.calls, turn.call_spans, strict=True)
            ]
            pending = [pair for pair in sites if pair[1] in unanswered] or sites
            if pending:
                named = [site for call, site in pending if call.name == result.name]
                return named[0] if named else pending[0][1]
        return None

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that a trace can depend on; equal content, equal fingerprint."""
        digest = hashlib.sha256()
        for turn in self.turns:
            site = self.call_sites.get(turn.index)
            parts = (turn.role, turn.name or "", str(turn.is_summary), repr(site), turn.text)
            for part in parts:
                encoded = part.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "big") + encoded)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be explained: some text of one assistant turn.

    A user points at one span; recursion may ask for several spans of a turn at once.
    """

    turn: int
    spans: tuple[Span, ...]

    @classmethod
    def whole(cls, turn: Turn) -> Self:
        """All of a turn."""
        return cls(turn.index, (turn.whole,))


def locate_target(
    transcript: Transcript,
    text: str | None = None,
    *,
    turn: int | None = None,
    chars: Span | None = None,
) -> Target:
    """Find the span to trace: by its text, its turn, its character range, or any mix of these.

    With nothing given it is the whole of the last assistant turn. A text that occurs in several
    assistant turns needs `turn`; inside one turn the first occurrence is meant unless `chars`
    says otherwise.

    Raises `TargetError`, `SpanNotFoundError` or `AmbiguousSpanError`.
    """
    if turn is not None and not 0 <= turn < len(transcript.turns):
        raise TargetError(
            f"there is no turn {turn}; {transcript.label} has turns 0 to "
            f"{len(transcript.turns) - 1}"
        )
    if chars is not None:
        return _target_by_chars(transcript, text, turn, chars)
    if text is None:
        return _whole_turn(transcript, turn)
    return _target_by_text(transcript, text, turn)


def _traceable(transcript: Transcript, index: int) -> Turn:
    turn = transcript.turns[index]
    if turn.role is not Role.ASSISTANT:
        raise TargetError(f"turn {index} is a {turn.role} turn; only assistant turns can be traced")
    if not turn.text.strip():
        raise TargetError(f"turn {index} has no text, so there is nothing in it to trace")
    return turn


def _whole_turn(transcript: Transcript, index: int | None) -> Target:
    if index is None:
        written = [t.index for t in transcript.turns if t.role is Role.ASSISTANT and t.text.strip()]
        if not written:
            raise TargetError(f"{transcript.label} has no assistant turn with text")
        index = written[-1]
    return Target.whole(_traceable(transcript, index))


def _target_by_chars(
    transcript: Transcript, text: str | None, index: int | None, chars: Span
) -> Target:
    if index is None:
        raise TargetError("a character range needs the turn that it belongs to")
    turn = _traceable(transcript, index)
    if chars.end > len(turn.text):
        raise TargetError(
            f"turn {index} has {len(turn.text)} characters, so there is no "
            f"{chars.start}:{chars.end} in it"
        )
    if not chars.of(turn.text).strip():
        raise TargetError(f"characters {chars.start}:{chars.end} of turn {index} hold no text")
    if text is not None and chars.of(turn.text) != text:
        raise TargetError(
            f"characters {chars.start}:{chars.end} of turn {index} read "
            f"{chars.of(turn.text)!r}, not {text!r}"
        )
    return Target(index, (chars,))


def _target_by_text(transcript: Transcript, text: str, index: int | None) -> Target:
    if not text.strip():
        raise TargetError("the span to trace is empty")
    candidates = (
        [_traceable(transcript, index)]
        if index is not None
        else [t for t in transcript.turns if t.role is Role.ASSISTANT]
    )
    holding = [turn for turn in candidates if text in turn.text]
    if len(holding) > 1:
        turns = tuple(turn.index for turn in holding)
        places = "".join(f"\n  turn {t.index}: {_surroundings(text, t.text)}" for t in holding)
        raise AmbiguousSpanError(
            f"{text!r} occurs in {len(turns)} turns; say which one with --turn N:{places}", turns
        )
    if holding:
        start = holding[0].text.index(text)
        return Target(holding[0].index, (Span(start, start + len(text)),))
    elsewhere = [t for t in transcript.turns if text in t.text and t not in candidates]
    if elsewhere and index is None:
        raise TargetError(
            f"{text!r} occurs only in turn {elsewhere[0].index}, a {elsewhere[0].role} turn; "
            "only assistant turns can be traced"
        )
    raise SpanNotFoundError(f"{text!r} occurs in no assistant turn{_nearest(text, candidates)}")


def _surroundings(text: str, within: str) -> str:
    """`text` with a few words on both sides, on one line."""
    start = within.index(text)
    before = within[max(0, start - 30) : start]
    after = within[start + len(text) : start + len(text) + 30]
    return " ".join(f"…{before}{text}{after}…".split())


def _nearest(text: str, turns: list[Turn]) -> str:
    """The line of any candidate turn that is most like `text`, as the end of a message."""
    lines = [(line.strip(), t.index) for t in turns for line in t.text.splitlines() if line.strip()]
    if not lines:
        return ""
    matcher = difflib.SequenceMatcher(b=text, autojunk=False)

    def likeness(line: str) -> float:
        matcher.set_seq1(line[:400])  # a megabyte on one line must not stall an error message
        return sum(block.size for block in matcher.get_matching_blocks()) / (
            len(text) + 0.1 * len(line)
        )

    line, index = max(lines, key=lambda pair: likeness(pair[0]))
    shown = line if len(line) <= 160 else line[:157] + "…"
    return f"; the nearest is in turn {index}: {shown!r}"
