"""What a domain is made of. A domain is data: the simulator is the same for all of them.

Each has people who hold cases; a case points to an item, an item to a place, a place to a
tariff. Joins along that chain are what gives deep provenance. Texts are templates in the grammar
of `phrasing`; in patterns `#` is a digit, `@` a capital letter and `~` a person's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a field holds, which decides how it is drawn, asked for and said."""

    DATE = "date"
    MONEY = "money"
    COUNT = "count"
    CHOICE = "choice"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Choice:
    """A code in a record and the clauses that paraphrase it."""

    code: str | bool
    says: str


@dataclass(frozen=True, slots=True)
class Field:
    """One datum of a record; `path` is dotted, `low..high` are days from today, cents or units."""

    path: str
    noun: str
    kind: Kind
    low: int = 0
    high: int = 0
    pattern: str = ""
    choices: tuple[Choice, ...] = ()
    asks: str = ""

    @property
    def steps(self) -> tuple[str, ...]:
        """The path as keys."""
        return tuple(self.path.split("."))


@dataclass(frozen=True, slots=True)
class Entity:
    """A kind of record, the tool that fetches it, and where it names the next record."""

    noun: str
    key: str
    tool: str
    pattern: str
    fields: tuple[Field, ...]
    clutter: tuple[Field, ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the policy that can be recited; `says` rephrases it with the same numbers."""

    sentence: str
    asks: str
    says: str
    number: tuple[int, int] = (1, 1)
    amount: tuple[int, int] = (100, 100)


@dataclass(frozen=True, slots=True)
class Gate:
    """A rule that decides on a case's field whether a renewal is allowed."""

    field: Field
    closed: tuple[str | bool, ...]
    sentence: str
    allows: str
    refuses: str


@dataclass(frozen=True, slots=True)
class Renewal:
    """Pushing a case's date by what the policy says, for the fee that the policy says."""

    tool: str
    field: Field
    sentence: str
    asks: str
    days: tuple[int, ...]
    fee: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Move:
    """Setting another date of a case to a day of the user's choice, for a quoted fee."""

    quote_tool: str
    tool: str
    field: Field
    asks: str


@dataclass(frozen=True, slots=True)
class Settle:
    """Paying what a case has accrued, with a payment method on file."""

    wallet_tool: str
    tool: str
    noun: str
    list_key: str
    name_key: str
    charges: tuple[str, ...]
    asks: str


@dataclass(frozen=True, slots=True)
class Invention:
    """A question that nothing in the world answers, and answers a careless agent makes up."""

    asks: str
    says: str


@dataclass(frozen=True, slots=True)
class Domain:
    """A world of our own invention; `rate_unit` is what the tariff's first field is paid for."""

    name: str
    office: str
    intro: str
    currency: str
    person: Entity
    case: Entity
    item: Entity
    place: Entity
    tariff: Entity
    find_tool: str
    list_key: str
    label_key: str
    label: str
    reference: str
    gate: Gate
    renewal: Renewal
    move: Move
    settle: Settle
    rate_unit: str
    rules: tuple[Rule, ...]
    filler: tuple[str, ...]
    inventions: tuple[Invention, ...]
    notice_tool: str
    notices: tuple[str, ...]

    @property
    def chain(self) -> tuple[Entity, ...]:
        """The records from a case to its tariff, in the order they must be fetched."""
        return (self.case, self.item, self.place, self.tariff)
