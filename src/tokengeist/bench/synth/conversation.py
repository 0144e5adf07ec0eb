"""The public face of the simulator: a stream of conversations with their gold."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from tokengeist.bench.synth import script
from tokengeist.bench.synth import targets as selection
from tokengeist.bench.synth.document import JsonStyle
from tokengeist.bench.synth.domains import DOMAINS
from tokengeist.bench.synth.episodes import opening
from tokengeist.bench.synth.handbook import write_handbook
from tokengeist.bench.synth.ledger import Ledger
from tokengeist.bench.synth.play import Play
from tokengeist.bench.synth.spec import Domain
from tokengeist.bench.synth.world import World
from tokengeist.errors import OptionError, unknown_name

DEFAULT_MIX: Mapping[str, float] = {
    "direct": 0.15,
    "chained": 0.25,
    "multi_source": 0.35,
    "diamond": 0.1,
    "hallucination": 0.15,
}
"""Shares of targets by their most specific dependency type."""

DEEPEST = 14
"""The deepest graph that is made into a target, as deep as the paper's."""
_FIRST_DAY = date(2027, 1, 4)


@dataclass(frozen=True, slots=True)
class SynthConversation:
    """A generated conversation: chat messages, and gold in the paper's schema."""

    id: str
    source: str
    messages: list[dict[str, Any]]
    gold: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What every conversation of a data set has in common."""

    domains: tuple[Domain, ...]
    max_depth: int
    turns: tuple[int, int]
    targets: tuple[int, int]
    mix: Mapping[str, float]


def generate(
    n: int,
    *,
    seed: int,
    domains: Sequence[str] = tuple(DOMAINS),
    max_depth: int = DEEPEST,
    turns: tuple[int, int] = (20, 44),
    targets: tuple[int, int] = (5, 8),
    mix: Mapping[str, float] = DEFAULT_MIX,
    start: int = 0,
) -> Iterator[SynthConversation]:
    """Conversations number `start` to `start + n - 1` of the data set that `seed` names.

    Each is drawn from its own number, so any slice of a data set can be made on its own, on any
    machine, and nothing is kept between two of them.

    `turns` is the range of lengths aimed at; a conversation goes on until its targets are served,
    so short ones may run over. `mix` weighs the kinds of target, see `DEFAULT_MIX`. Targets whose
    graph is deeper than `max_depth` (1 to 14) are not chosen; below 4 few spans remain, and some
    conversations have fewer targets than asked for.

    >>> next(generate(1, seed=7, domains=["library"])).id
    'synth-library-7-00000'
    """
    for name in domains:
        if name not in DOMAINS:
            raise unknown_name("domain", name, DOMAINS)
    for name in mix:
        if name not in selection.CATEGORIES:
            raise unknown_name("dependency type", name, selection.CATEGORIES)
    if not domains:
        raise OptionError(f"at least one domain is needed; there are {', '.join(DOMAINS)}")
    if not 1 <= max_depth <= DEEPEST:
        raise OptionError(f"max_depth is between 1 and {DEEPEST}, not {max_depth}")
    if min(mix.values(), default=0) < 0 or not 0 < sum(mix.values()) < math.inf:
        raise OptionError(
            f"the shares of a mix are finite, not negative and not all zero: {dict(mix)}"
        )
    for name, (low, high) in {"turns": turns, "targets": targets}.items():
        if not 1 <= low <= high:
            raise OptionError(f"{name} is a range from 1 up such as 5:8, not {low}:{high}")
    worlds = tuple(DOMAINS[name] for name in domains)
    options = Options(worlds, max_depth, turns, targets, mix)
    return (_simulate(seed, index, options) for index in range(start, start + n))


def _simulate(seed: int, index: int, options: Options) -> SynthConversation:
    rng = random.Random(f"tokengeist-synth:{seed}:{index}")
    domain = rng.choice(options.domains)
    identity = f"synth-{domain.name}-{seed}-{index:05d}"
    goals = rng.choices(
        list(options.mix), list(options.mix.values()), k=rng.randint(*options.targets)
    )
    play = _set_stage(rng, domain)
    script.perform(play, goals, rng.randint(*options.turns))
    pool = list(selection.candidates(play.ledger, options.max_depth))
    chosen = selection.choose(rng, pool, goals)
    records = [
        selection.describe(play.ledger, candidate, f"{candidate.mark.label}_{place}")
        for place, candidate in enumerate(chosen, 1)
    ]
    gold = {"conversation_id": identity, "targets": records}
    source = f"tokengeist synth, domain {domain.name}, seed {seed}"
    return SynthConversation(identity, source, play.ledger.messages, gold)


def _set_stage(rng: random.Random, domain: Domain) -> Play:
    today = _FIRST_DAY + timedelta(days=rng.randrange(2500))
    spaced = rng.random() < 0.7
    ledger = Ledger(rng, JsonStyle() if spaced else JsonStyle(",", ":"))
    world = World(rng, domain, today)
    handbook = write_handbook(rng, ledger, domain, today)
    return Play(rng, domain, world, ledger, handbook, opening.new_account(world))
