"""Questions whose answer stands in no record: sums, differences, products, spans of days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from tokengeist.bench.synth.episodes.followup import follow_up
from tokengeist.bench.synth.episodes.mistakes import garble_money
from tokengeist.bench.synth.ledger import Call
from tokengeist.bench.synth.play import CaseFile, Play
from tokengeist.bench.synth.spec import Kind
from tokengeist.bench.synth.surface import Money, money_json, money_read
from tokengeist.bench.synth.value import FlawKind, Value, derive

_TOTAL = "[the total is|together that is|it adds up to|that comes to|all in all it is]"


def charges(play: Play, case: CaseFile) -> list[Value[Money]]:
    """The amounts that a case has accrued."""
    document = play.open(case, play.domain.case)
    key = play.domain.settle.list_key
    raw = [document.read(key, place, "amount") for place in range(document.count(key))]
    return [derive(money_read(value.data), value) for value in raw]


def add_up(play: Play, amounts: Sequence[Value[Money]], *, flawed: bool = False) -> Value[Money]:
    """A sum in the agent's head; a careless one forgets an amount."""
    if flawed:
        note = "one of the amounts is missing from the sum"
        total = Money(sum(a.data for a in amounts[:-1]))
        return derive(total, *amounts).flawed(FlawKind.WRONG_VALUE, note)
    return derive(Money(sum(a.data for a in amounts)), *amounts)


def calculate(play: Play, sign: str, operands: Sequence[Value[Any]]) -> Value[Money]:
    """The same with the calculator, which puts a call and a result into the chain."""
    expression = f" {sign} ".join(f"{operand.data}" for operand in operands)
    (result,) = play.act([Call("calculate", {"expression": derive(expression, *operands)})])
    found = result.read("result")
    return derive(money_read(found.data), found)


def sum_of(play: Play, amounts: Sequence[Value[Money]], *, flawed: bool = False) -> Value[Money]:
    """A sum by whichever means."""
    if flawed or play.chance(0.5):
        return add_up(play, amounts, flawed=flawed)
    return calculate(play, "+", [derive(money_json(a.data), a) for a in amounts])


def ask_total(play: Play, *, flawed: bool = False) -> bool:
    """What does a case owe altogether?"""
    cases = [case for case in play.account.cases if "total" not in case.asked]
    if not cases:
        return False
    case = play.rng.choice(cases)
    case.asked.add("total")
    noun = play.domain.settle.noun
    play.user_on_case(
        case,
        play.aside()
        + f"[what do the {noun} on {{case}} come to|how much are the {noun} for {{case}} in "
        "total|what do I owe for {case} altogether]?",
    )
    total = sum_of(play, charges(play, case), flawed=flawed)
    _say_total(play, total)
    return True


def _say_total(play: Play, total: Value[Money]) -> None:
    said = play.ledger.assistant(f"^<total:{_TOTAL} {{total}}>.", total=play.show_money(total))
    if play.chance(0.35):
        follow_up(play, said.carry("total", total))


def ask_both_at_once(play: Play, *, flawed: bool = False) -> bool:
    """A question over two cases, opened in parallel: the paths share the turn that calls."""
    return ask_both(play, flawed=flawed, at_once=True)


def ask_both(play: Play, *, flawed: bool = False, at_once: bool = False) -> bool:
    """A question over two cases, opened one after the other: two paths from one request."""
    fresh = [c for c in play.account.cases if play.domain.case.tool not in c.documents]
    if len(fresh) < 2:
        return False
    first, second = play.rng.sample(fresh, 2)
    topic = play.rng.choice(("charges", "date"))
    noun = play.domain.settle.noun
    what = play.domain.renewal.field
    ask = (
        f"[what do the {noun} on CASES come to together|how much are the {noun} on CASES in total]"
        if topic == "charges"
        else f"[which has the earlier {what.noun}|which {what.noun} comes first], CASES"
    )
    name_both(play, first, second, play.aside() + ask + "?", "and" if topic == "charges" else "or")
    if at_once:
        play.open_together((first, second))
    if topic == "charges":
        amounts = [*charges(play, first), *charges(play, second)]
        first.asked.add("total")
        total = sum_of(play, amounts, flawed=flawed)
        _say_total(play, total)
        return True
    for case in (first, second):
        play.open(case, play.domain.case)
    days = [play.read_case(case, what) for case in (first, second)]
    _say_earlier(play, (first, second), days, flawed=flawed)
    return True


def _say_earlier(
    play: Play, cases: tuple[CaseFile, CaseFile], days: list[Value[date]], *, flawed: bool
) -> None:
    """Decide which date comes first; a careless agent decides the other way round."""
    early = min((0, 1), key=lambda place: days[place].data)
    verdict = derive(cases[early ^ flawed].label, *days)
    if cases[0].told:
        verdict = derive(cases[early ^ flawed].id, *days)
    if flawed and days[0].data != days[1].data:
        verdict = verdict.flawed(FlawKind.WRONG_VALUE, "the two dates were compared wrongly")
    play.ledger.assistant(
        "^<earlier:[{earlier} comes first|{earlier} is the earlier one|the earlier of the two is "
        "{earlier}]>.",
        earlier=play.show_text(verdict),
    )


def name_both(play: Play, first: CaseFile, second: CaseFile, template: str, joint: str) -> None:
    """Let the user name two cases in one breath, by number or by label as they are known."""
    told = any(case.number is None or case.told for case in (first, second))
    noun = play.domain.case.noun
    names = (
        f"<a:{noun} {{number_a}}> {joint} <b:{noun} {{number_b}}>"
        if told
        else f"<a:{{label_a}}> {joint} <b:{{label_b}}>"
    )
    said = play.ledger.user(
        template.replace("CASES", names),
        number_a=play.plain(first.id),
        number_b=play.plain(second.id),
        label_a=play.plain(first.label),
        label_b=play.plain(second.label),
    )
    for case, label in ((first, "a"), (second, "b")):
        case.chosen = said.read(label)
        if told:
            case.number, case.told = derive(case.id, case.chosen), True
    play.focus = None


def ask_deep(play: Play, *, flawed: bool = False) -> bool:
    """The deepest question there is: a follow-up on a product of a rate at the chain's end."""
    return ask_product(play, flawed=flawed, deep=True)


def ask_product(play: Play, *, flawed: bool = False, deep: bool = False) -> bool:
    """A rate from the end of the chain times a number that the user names."""
    cases = [case for case in play.account.cases if "product" not in case.asked]
    if not cases:
        return False
    case = play.rng.choice(cases)
    case.asked.add("product")
    count = play.rng.randint(2, 12)
    said = play.user_on_case(
        case,
        play.aside()
        + f"[what would <count:{{count}} {play.domain.rate_unit}> cost|how much is it for "
        f"<count:{{count}} {play.domain.rate_unit}>], [going by|at] the {play.domain.tariff.noun} "
        "[that applies to|for] {case}?",
        count=play.plain(str(count)),
    )
    rate_field = play.domain.tariff.fields[0]
    rate = play.read(play.open(case, play.domain.tariff), rate_field)
    wanted = derive(count, said.read("count"))
    product = derive(Money(rate.data * count), rate, wanted)
    if flawed:
        wrong = garble_money(play, product.data)
        note = "the product of rate and number is miscalculated"
        product = derive(wrong, product).flawed(FlawKind.WRONG_VALUE, note)
    elif not deep and play.chance(0.4):
        product = calculate(play, "*", [derive(money_json(rate.data), rate), wanted])
    stated = play.ledger.assistant(
        f"[^at {{rate}} each, |^with the {rate_field.noun} at {{rate}}, ]"
        "<product:[that is|that would cost|you would pay] {product}>.",
        rate=play.show_money(rate),
        product=play.show_money(product),
    )
    if deep or play.chance(0.3):
        follow_up(play, stated.carry("product", product))
    return True


def ask_days_left(play: Play, *, flawed: bool = False) -> bool:
    """How long until a date of a case, counted from the policy's today."""
    what = play.domain.renewal.field
    cases = [case for case in play.account.cases if "days" not in case.asked]
    if not cases or what.kind is not Kind.DATE:
        return False
    case = play.rng.choice(cases)
    case.asked.add("days")
    play.user_on_case(
        case,
        play.aside()
        + f"[how many days are left until|how long is it until] the {what.noun} [of|for] "
        "{case}?",
    )
    play.open(case, play.domain.case)
    day = play.read_case(case, what)
    left = derive((day.data - play.handbook.today.data).days, day, play.handbook.today)
    if flawed:
        off = left.data + play.rng.choice((1, 2, 7, 10))
        left = derive(off, left).flawed(FlawKind.WRONG_VALUE, "the days were miscounted")
    play.ledger.assistant(
        "^<left:[it is {left} away|that is {left} from today|you have {left} to go|there is still "
        "time: {left}]>[|, until {day}].",
        left=play.show_days(left),
        day=play.show_date(day),
    )
    return True
