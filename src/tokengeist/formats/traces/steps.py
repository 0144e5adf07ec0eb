"""Conversations put together from the steps of a trace: model calls and tool runs.

A model call holds what the model was given, mostly the whole history, and what it answered. A call
whose history repeats an earlier one with its answer takes its place. A call that continues none
begins a conversation of its own: a sub-agent, a planner, another sample of the same answer, a
history in which an answer was replaced. So nothing that a model was given or made is left out, and
what stands twice is only what such conversations share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import eq

from tokengeist.formats.conversation import Conversation, numbered
from tokengeist.formats.document import Place
from tokengeist.formats.fields import parsed
from tokengeist.transcript import Role, ToolCall, Turn

Turns = tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model."""

    given: Turns
    """Empty where the recorder left out what earlier steps already show."""
    made: Turns


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool, for recorders that do not repeat it in the next call's history."""

    name: str
    result: str
    arguments: object = None
    call_id: str | None = None

    def answers(self, call: ToolCall) -> bool:
        """Whether it certainly ran for this call, of several calls of its tool."""
        return call.id == self.call_id if self.call_id else parsed(call.arguments) == self.arguments


@dataclass(slots=True)
class _Thread:
    given: Turns
    turns: Turns

    def continues_in(self, call: ModelCall, same: Callable[[Turn, Turn], bool]) -> bool:
        """Whether the call's history begins with this thread's, and goes on with its answer."""
        length = len(self.given)
        if len(call.given) == length:  # the same call, recorded at two levels
            return _begins_with(call.given + call.made, self.turns, same)
        # Results that came from tool runs may be told otherwise, or elsewhere, in the history.
        return _begins_with(call.given, self.given, same) and _begins_with(
            _without_results(call.given[length:]), _without_results(self.turns[length:]), same
        )

    def open_calls(self, tool: str) -> list[ToolCall]:
        """The calls of a tool that have no result here yet."""
        results = [turn for turn in self.turns if turn.role is Role.TOOL]
        ids = {turn.call_id for turn in results if turn.call_id}
        nameless = sum(turn.name == tool and turn.call_id is None for turn in results)
        calls = [call for turn in self.turns for call in turn.calls if call.name == tool]
        without_id = [call for call in calls if call.id is None][nameless:]
        return [call for call in calls if call.id and call.id not in ids] + without_id


def _begins_with(turns: Turns, start: Turns, same: Callable[[Turn, Turn], bool]) -> bool:
    return len(start) <= len(turns) and all(map(same, start, turns))


def _without_results(turns: Turns) -> Turns:
    return tuple(turn for turn in turns if turn.role is not Role.TOOL)


def _alike(one: Turn, other: Turn) -> bool:
    """Whether they differ at most in how they are written: in spaces, or in the form of JSON."""
    return one == other or (_same_part(one, other) and _letters(one) == _letters(other))


def _shortened(made: Turn, repeated: Turn) -> bool:
    """Whether a history repeats a turn without some of its words: thoughts, or what it said beside
    its calls."""
    return (
        _same_part(made, repeated)
        and _letters(repeated) in _letters(made)
        and bool(repeated.text) == bool(made.text)
    )


def _letters(turn: Turn) -> str:
    return "".join(turn.content.split())


def _same_part(one: Turn, other: Turn) -> bool:
    return (
        one.role is other.role
        and len(one.calls) == len(other.calls)
        and all(map(_same_call, one.calls, other.calls))
    )


def _same_call(one: ToolCall, other: ToolCall) -> bool:
    return (
        one.name == other.name
        and (one.id == other.id or one.id is None or other.id is None)
        and (parsed(one.arguments) or {}) == (parsed(other.arguments) or {})
    )


def conversations(
    trace: str, steps: Iterable[ModelCall | ToolRun], place: Place
) -> Iterator[Conversation]:
    """The conversations of one trace, by its id, or `ID/NUMBER` where there are several."""
    threads = _threads(steps)
    if not threads:
        raise place.error(
            "the trace holds no messages of a model call; "
            "was the recording of message content switched on?"
        )
    for number, thread in enumerate(threads):
        id = trace if len(threads) == 1 else f"{trace}/{number}"
        yield _conversation(id, thread.turns, place)


def _conversation(id: str, turns: Turns, place: Place) -> Conversation:
    return Conversation(id, place, lambda: numbered(turns))


def _threads(steps: Iterable[ModelCall | ToolRun]) -> list[_Thread]:
    threads: list[_Thread] = []
    for step in steps:
        if isinstance(step, ToolRun):
            _add_result(threads, step)
            continue
        thread = _continued(threads, step)
        if thread is None:
            threads.append(_Thread(step.given, step.given + step.made))
        elif step.given:
            thread.turns = _unabridged(step.given, thread.turns) + step.made
            thread.given = step.given
        else:
            thread.turns += step.made
    return threads


def _unabridged(history: Turns, known: Turns) -> Turns:
    """A history with the words of earlier turns that it leaves out."""
    earlier = iter(_without_results(known))
    return tuple(
        turn if turn.role is Role.TOOL else max(turn, next(earlier, turn), key=_length)
        for turn in history
    )


def _length(turn: Turn) -> int:
    return len(turn.text)


def _continued(threads: Sequence[_Thread], call: ModelCall) -> _Thread | None:
    """The thread that the call goes on with: rather one that it repeats to the letter."""
    if not call.given:
        return threads[-1] if threads else None
    for same in (eq, _alike, _shortened):
        found = [thread for thread in reversed(threads) if thread.continues_in(call, same)]
        if found:
            return max(found, key=lambda thread: len(thread.turns))
    return None


def _add_result(threads: list[_Thread], run: ToolRun) -> None:
    """Put a result where its call waits. Runs that no model asked for belong to nobody."""
    waiting = [(t, call) for t in reversed(threads) for call in t.open_calls(run.name)]
    waiting.sort(key=lambda pair: not run.answers(pair[1]))
    if waiting:
        thread, call = waiting[0]
        thread.turns += (Turn(0, Role.TOOL, run.result, call_id=call.id, name=run.name),)
