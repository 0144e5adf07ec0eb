"""Answers that come from the policy: recited, or applied to a record."""

from __future__ import annotations

from tokengeist.bench.synth.episodes.followup import follow_up
from tokengeist.bench.synth.handbook import Terms
from tokengeist.bench.synth.play import CaseFile, Play
from tokengeist.bench.synth.surface import Money
from tokengeist.bench.synth.value import FlawKind, Value, derive

_WHETHER = (
    "[is an extension possible for|would an extension be allowed for|can I have longer with] {case}"
)


def recite(play: Play, *, flawed: bool = False) -> bool:
    """A rule asked for and rephrased; a careless agent gets its number wrong."""
    places = [n for n in range(len(play.domain.rules)) if f"rule{n}" not in play.used]
    if not places:
        return False
    place = play.rng.choice(places)
    play.used.add(f"rule{place}")
    rule, terms = play.domain.rules[place], play.handbook.rules[place]
    number, amount = terms.number, terms.amount
    if flawed:
        note = "the policy gives another figure"
        number = derive(number.data + play.rng.choice((1, 2, 5)), number)
        number = number.flawed(FlawKind.WRONG_VALUE, note)
        amount = derive(Money(amount.data * 2), amount)
        amount = amount.flawed(FlawKind.WRONG_VALUE, note)
    play.ledger.user(play.aside() + rule.asks + "?")
    play.ledger.assistant(
        f"[^|^|As a rule, |According to our rules, ]<rule:{rule.says}>.[|| Anything else?]",
        number=play.show_count(number),
        amount=play.show_money(amount),
    )
    if "{amount}" in rule.sentence and not flawed and play.chance(0.5):
        _several(play, terms)
    return True


def _several(play: Play, terms: Terms) -> None:
    """The amount of a rule some times over: computed from the policy, not from its recital."""
    times = play.rng.randint(2, 9)
    asked = play.ledger.user(
        "[And <times:{times} times> that|So what if it is <times:{times} of them>|And for "
        "<times:{times} of those>, what is the sum]?",
        times=play.plain(str(times)),
    )
    count = derive(times, asked.read("times"))
    bill = derive(Money(terms.amount.data * times), terms.amount, count)
    said = play.ledger.assistant(
        "^<bill:[that would be|then it is|you would pay] {bill}>[| in total].",
        bill=play.show_money(bill),
    )
    if play.chance(0.6):
        follow_up(play, said.carry("bill", bill))


def decide(play: Play, *, flawed: bool = False) -> bool:
    """Whether a renewal is allowed: a field of the case under a rule of the policy."""
    cases = [case for case in play.account.cases if "decide" not in case.asked]
    if not cases:
        return False
    case = play.rng.choice(cases)
    case.asked.add("decide")
    play.user_on_case(case, play.aside() + _WHETHER + "?")
    play.open(case, play.domain.case)
    verdict, clause = judge(play, case, flawed=flawed)
    state = play.show(play.domain.gate.field, play.read_case(case, play.domain.gate.field))
    play.ledger.assistant(
        f"[^{{state}}, so <verdict:{clause}>|^<verdict:{clause}>, because {{state}}].",
        state=state,
        verdict=play.show_text(verdict),
    )
    return True


def judge(play: Play, case: CaseFile, *, flawed: bool = False) -> tuple[Value[bool], str]:
    """Whether the policy lets a case be renewed, and the clause that says so."""
    gate = play.domain.gate
    state = play.read_case(case, gate.field)
    is_open = state.data not in gate.closed
    verdict = derive(is_open ^ flawed, state, play.handbook.gate)
    if flawed:
        verdict = verdict.flawed(FlawKind.WRONG_VALUE, "the rule was applied the wrong way round")
    return verdict, gate.allows if verdict.data else gate.refuses
