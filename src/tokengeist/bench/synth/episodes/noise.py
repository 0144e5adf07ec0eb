"""Talk that distracts: repetitions, needless look-ups, pleasantries; and inventions."""

from __future__ import annotations

from tokengeist.bench.synth.ledger import Call
from tokengeist.bench.synth.phrasing import Shown
from tokengeist.bench.synth.play import Play
from tokengeist.bench.synth.value import FlawKind, Value, derive

_CHAT = (
    "[By the way, t|T]he last time I [called|wrote], [somebody|a colleague of yours] told me "
    "{amount} and {day}, [but that was ages ago|but never mind|which may have been another "
    "matter]."
)
_CHAT_BACK = (
    "[I see|Understood|Thanks for mentioning it|Good to know]. [What else can I do for you|Is "
    "there anything you would like me to check|How can I help now]?"
)
_SEND = (
    "<send:[could you send me a summary by e-mail|can you text me that|could you mail me a copy "
    "of this]>[?|, please?]"
)
_SENT = (
    "^<sent:[I've just sent it to you|a summary is on its way to your inbox|it has been sent, you "
    "should have it in {small} minutes]>."
)


def chat(play: Play, *, flawed: bool = False) -> bool:
    """The user mentions figures that look like answers and are none."""
    if "chat" in play.used and not play.chance(0.3):
        return False
    play.used.add("chat")
    play.ledger.user(_CHAT, amount=_some_amount(play), day=_some_date(play))
    play.ledger.assistant(_CHAT_BACK)
    return True


def notices(play: Play, *, flawed: bool = False) -> bool:
    """A look-up whose result answers nothing that is asked later."""
    place = play.domain.place
    for case in play.account.cases:
        document = case.documents.get(play.domain.item.tool)
        if document is not None and "notices" not in case.asked:
            case.asked.add("notices")
            play.user_on_case(
                case,
                play.aside()
                + f"[is there anything going on|any news] at the {place.noun} for {{case}}?",
            )
            link = document.read(*play.domain.item.link.split("."))
            key = derive(str(link.data), link)
            (found,) = play.act([Call(play.domain.notice_tool, {place.key: key})])
            title = found.read("notices", 0, "title")
            play.ledger.assistant(
                "[There is a notice|The board mentions|I see an entry]: <notice:“{notice}”>.",
                notice=play.show_text(title),
            )
            return True
    return False


def recap(play: Play, *, flawed: bool = False) -> bool:
    """The agent repeats a value; the repetition rests on the original, and so does what follows."""
    case = play.focus
    if case is None or play.domain.case.tool not in case.documents or "recap" in case.asked:
        return False
    case.asked.add("recap")
    fields = play.rng.sample(play.domain.case.fields[:2], 2)
    play.user_on_case(
        case, play.aside() + "[can you sum up|could you recap|what do we have for] {case}?"
    )
    slots = {f.steps[-1]: play.show(f, play.read_case(case, f)) for f in fields}
    listing = ", ".join(f"<{f.steps[-1]}:{f.noun}: {{{f.steps[-1]}}}>" for f in fields)
    play.ledger.assistant(f"[In short|To sum up|So far]: {listing}.", **slots)
    return True


def stale_recall(play: Play, *, flawed: bool = False) -> bool:
    """A date asked for again after a write changed it: the fresh one, or the outdated one."""
    for case in play.account.cases:
        for what in (play.domain.renewal.field, play.domain.move.field):
            opened = case.documents.get(play.domain.case.tool)
            fresh = case.updates.get(what.path)
            if fresh is None or opened is None or f"again.{what.path}" in case.asked:
                continue
            old = play.read(opened, what)
            if old.data == fresh.data:  # the record was read after the write
                continue
            case.asked.add(f"again.{what.path}")
            play.user_on_case(
                case,
                play.aside() + f"[what was the {what.noun} of {{case}} again|what did you say the "
                f"{what.noun} of {{case}} is|could you remind me of the {what.noun} of "
                "{case}]?",
            )
            value = fresh
            if flawed:
                note = "the record was changed after this value was read"
                value = old.stale(note, fresh)
            play.ledger.assistant(
                f"[^<again:the {what.noun} is {{again}}>|^<again:it is {{again}}>].",
                again=play.show(what, value),
            )
            return True
    return False


def invent(play: Play, *, flawed: bool = False) -> bool:
    """A question that nothing answers, answered all the same."""
    unused = [n for n in range(len(play.domain.inventions)) if f"invent{n}" not in play.used]
    note = "no turn supports it; the question alone prompted it"
    if not unused or play.chance(0.3):
        if "send" in play.used:
            return False
        play.used.add("send")
        trigger = play.ledger.user(play.aside() + _SEND).read("send")
        note = "no tool sends anything; the request alone prompted it"
        made_up = derive("", trigger).flawed(FlawKind.INVENTED, note)
        play.ledger.assistant(_SENT, sent=Shown("", made_up), **_figures(play, made_up))
        return True
    place = play.rng.choice(unused)
    play.used.add(f"invent{place}")
    invention = play.domain.inventions[place]
    trigger = play.ledger.user(play.aside() + f"<question:{invention.asks}>?").read("question")
    made_up = derive("", trigger).flawed(FlawKind.INVENTED, note)
    play.ledger.assistant(
        f"^<claim:{invention.says}>.", claim=Shown("", made_up), **_figures(play, made_up)
    )
    return True


def _figures(play: Play, made_up: Value[str]) -> dict[str, Shown]:
    """Figures out of thin air."""
    rng = play.rng
    return {
        "small": Shown(str(rng.randint(2, 9)), made_up),
        "large": Shown(str(rng.randint(11, 90)), made_up),
        "hour": Shown(f"{rng.randint(7, 20)}:{rng.choice(('00', '30'))}", made_up),
        "weekday": Shown(rng.choice(("Monday", "Tuesday", "Thursday", "Saturday")), made_up),
        "amount": Shown(_some_amount(play).text, made_up),
    }


def _some_amount(play: Play) -> Shown:
    """An amount that occurs somewhere in the records, if one does, since those distract most."""
    for case in play.account.cases:
        opened = case.documents.get(play.domain.case.tool)
        if opened is not None and play.chance(0.7):
            raw = opened.read(play.domain.settle.list_key, 0, "amount").data
            return play.plain(f"{play.domain.currency}{raw}")
    return play.plain(f"{play.domain.currency}{play.rng.randint(2, 60)}.50")


def _some_date(play: Play) -> Shown:
    """A date that occurs somewhere in the records, if one does."""
    what = play.domain.renewal.field
    for case in play.account.cases:
        opened = case.documents.get(play.domain.case.tool)
        if opened is not None and play.chance(0.7):
            return play.plain(play.show(what, play.read(opened, what)).text)
    return play.plain(play.show_date(Value(play.handbook.today.data)).text)
