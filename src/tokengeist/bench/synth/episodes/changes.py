"""Writes: proposed, confirmed, carried out, reported. The user's yes is a source of the call."""

from __future__ import annotations

from datetime import date, timedelta

from tokengeist.bench.synth.document import Document
from tokengeist.bench.synth.episodes.arithmetic import charges, sum_of
from tokengeist.bench.synth.episodes.rules import judge
from tokengeist.bench.synth.ledger import Call
from tokengeist.bench.synth.play import CaseFile, Play, as_argument, parse
from tokengeist.bench.synth.spec import Field, Kind
from tokengeist.bench.synth.value import FlawKind, Value, derive

_YES = (
    "<yes:[Yes|Yes, please|Yes, go ahead|Please do|OK, do it|That's fine, go ahead|Sure, "
    "proceed|Confirmed|Yes, that works]>[.|!][|| Thank you.]"
)
_NO = "[No, leave it as it is|Hm, no, not now|I'd rather not then][.| after all.]"
_SHALL = "[Shall I|Should I|Do you want me to|May I] [go ahead|proceed|do that|carry that out]?"
_ACT = "[||^thank you, doing that now.|^all right, one moment.|^processing the change.]"
_DONE = "[Done|All set|That's done|It's arranged][.|!]"


def renew(play: Play, *, flawed: bool = False) -> bool:
    """Push a date by what the policy says, if the policy allows it."""
    case = _pick(play, "renew")
    if case is None:
        return False
    renewal, terms = play.domain.renewal, play.handbook.renewal
    said = play.user_on_case(case, play.aside() + f"<request:{renewal.asks}>?")
    play.open(case, play.domain.case)
    verdict, clause = judge(play, case)
    state = play.show(play.domain.gate.field, play.read_case(case, play.domain.gate.field))
    shown = play.show_text(verdict)
    if not verdict.data:
        play.ledger.assistant(
            f"[I'm sorry, but <verdict:{clause}>: {{state}}|^{{state}}, so <verdict:{clause}>].",
            verdict=shown,
            state=state,
        )
        return not flawed  # a refusal leaves nothing to miscount
    old = play.read_case(case, renewal.field)
    until = derive(old.data + timedelta(days=terms.number.data), old, terms.number)
    if flawed:
        wrong = until.data + timedelta(days=play.rng.choice((-7, -1, 1, 7)))
        note = "the new date is miscounted"
        until = derive(wrong, until).flawed(FlawKind.WRONG_VALUE, note)
    noun = renewal.field.noun
    proposal = play.ledger.assistant(
        f"[^<verdict:{clause}>|^{{state}}, so <verdict:{clause}>]. "
        f"[The new {noun} <until:would be {{until}}>|"
        f"That <until:would move the {noun} to {{until}}>]"
        "[, and|;] <fee:[the fee is|it costs] {fee}>. " + _SHALL,
        verdict=shown,
        state=state,
        until=play.show_date(until),
        fee=play.show_money(terms.amount),
    )
    if not flawed and play.chance(0.12):
        play.ledger.user(_NO)
        play.ledger.assistant("[No problem|All right], [nothing was changed|I've left it alone].")
        return True
    yes = play.ledger.user(_YES)
    arguments = {
        play.domain.case.key: play.case_number(case).because(said.read("request")),
        "until": as_argument(proposal.carry("until", until), Kind.DATE),
        "fee": as_argument(terms.amount, Kind.MONEY),
    }
    (result,) = play.act([Call(renewal.tool, arguments, (yes.read("yes"),))], _ACT)
    _report(play, case, renewal.field, result)
    return True


def move(play: Play, *, flawed: bool = False) -> bool:
    """Set a date to a day that the user names, and perhaps thinks better of."""
    case = _pick(play, "move")
    if case is None:
        return False
    first = _some_day(play)
    said = play.user_on_case(
        case,
        play.aside() + f"<request:{play.domain.move.asks.replace('{day}', '<day:{day}>')}>?",
        day=play.show_date(Value(first)),
    )
    day = derive(first, said.read("day"))
    quote = _quote(play, case, day)
    quote_id = quote.read("quote_id")
    _propose(play, day, quote)
    if flawed or play.chance(0.4):
        second = first + timedelta(days=play.rng.choice((1, 2, 3, 5, 7)))
        word = "[Yes, but|OK, but|Yes, only|Please do, but]" if flawed else "[Actually|Wait|Sorry]"
        template = (
            f"<yes:{word} <day:[make it|let's say|I'd prefer] {{day}}[| instead]>>."
            if flawed
            else f"{word}, <day:[make it|let's say|could we do] {{day}} instead>."
        )
        corrected = play.ledger.user(template, day=play.show_date(Value(second)))
        if flawed:
            note = "the day was corrected before the call, and the old one was used"
            yes = corrected.read("yes")
            day = day.stale(note, corrected.read("day"))
            quote_id = quote_id.stale(note, corrected.read("day"))
        else:
            day = derive(second, corrected.read("day"))
            quote = _quote(play, case, day)
            quote_id = quote.read("quote_id")
            _propose(play, day, quote)
            yes = play.ledger.user(_YES).read("yes")
    else:
        yes = play.ledger.user(_YES).read("yes")
    arguments = {
        play.domain.case.key: play.case_number(case).because(said.read("request")),
        "date": as_argument(day, Kind.DATE),
        "quote_id": quote_id,
    }
    (result,) = play.act([Call(play.domain.move.tool, arguments, (yes,))], _ACT)
    _report(play, case, play.domain.move.field, result)
    return True


def _some_day(play: Play) -> date:
    return play.handbook.today.data + timedelta(days=play.rng.randint(4, 40))


def _quote(play: Play, case: CaseFile, day: Value[date]) -> Document:
    number = play.case_number(case)
    arguments = {play.domain.case.key: number, "date": as_argument(day, Kind.DATE)}
    return play.act([Call(play.domain.move.quote_tool, arguments)])[0]


def _propose(play: Play, day: Value[date], quote: Document) -> None:
    fee_field = Field("fee", "fee", Kind.MONEY)
    fee = parse(fee_field, quote.read("fee"))
    play.ledger.assistant(
        f"[^the {play.domain.move.field.noun} would be|^I can set the "
        f"{play.domain.move.field.noun} "
        "to|^the new day would be] {day}[, which costs|, for a fee of|; the fee is] {fee}. "
        + _SHALL,
        day=play.show_date(day),
        fee=play.show_money(fee),
    )


def settle(play: Play, *, flawed: bool = False) -> bool:
    """Pay the sum of a case's charges with a method that the user picks from the list."""
    case = _pick(play, "settle")
    if case is None:
        return False
    case.asked.add("total")
    spec = play.domain.settle
    said = play.user_on_case(case, play.aside() + f"<request:{spec.asks}>.")
    total = sum_of(play, charges(play, case), flawed=flawed)
    if play.account.wallet is None:
        (play.account.wallet,) = play.act([play.wallet_call()])
    wallet = play.account.wallet
    kinds = [str(wallet.read("methods", n, "kind").data) for n in range(wallet.count("methods"))]
    listing = derive(" or ".join(f"the {kind}" for kind in kinds), wallet.read("methods"))
    offer = play.ledger.assistant(
        "^<total:[the total is|it comes to|the amount due is] {total}>. [Which payment method "
        "should I use|How would you like to pay][: <methods:{methods}>|]?",
        total=play.show_money(total),
        methods=play.show_text(listing),
    )
    place = play.rng.randrange(len(kinds))
    choice = play.ledger.user(
        f"^<method:[use|take|please use|I'll pay with|let's take] the {kinds[place]}>."
    )
    entry = wallet.read("methods", place)
    ending = wallet.read("methods", place, "ending")
    amount = offer.carry("total", total)
    play.ledger.assistant(
        "[I will charge|So I'd take|I am about to charge] {amount} [to|from] <ending:the "
        f"{kinds[place]} ending in {{ending}}>. [Is that right|Do you confirm|OK]?",
        amount=play.show_money(amount),
        ending=play.show_text(derive(ending.data, ending).because(choice.read("method"))),
    )
    yes = play.ledger.user(_YES)
    method_id = wallet.read("methods", place, "method_id")
    arguments = {
        play.domain.case.key: play.case_number(case).because(said.read("request")),
        "amount": as_argument(amount, Kind.MONEY),
        "method_id": derive(method_id.data, entry).because(choice.read("method")),
    }
    (result,) = play.act([Call(spec.tool, arguments, (yes.read("yes"),))], _ACT)
    receipt = result.read("receipt_no")
    play.ledger.assistant(
        f"{_DONE} [Your receipt is|The receipt number is|Keep this receipt number:] {{receipt}}.",
        receipt=play.show_text(receipt),
    )
    return True


def _pick(play: Play, what: str) -> CaseFile | None:
    cases = [case for case in play.account.cases if what not in case.asked]
    if not cases:
        return None
    case = play.rng.choice(cases)
    case.asked.add(what)
    return case


def _report(play: Play, case: CaseFile, what: Field, result: Document) -> None:
    """Tell what the write did, from its result, and remember that the record has changed."""
    new = parse(what, result.read(*what.steps))
    case.updates[what.path] = new
    play.ledger.assistant(
        f"{_DONE} [<changed:The {what.noun} is now {{changed}}>|<changed:{{changed}} is the new "
        f"{what.noun}>][, reference|; the confirmation number is|, confirmed as] {{confirmation}}.",
        changed=play.show_date(new),
        confirmation=play.show_text(result.read("confirmation")),
    )
