"""Questions that build on an amount the agent has just stated.

If the agent computed that amount, its own turn becomes a link in the chain: this is where graphs
of even depth come from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tokengeist.bench.synth.play import Play
from tokengeist.bench.synth.surface import Money
from tokengeist.bench.synth.value import Value, derive


@dataclass(frozen=True, slots=True)
class _FollowUp:
    asks: str
    says: str
    numbers: tuple[int, int]
    compute: Callable[[int, int], float]


_FORMS = (
    _FollowUp(
        "[And if <part:{part} of us> share that|And split <part:between {part} people>|Divided "
        "<part:by {part}>], [what does each pay|how much is that each|what is one share]?",
        "[each pays {result}|one share is {result}|that makes {result} per person]",
        (2, 6),
        lambda amount, people: amount / people,
    ),
    _FollowUp(
        "[And with|What would it be with|And if I get] <part:{part} percent off>?",
        "[then it is {result}|that leaves {result}|reduced, it comes to {result}]",
        (5, 40),
        lambda amount, percent: amount * (100 - percent) / 100,
    ),
    _FollowUp(
        "[And with <part:{part} percent> tax on top|What is it plus <part:{part} percent> tax|And "
        "including <part:{part} percent> for our own handling]?",
        "[with that it is {result}|it becomes {result}|that brings it to {result}]",
        (3, 25),
        lambda amount, percent: amount * (100 + percent) / 100,
    ),
)


def follow_up(play: Play, amount: Value[Money]) -> None:
    """Let the user ask for a share, a discount or a surcharge on a stated amount."""
    form = play.rng.choice(_FORMS)
    part = play.rng.randint(*form.numbers)
    asked = play.ledger.user(form.asks, part=play.plain(str(part)))
    result = Money(round(form.compute(amount.data, part)))
    play.ledger.assistant(
        f"^<result:{form.says}>.",
        result=play.show_money(derive(result, amount, derive(part, asked.read("part")))),
    )
