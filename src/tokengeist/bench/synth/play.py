"""One conversation in progress: who is there, what the agent has read, how things are put.

Episodes are functions on a `Play`. They may look only at what the agent has read (documents and
what was said), so that every value they use has its origins.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tokengeist.bench.synth.document import Document
from tokengeist.bench.synth.handbook import Handbook
from tokengeist.bench.synth.ledger import Call, Ledger, Said
from tokengeist.bench.synth.phrasing import Shown, wording
from tokengeist.bench.synth.spec import Domain, Entity, Field, Kind
from tokengeist.bench.synth.surface import (
    Money,
    count_text,
    date_text,
    days_text,
    money_json,
    money_read,
    money_text,
)
from tokengeist.bench.synth.value import Value, derive
from tokengeist.bench.synth.world import Person, World

_LEAD = (
    "[||||Let me [check|look that up|pull that up|have a look][| for you].|[One|Just a] moment[|, "
    "please].|I'll [look|check|find out][| right away].|[Checking [that|the file]|Looking it up] "
    "now.|I need to consult the record[| first].|Bear with me[| while I look].]"
)
_ASIDE = (
    "[^|^|^|Also, |And |Next: |One more thing: |OK, |Thanks. ^|Good to know. ^|I see. ^|Right, "
    "|While I have you: |Great. ^]"
)


@dataclass(slots=True)
class CaseFile:
    """A case as the agent knows it: its number, its records, and what writes have changed."""

    id: str
    label: str
    number: Value[str] | None = None
    listed: bool = False
    """Whether the number is one of several in the profile, so that the user has to choose."""
    told: bool = False
    """Whether the number is known from the user alone; the agent then knows no label."""
    chosen: Value[Any] | None = None
    """The words with which the user last named the case."""
    documents: dict[str, Document] = field(default_factory=dict)
    updates: dict[str, Value[Any]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Account:
    """A person as the agent knows them."""

    person: Person
    cases: list[CaseFile]
    number: Value[str] | None = None
    profile: Document | None = None
    wallet: Document | None = None
    asked: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Play:
    """The state that episodes share."""

    rng: random.Random
    domain: Domain
    world: World
    ledger: Ledger
    handbook: Handbook
    account: Account
    focus: CaseFile | None = None
    begun: bool = False
    used: set[str] = field(default_factory=set)
    """What has been talked about and should not come up again."""

    def chance(self, probability: float) -> bool:
        """A biased coin."""
        return self.rng.random() < probability

    # How data are put into words

    def show_date(self, value: Value[date]) -> Shown:
        """A date in one of its forms."""
        return Shown(date_text(self.rng, value.data), value)

    def show_money(self, value: Value[Money]) -> Shown:
        """An amount in the domain's currency."""
        return Shown(money_text(self.rng, value.data, self.domain.currency), value)

    def show_count(self, value: Value[int]) -> Shown:
        """A number, perhaps in words."""
        return Shown(count_text(self.rng, value.data), value)

    def show_days(self, value: Value[int]) -> Shown:
        """A number of days."""
        return Shown(days_text(self.rng, value.data), value)

    def show_text(self, value: Value[Any]) -> Shown:
        """Anything that is written as it is."""
        return Shown(str(value.data), value)

    def plain(self, text: str) -> Shown:
        """Words that rest on nothing."""
        return Shown(text, Value(text))

    def show(self, what: Field, value: Value[Any]) -> Shown:
        """A field's datum, already parsed by `parse`, in words."""
        if what.kind is Kind.DATE:
            return self.show_date(value)
        if what.kind is Kind.MONEY:
            return self.show_money(value)
        if what.kind is Kind.COUNT:
            return self.show_count(value)
        if what.kind is Kind.CHOICE:
            says = next(c.says for c in what.choices if c.code == value.data)
            return Shown(wording(self.rng, says), value)
        return self.show_text(value)

    # How the agent reads and acts

    def read(self, document: Document, what: Field) -> Value[Any]:
        """A field of a record, parsed."""
        return parse(what, document.read(*what.steps))

    def read_case(self, case: CaseFile, what: Field) -> Value[Any]:
        """A field of an opened case as it stands after all writes."""
        fresh = case.updates.get(what.path)
        return fresh or self.read(case.documents[self.domain.case.tool], what)

    def act(self, calls: Sequence[Call], lead: str = _LEAD, **slots: Shown) -> list[Document]:
        """Make one or more calls in one turn and read what comes back."""
        said = self.ledger.assistant(lead, calls, **slots)
        return [
            self.ledger.result(
                made,
                self.world.run(made.call.tool, {k: v.data for k, v in made.call.arguments.items()}),
            )
            for made in said.made
        ]

    def open_profile(self) -> Document:
        """Read the person's record, by whatever identified them."""
        account, person = self.account, self.domain.person
        if account.profile is None:
            calls = [Call(person.tool, {person.key: self.person_number()})]
            if account.wallet is None and self.chance(0.15):  # two look-ups at once
                calls.append(self.wallet_call())
            account.profile, *more = self.act(calls)
            account.wallet = more[0] if more else account.wallet
            for place, case in enumerate(account.cases):
                if case.number is None:
                    entry = account.profile.read(self.domain.list_key, place)
                    case.number, case.listed = derive(case.id, entry), len(account.cases) > 1
        return account.profile

    def person_number(self) -> Value[str]:
        """The person's number: said by them, found by address, or named in an opened case."""
        if self.account.number is None:
            case = next(c for c in self.account.cases if self.domain.case.tool in c.documents)
            number = case.documents[self.domain.case.tool].read(self.domain.person.key)
            self.account.number = derive(str(number.data), number)
        return self.account.number

    def wallet_call(self) -> Call:
        """The call that lists payment methods."""
        return Call(self.domain.settle.wallet_tool, {self.domain.person.key: self.person_number()})

    def case_number(self, case: CaseFile) -> Value[str]:
        """A case's number as an argument: if it was one of a list, the user's choice counts too."""
        if case.number is None:
            raise LookupError(f"the agent has not been told the number of case {case.id}")
        return case.number.because(case.chosen) if case.listed and case.chosen else case.number

    def open(self, case: CaseFile, entity: Entity) -> Document:
        """Read a case or a record behind it, following the links from the case."""
        chain = self.domain.chain
        for before, step in zip((None, *chain), chain, strict=False):
            if step.tool not in case.documents:
                key = self._follow(case, before) if before else self.case_number(case)
                calls = [Call(step.tool, {step.key: key})]
                if step is self.domain.place and self.chance(0.25):  # a needless second look-up
                    calls.append(Call(self.domain.notice_tool, {step.key: key}))
                case.documents[step.tool] = self.act(calls)[0]
            if step is entity:
                break
        return case.documents[entity.tool]

    def _follow(self, case: CaseFile, before: Entity) -> Value[str]:
        """The number of the next record, as a record names it.

        Among several open cases it is the user who chooses whose record is followed; if they chose
        after that record was read, nothing further up the chain says so.
        """
        document = case.documents[before.tool]
        link = document.read(*before.link.split("."))
        key = derive(str(link.data), link)
        opened = [c for c in self.account.cases if self.domain.case.tool in c.documents]
        choice = case.chosen if len(opened) > 1 else None
        return key.because(choice) if choice and choice.origins[0].turn > document.turn else key

    def open_together(self, cases: Sequence[CaseFile]) -> None:
        """Read several cases with parallel calls in one turn."""
        entity = self.domain.case
        calls = [Call(entity.tool, {entity.key: self.case_number(case)}) for case in cases]
        for case, document in zip(cases, self.act(calls), strict=True):
            case.documents[entity.tool] = document

    # How the user speaks

    def aside(self) -> str:
        """How a request starts; only later ones follow on from something."""
        later, self.begun = self.begun, True
        return _ASIDE if later else "^"

    def user_on_case(self, case: CaseFile, template: str, **slots: Shown) -> Said:
        """Let the user say something in which `{case}` is a reference to a case.

        A number that only the user can know is taken from where it was last given; "that loan"
        leaves the choice where it was made.
        """
        told = case.number is None or case.told
        if case is self.focus and case.number is not None and self.chance(0.4):
            reference = f"<_case:[this|that] {self.domain.case.noun}>"
        elif told:
            reference = f"<case:[|the |my ]{self.domain.case.noun} {{number}}>"
        else:
            reference = f"<case:{self.domain.reference}>"
        names = {"label": self.plain(case.label), "number": self.plain(case.id)}
        said = self.ledger.user(template.replace("{case}", reference), **names, **slots)
        if "<case:" in reference:
            case.chosen = said.read("case")
            if told:
                case.number, case.told = derive(case.id, case.chosen), True
        self.focus = case
        return said


def parse(what: Field, raw: Value[object]) -> Value[Any]:
    """A raw datum of a record as the type that its kind is computed with."""
    if what.kind is Kind.DATE:
        return derive(date.fromisoformat(str(raw.data)), raw)
    if what.kind is Kind.MONEY:
        return derive(money_read(raw.data), raw)
    return raw


def as_argument(value: Value[Any], kind: Kind) -> Value[Any]:
    """A parsed value as JSON wants it."""
    if kind is Kind.DATE:
        return derive(value.data.isoformat(), value)
    if kind is Kind.MONEY:
        return derive(money_json(value.data), value)
    return value
