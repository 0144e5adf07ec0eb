"""How an agent gets a value wrong although it read the right record."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tokengeist.bench.synth.document import Document
from tokengeist.bench.synth.play import Play
from tokengeist.bench.synth.spec import Entity, Field, Kind
from tokengeist.bench.synth.surface import Money
from tokengeist.bench.synth.value import FlawKind, Value, derive


def distort(play: Play, what: Field, value: Value[Any]) -> Value[Any]:
    """The datum of a field, garbled; it still rests on the field it was garbled from."""
    rng = play.rng
    if what.kind is Kind.DATE:
        wrong: Any = value.data + timedelta(days=rng.choice((-7, -2, -1, 1, 3, 10, 30)))
        note = "the date in the record was shifted"
    elif what.kind is Kind.MONEY:
        wrong, note = garble_money(play, value.data), "the amount in the record was garbled"
    elif what.kind is Kind.COUNT:
        wrong, note = (
            value.data + rng.choice((-1, 1, 2, 10)),
            "the number in the record was altered",
        )
    else:
        wrong = rng.choice([c.code for c in what.choices if c.code != value.data])
        note = "the record says the opposite or something else"
    return derive(wrong, value).flawed(FlawKind.WRONG_VALUE, note)


def garble_money(play: Play, amount: Money) -> Money:
    """Another amount: digits swapped, the point moved, or off by a little."""
    digits = list(str(amount))
    place = play.rng.randrange(len(digits) - 1)
    digits[place], digits[place + 1] = digits[place + 1], digits[place]
    swapped = int("".join(digits))
    options = [amount * 10, amount + 100, amount + 1000]
    if swapped not in (0, amount):
        options += [swapped, swapped]
    return Money(play.rng.choice(options))


def neighbour(
    play: Play, entity: Entity, document: Document, what: Field, right: Value[Any]
) -> Value[Any] | None:
    """The datum of another field of the same kind, mistaken for the one asked for."""
    others = [f for f in entity.fields if f.kind is what.kind and f is not what]
    if not others or what.kind is Kind.CHOICE:
        return None
    other = play.rng.choice(others)
    value = play.read(document, other)
    if value.data == right.data:
        return None
    return value.flawed(FlawKind.WRONG_VALUE, f"it is the {other.noun}, a neighbouring field")
