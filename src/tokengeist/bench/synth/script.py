"""Which episodes a conversation is made of: enough for its goals, and then some.

Goals are the kinds of target that the conversation owes the data set. Diamonds, hallucinations
and direct recitals do not come about by chance, so episodes that produce them are scheduled;
the rest of the length is filled with whatever a person might want from such an office.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tokengeist.bench.synth.episodes import (
    arithmetic,
    changes,
    differences,
    noise,
    opening,
    questions,
    rules,
)
from tokengeist.bench.synth.play import Play

_ATTEMPTS = 6
_DEEP = 0.35
"""How often a conversation gets a question of the greatest depth, which is rare by chance."""


class Episode(Protocol):
    """A scene; `flawed` asks for one in which the agent gets something wrong."""

    def __call__(self, play: Play, *, flawed: bool = False) -> bool: ...


_FILLER: tuple[tuple[Episode, float], ...] = (
    (questions.ask_case, 6),
    (questions.ask_profile, 2),
    (arithmetic.ask_total, 2),
    (arithmetic.ask_product, 2),
    (arithmetic.ask_days_left, 1.5),
    (arithmetic.ask_both, 0.7),
    (arithmetic.ask_both_at_once, 0.8),
    (differences.ask_gap, 0.7),
    (differences.ask_interval, 1),
    (rules.decide, 1),
    (rules.recite, 1),
    (changes.renew, 2.5),
    (changes.move, 2),
    (changes.settle, 2),
    (noise.chat, 1),
    (noise.notices, 1),
    (noise.recap, 1),
    (noise.stale_recall, 2),
)
_WRONG: tuple[Episode, ...] = (
    questions.ask_case,
    questions.ask_case,
    questions.ask_profile,
    arithmetic.ask_total,
    arithmetic.ask_both,
    arithmetic.ask_product,
    arithmetic.ask_days_left,
    differences.ask_gap,
    differences.ask_interval,
    rules.decide,
    rules.recite,
    changes.renew,
    changes.settle,
)


def perform(play: Play, goals: Sequence[str], length: int) -> None:
    """Play a conversation that serves `goals` and has about `length` turns."""
    opening.begin(play, first=True)
    owed = [_FOR_GOAL[goal] for goal in goals if goal in _FOR_GOAL]
    if play.chance(_DEEP):
        owed.append(arithmetic.ask_deep)
    play.rng.shuffle(owed)
    while owed or len(play.ledger.texts) < length - 2:
        room = len(play.ledger.texts) < length - 2 - 6 * len(owed)
        if owed and (not room or play.chance(0.5)):
            _insist(play, owed.pop())
        else:
            _insist(play, _fill)
    play.ledger.user("[Thanks|Thank you|Great, thanks][, that is all.| for your help.|!|. Bye!]")
    play.ledger.assistant("[You're welcome|Gladly|Any time][. Have a good day|. Goodbye|].")


def _insist(play: Play, scene: Callable[[Play], bool]) -> None:
    """Try a scene, and bring in another person when there is nothing left to ask about this one."""
    for attempt in range(_ATTEMPTS):
        if scene(play):
            return
        if attempt % 2:
            play.account, play.focus = opening.new_account(play.world, at_least=2), None
            opening.begin(play, first=False)


def _fill(play: Play) -> bool:
    scenes, weights = zip(*_FILLER, strict=True)
    scene: Episode = play.rng.choices(scenes, weights)[0]
    return scene(play)


def _diamond(play: Play) -> bool:
    return play.rng.choice((arithmetic.ask_both, differences.ask_gap))(play)


def _chained(play: Play) -> bool:
    return questions.ask_profile(play) or questions.ask_case(play)


def _direct(play: Play) -> bool:
    return rules.recite(play) or changes.move(play)


def _hallucination(play: Play) -> bool:
    kind = play.rng.random()
    if kind < 0.5:
        return play.rng.choice(_WRONG)(play, flawed=True)
    if kind < 0.8:
        return _stale(play)
    return noise.invent(play)


def _stale(play: Play) -> bool:
    """Ignore a correction, or recall a date from before a write (making the write if need be)."""
    if play.chance(0.5):
        return changes.move(play, flawed=True)
    return noise.stale_recall(play, flawed=True) or (
        changes.renew(play) and noise.stale_recall(play, flawed=True)
    )


_FOR_GOAL: dict[str, Callable[[Play], bool]] = {
    "chained": _chained,
    "diamond": _diamond,
    "direct": _direct,
    "hallucination": _hallucination,
}
