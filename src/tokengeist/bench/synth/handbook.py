"""The system prompt: a policy of realistic length in which each rule knows its place.

The rules that decide something in the conversation stand among rules that never matter, in an
order and wording drawn per conversation, so that finding the right sentence is part of the task.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date

from tokengeist.bench.synth.ledger import Ledger
from tokengeist.bench.synth.phrasing import Shown, wording
from tokengeist.bench.synth.spec import Domain
from tokengeist.bench.synth.surface import Money, money_text
from tokengeist.bench.synth.value import Value, derive

_TITLE = "# [Desk handbook|Agent policy|Working rules|Instructions]: {office}\n\n"
_TODAY = "<today:[Today is|The current date is|The date today is] {today}>."
_CONDUCT = (
    "[Before any change to a record|Before you write anything to the database], [state|list] what "
    "will be changed and [wait for|obtain] the [user's|person's] explicit yes.",
    "[Do not make up|Never invent] [facts, prices or procedures|information]; use the tools and "
    "this [document|handbook] only.",
    "[Work on one request at a time|Deal with one request after the other]; [do not|never] "
    "speculate about the [reasons behind a rule|outcome of a request].",
    "[Identify the person|Establish who is asking] by number or e-mail address, or work from the "
    "number of the case they name.",
    "[Transfer to a colleague|Hand over to staff] only if the request is [outside|beyond] these "
    "rules.",
)
_COMMON = (
    "Answer in the language of the [person|user] and keep [answers|replies] short.",
    "[Dates in the records|All dates on file] are written year first; amounts are in the local "
    "currency.",
    "Records may [hold|contain] fields that are of no interest here; [leave them out|skip them].",
    "If a tool [reports|returns] an error, say so and ask for the [missing|right] detail.",
    "Complaints are [passed on|forwarded] to the manager at the end of the day.",
    "Figures that people remember from earlier calls are not binding; the record [counts|decides].",
    "The desk is [staffed|open] on weekdays; messages sent at night are [answered|dealt with] the "
    "next morning.",
    "Payments are [taken|accepted] only with a method that is already on file.",
    "A change that has been carried out is confirmed with its [reference|confirmation] number.",
    "[Never|Do not] read out a full card or account number, only its [ending|last four digits].",
    "Recordings of conversations are kept for training and [deleted|erased] after a quarter.",
    "Staff are not allowed to [accept gifts|take tips].",
)
_HEADINGS = (
    "## [Conduct|How to work|General]",
    "## [Rules|What applies|Policy]",
    "## [Further rules|Also note|Other matters]",
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The numbers of one rule, each resting on the sentence that states it."""

    rule: Value[str]
    number: Value[int]
    amount: Value[Money]


@dataclass(frozen=True, slots=True)
class Handbook:
    """What the agent can cite from the system turn."""

    today: Value[date]
    gate: Value[str]
    renewal: Terms
    rules: tuple[Terms, ...]


def write_handbook(rng: random.Random, ledger: Ledger, domain: Domain, today: date) -> Handbook:
    """Draw the policy's numbers, write the system turn, and keep hold of its rules."""
    sentences = {"gate": domain.gate.sentence, "renewal": domain.renewal.sentence}
    numbers = {"renewal": rng.choice(domain.renewal.days)}
    amounts = {"renewal": Money(rng.randint(*domain.renewal.fee) // 50 * 50)}
    for place, rule in enumerate(domain.rules):
        name = f"rule{place}"
        sentences[name] = rule.sentence
        numbers[name] = rng.randint(*rule.number)
        amounts[name] = Money(max(50, rng.randint(*rule.amount) // 50 * 50))
    slots = {
        "office": _plain(wording(rng, domain.office)),
        "today": _plain(rng.choice((today.isoformat(), f"{today:%A}, {today.isoformat()}"))),
    }
    lines = []
    for name, sentence in sentences.items():
        text = sentence.replace("{number}", f"{{{name}_number}}")
        text = text.replace("{amount}", f"{{{name}_amount}}")
        lines.append(f"<{name}:{text.removesuffix('.')}>.")
        if name in numbers:
            slots[f"{name}_number"] = _plain(str(numbers[name]))
            slots[f"{name}_amount"] = _plain(money_text(rng, amounts[name], domain.currency))
    said = ledger.system(_layout(rng, domain, lines), **slots)

    def terms(name: str) -> Terms:
        rule = said.read(name)
        return Terms(rule, derive(numbers[name], rule), derive(amounts[name], rule))

    return Handbook(
        derive(today, said.read("today")),
        said.read("gate"),
        terms("renewal"),
        tuple(terms(f"rule{place}") for place in range(len(domain.rules))),
    )


def _layout(rng: random.Random, domain: Domain, rules: list[str]) -> str:
    """Arrange rules, filler and conduct under headings, as list items or as paragraphs."""
    filler = rng.sample(domain.filler, rng.randint(3, len(domain.filler)))
    filler += rng.sample(_COMMON, rng.randint(2, len(_COMMON)))
    mixed = rules + filler
    rng.shuffle(mixed)
    cut = rng.randint(4, len(mixed) - 2)
    conduct = rng.sample(_CONDUCT, rng.randint(3, len(_CONDUCT)))
    tools = ", ".join(entity.tool for entity in (domain.person, *domain.chain))
    conduct.append(f"The look-up tools are {tools}; each takes the number of its record.")
    bullet = rng.choice(("- ", "* ", "", "• "))
    gap = "\n" if bullet else " "
    sections = [
        heading + "\n" + gap.join(f"{bullet}{line}" for line in lines)
        for heading, lines in zip(_HEADINGS, (conduct, mixed[:cut], mixed[cut:]), strict=True)
    ]
    return _TITLE + domain.intro + " " + _TODAY + "\n\n" + "\n\n".join(sections)


def _plain(text: str) -> Shown:
    return Shown(text, Value(text))
