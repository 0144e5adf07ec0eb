"""Two contenders take turns, so that a machine that is busy now and idle then treats both alike."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from benchmarks.peers.timing import Answered, Ask

ROUNDS = 3
ENOUGH = 200.0
"""Seconds of the slower one after which there is no further round."""


@dataclass(frozen=True)
class Match:
    """What both needed, round by round."""

    rounds: tuple[tuple[Answered, Answered], ...]
    """Of each round the rival's answer and ours."""

    @property
    def seconds(self) -> tuple[float, float]:
        """The rival's and ours: the median of the rounds."""
        return (
            median(rival.seconds for rival, _ in self.rounds),
            median(ours.seconds for _, ours in self.rounds),
        )

    @property
    def time(self) -> float:
        """How many times as long the rival takes: the median of the rounds."""
        return median(rival.seconds / ours.seconds for rival, ours in self.rounds)

    @property
    def memory(self) -> float:
        """How many times as much memory its process needs."""
        rival, ours = self.rounds[-1]
        return rival.peak / ours.peak


def play(rival: Ask, ours: Ask) -> Match:
    """Ask both in turns."""
    rounds: list[tuple[Answered, Answered]] = []
    spent = 0.0
    while len(rounds) < ROUNDS and spent < ENOUGH:
        our_answer, answer = ours(), rival()
        rounds.append((answer, our_answer))
        spent += max(answer.seconds, our_answer.seconds)
    return Match(tuple(rounds))
