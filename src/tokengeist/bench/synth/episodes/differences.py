"""How far two things are apart: the same figure of two records, or two dates of one."""

from __future__ import annotations

from datetime import date
from typing import Any

from tokengeist.bench.synth.episodes.arithmetic import calculate, name_both
from tokengeist.bench.synth.play import CaseFile, Play, as_argument
from tokengeist.bench.synth.spec import Entity, Field, Kind
from tokengeist.bench.synth.value import FlawKind, Value, derive


def ask_gap(play: Play, *, flawed: bool = False) -> bool:
    """One figure of the records behind two cases: two chains from one request to one answer."""
    entity = play.rng.choice((play.domain.case, play.domain.item, play.domain.item))
    fields = [f for f in entity.fields if f.kind in (Kind.MONEY, Kind.COUNT)]
    fresh = [c for c in play.account.cases if play.domain.case.tool not in c.documents]
    if len(fresh) < 2 or not fields:
        return False
    what = play.rng.choice(fields)
    first, second = play.rng.sample(fresh, 2)
    owner = "" if entity is play.domain.case else f" of the {entity.noun}s"
    name_both(
        play,
        first,
        second,
        play.aside() + f"[what is the difference in|how far apart are they in] {what.noun}{owner} "
        "between CASES?",
        "and",
    )
    values = [play.read(play.open(case, entity), what) for case in (first, second)]
    for case in (first, second):
        case.asked.add(f"{entity.tool}.{what.path}")
    _say_gap(play, what, values, flawed=flawed)
    return True


def _say_gap(play: Play, what: Field, values: list[Value[Any]], *, flawed: bool) -> None:
    """Subtract the smaller from the larger; a careless agent adds them."""
    large, small = sorted(values, key=lambda value: value.data, reverse=True)
    gap: Value[Any] = derive(large.data - small.data, large, small)
    if flawed:
        note = "the two figures were added instead of subtracted"
        wrong = derive(large.data + small.data, gap)
        gap = wrong.flawed(FlawKind.WRONG_VALUE, note)
    elif what.kind is Kind.MONEY and play.chance(0.4):
        gap = calculate(play, "-", [as_argument(value, what.kind) for value in (large, small)])
    play.ledger.assistant(
        "^<gap:[the difference is {gap}|they differ by {gap}|there is a difference of {gap}]>.",
        gap=play.show(what, gap),
    )


def ask_interval(play: Play, *, flawed: bool = False) -> bool:
    """The days between two dates of a case."""
    entity: Entity = play.domain.case
    dates = [f for f in entity.fields if f.kind is Kind.DATE]
    cases: list[CaseFile] = [c for c in play.account.cases if "interval" not in c.asked]
    if not cases or len(dates) < 2:
        return False
    case = play.rng.choice(cases)
    case.asked.add("interval")
    one, other = play.rng.sample(dates, 2)
    play.user_on_case(
        case,
        play.aside()
        + f"[how many days are there|how much time is there] between the {one.noun} and "
        f"the {other.noun} [of|for] {{case}}?",
    )
    play.open(case, entity)
    ends: list[Value[date]] = [play.read_case(case, f) for f in (one, other)]
    days = derive(abs((ends[0].data - ends[1].data).days), *ends)
    if flawed:
        wrong = days.data + play.rng.choice((1, 2, 7, 10))
        days = derive(wrong, days).flawed(FlawKind.WRONG_VALUE, "the days were miscounted")
    play.ledger.assistant(
        "^<days:[the distance is {days}|it is {days}|they are {days} apart]>.",
        days=play.show_days(days),
    )
    return True
