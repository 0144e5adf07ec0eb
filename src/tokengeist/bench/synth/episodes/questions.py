"""Questions that a look-up answers: one record, a record behind it, or two at once."""

from __future__ import annotations

from typing import Any

from tokengeist.bench.synth.document import Document
from tokengeist.bench.synth.episodes.mistakes import distort, neighbour
from tokengeist.bench.synth.ledger import Call
from tokengeist.bench.synth.phrasing import Shown
from tokengeist.bench.synth.play import CaseFile, Play, as_argument
from tokengeist.bench.synth.spec import Entity, Field, Kind
from tokengeist.bench.synth.value import Value, derive

_ASK = (
    "[what is|what's|can you tell me|could you tell me|could you look up|do you know|would you "
    "check|may I ask for|can you find] the NOUN"
)
_STATE = (
    "<LABEL:the NOUN is {LABEL}>",
    "<LABEL:the NOUN [given|recorded|shown|listed] [there |]is {LABEL}>",
    "<LABEL:[I have|I see|the record shows|it says] {LABEL} as the NOUN>",
    "<LABEL:{LABEL} is the NOUN>",
    "<LABEL:for the NOUN [I find|the entry is|the file gives] {LABEL}>",
    "[according to the record|as it stands|at the moment], <LABEL:the NOUN is {LABEL}>",
    "<LABEL:the NOUN [comes out as|stands at|reads] {LABEL}>",
)
_BARE = "<LABEL:[that would be|it is|it's] {LABEL}>"
"""Only good as the answer to a question for one thing."""
_NOTES = 0.08
"""How often the agent takes a note before it answers."""
_CLOSE = "[||| [Anything else|Is there anything else|What else can I do]?| I hope that helps.]"


def ask_profile(play: Play, *, flawed: bool = False) -> bool:
    """A question about the person's own record."""
    account = play.account
    fields = [f for f in play.domain.person.fields if f.path not in account.asked]
    fields = [f for f in fields if not flawed or f.kind is not Kind.NAME]
    if not fields or account.number is None:
        return False
    what = play.rng.choice(fields)
    account.asked.add(what.path)
    ask = what.asks or _ASK.replace("NOUN", what.noun)
    play.ledger.user(play.aside() + ask + "?")
    answer(play, play.open_profile(), ((play.domain.person, what),), flawed=flawed)
    return True


def ask_case(play: Play, *, flawed: bool = False) -> bool:
    """A question about a case or a record behind it, the more hops the better."""
    found = pick(play, flawed=flawed)
    if found is None:
        return False
    case, entity, what = found
    fields = [what]
    more = [
        f
        for f in entity.fields
        if f"{entity.tool}.{f.path}" not in case.asked and not f.asks and f is not what
    ]
    if more and not what.asks and not flawed and play.chance(0.35):
        fields.append(play.rng.choice(more))
    case.asked.update(f"{entity.tool}.{f.path}" for f in fields)
    play.user_on_case(case, _question(play, entity, fields))
    document = play.open(case, entity)
    if flawed and play.chance(0.4) and _mix_up(play, case, entity, what):
        return True
    answer(play, document, tuple((entity, f) for f in fields), flawed=flawed, case=case)
    return True


def pick(play: Play, *, flawed: bool) -> tuple[CaseFile, Entity, Field] | None:
    """A case and a field of it, or of a record behind it, that was not asked for yet."""
    options = [
        (case, entity, what)
        for case in play.account.cases
        for entity in play.domain.chain
        for what in entity.fields
        if f"{entity.tool}.{what.path}" not in case.asked
        and not (flawed and what.kind is Kind.NAME)
    ]
    if not options:
        return None
    entity = play.rng.choice(sorted({e.tool for _, e, _ in options}))
    return play.rng.choice([option for option in options if option[1].tool == entity])


def _question(play: Play, entity: Entity, fields: list[Field]) -> str:
    what = fields[0]
    if what.asks:
        return (
            play.aside()
            + "[about {case}: |a question about {case}: |regarding {case}, ]"
            + what.asks
            + "?"
        )
    nouns = " and the ".join(f.noun for f in fields)
    ask = play.aside() + _ASK.replace("NOUN", nouns)
    if entity is play.domain.case:
        return ask + " [of|for] {case}?"
    return ask + f" of the {entity.noun} [for|that goes with|behind] {{case}}?"


def answer(
    play: Play,
    document: Document,
    asked: tuple[tuple[Entity, Field], ...],
    *,
    flawed: bool = False,
    case: CaseFile | None = None,
) -> None:
    """Say what the record says, in other words; or get it wrong."""
    parts, slots = [], {}
    for entity, what in asked:
        if case is not None and entity is play.domain.case:
            value = play.read_case(case, what)
        else:
            value = play.read(document, what)
        if not flawed and play.chance(_NOTES):
            _jot(play, what, value)
        if flawed:
            swap = play.chance(0.4)
            mistaken = neighbour(play, entity, document, what, value) if swap else None
            value = mistaken or distort(play, what, value)
        label = what.steps[-1]
        slots[label] = play.show(what, value)
        parts.append(statement(play, what, label, alone=len(asked) == 1))
    text = ", and ".join(parts)
    play.ledger.assistant(f"[^|^|^|Thanks for waiting. ^|Right: ]{text}.{_CLOSE}", **slots)


def _jot(play: Play, what: Field, value: Value[Any]) -> None:
    """Write a note first: a repetition, which is nobody's source."""
    text = f"{what.steps[-1]} = {as_argument(value, what.kind).data}"
    play.act([Call("note", {"text": derive(text, value)})], "")


def statement(play: Play, what: Field, label: str, *, alone: bool = True) -> str:
    """A clause that states a field."""
    if what.kind is Kind.CHOICE:
        return f"[|according to the record, |as far as I can see, ]<{label}:{{{label}}}>"
    forms = (*_STATE, _BARE) if alone else _STATE
    return play.rng.choice(forms).replace("LABEL", label).replace("NOUN", what.noun)


def _mix_up(play: Play, case: CaseFile, entity: Entity, what: Field) -> bool:
    """Answer with the same field of a case that was open before: a stale context."""
    if case.chosen is None:
        return False
    for other in play.account.cases:
        earlier = other.documents.get(entity.tool)
        if other is not case and earlier is not None:
            is_case = entity is play.domain.case
            document = case.documents[entity.tool]
            right = play.read_case(case, what) if is_case else play.read(document, what)
            value = play.read(earlier, what)
            if value.data == right.data:
                continue
            note = "the value belongs to another record that was opened earlier"
            stale = value.stale(note, right)
            label = what.steps[-1]
            slots: dict[str, Shown] = {label: play.show(what, stale)}
            play.ledger.assistant(f"^{statement(play, what, label)}.{_CLOSE}", **slots)
            return True
    return False
