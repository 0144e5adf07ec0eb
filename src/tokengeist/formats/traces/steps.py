"""Conversations put together from the steps of a trace: model calls and tool runs.

A model call holds what the model was given, mostly the whole history, and what it answered. A call
whose history continues that of an earlier one takes its place. A call that continues none begins a
conversation of its own: a sub-agent, a planner, another sample of the same answer. So nothing that
a model was given or made is left out, and nothing stands twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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

    def continues_in(self, call: ModelCall) -> bool:
        """Whether the call's history is this thread's, with an answer to it, and more."""
        if not call.given:
            return True
        length = len(self.given)
        if call.given == self.given:
            return call.made == self.turns[length:]  # the same call, recorded at two levels
        return (
            call.given[:length] == self.given
            and len(call.given) > length
            and call.given[length].role is Role.ASSISTANT
        )

    def open_calls(self, tool: str) -> list[ToolCall]:
        """The calls of a tool that have no result here yet."""
        results = [turn for turn in self.turns if turn.role is Role.TOOL]
        ids = {turn.call_id for turn in results if turn.call_id}
        nameless = sum(turn.name == tool and turn.call_id is None for turn in results)
        calls = [call for turn in self.turns for call in turn.calls if call.name == tool]
        without_id = [call for call in calls if call.id is None][nameless:]
        return [call for call in calls if call.id and call.id not in ids] + without_id


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
        thread = next((t for t in reversed(threads) if t.continues_in(step)), None)
        if thread is None:
            threads.append(_Thread(step.given, step.given + step.made))
        elif step.given:
            thread.given, thread.turns = step.given, step.given + step.made
        else:
            thread.turns += step.made
    return threads


def _add_result(threads: list[_Thread], run: ToolRun) -> None:
    """Put a result where its call waits. Runs that no model asked for belong to nobody."""
    waiting = [(t, call) for t in reversed(threads) for call in t.open_calls(run.name)]
    waiting.sort(key=lambda pair: not run.answers(pair[1]))
    if waiting:
        thread, call = waiting[0]
        thread.turns += (Turn(0, Role.TOOL, run.result, call_id=call.id, name=run.name),)
