"""The databases and tools of one simulated office. The world knows no provenance, only facts.

Tools answer from the records alone and writes change them, so what the agent reads back after a
write is really what it wrote. That is what makes a stale value stale.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tokengeist.bench.synth import names
from tokengeist.bench.synth.spec import Domain, Entity, Field, Kind
from tokengeist.bench.synth.surface import Money, money_json

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who talks to the agent, and what they know: themselves and their cases."""

    id: str
    name: str
    email: str
    cases: tuple[tuple[str, str], ...]
    """Identifier and label of each case."""


class World:
    """Records by tool and identifier, and the tools that read and write them."""

    def __init__(self, rng: random.Random, domain: Domain, today: date) -> None:
        self.rng = rng
        self.domain = domain
        self.today = today
        self.records: dict[tuple[str, str], Json] = {}
        self._taken: set[str] = set()
        self._people: dict[str, Person] = {}
        self._wallets: dict[str, Json] = {}
        self._tools: dict[str, Callable[[Mapping[str, Any]], Json]] = {
            domain.find_tool: self._find,
            domain.settle.wallet_tool: self._wallet,
            domain.settle.tool: self._settle,
            domain.move.quote_tool: self._quote,
            domain.move.tool: self._move,
            domain.renewal.tool: self._renew,
            domain.notice_tool: self._notices,
            "calculate": self._calculate,
            "note": self._note,
        }
        for entity in (domain.person, *domain.chain):
            self._tools[entity.tool] = self._getter(entity)

    def run(self, tool: str, arguments: Mapping[str, Any]) -> Json:
        """What the tool answers."""
        return self._tools[tool](arguments)

    def new_person(self, cases: int) -> Person:
        """Register a person with some cases, and everything those point to."""
        domain, rng = self.domain, self.rng
        identity, name = self._fresh(domain.person.pattern), names.person_name(rng)
        entries = [(self._new_case(identity), label) for label in self._labels(cases)]
        person = Person(identity, name, names.email(rng, name), tuple(entries))
        listed = [{domain.case.key: case, domain.label_key: label} for case, label in entries]
        contact = {"email": person.email, "phone": names.from_pattern(rng, "0###-######")}
        self._store(domain.person, identity, {"name": name, "contact": contact}, listed)
        self._people[identity] = person
        return person

    def _labels(self, count: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < count:
            found[names.from_pattern(self.rng, self.domain.label)] = None
        return list(found)

    def _new_case(self, holder: str) -> str:
        """Create a case and the chain of records behind it, tariff first."""
        domain = self.domain
        following = ""
        for entity in reversed(domain.chain):
            identity = self._fresh(entity.pattern)
            extra: Json = {}
            if entity is domain.case:
                extra = {domain.person.key: holder, domain.settle.list_key: self._charges()}
            self._store(entity, identity, extra, following)
            following = identity
        return following

    def _charges(self) -> list[Json]:
        settle = self.domain.settle
        kinds = self.rng.sample(settle.charges, self.rng.randint(2, 4))
        scale = self.rng.choice((1, 2, 5))
        return [
            {settle.name_key: kind, "amount": money_json(Money(self.rng.randint(20, 900) * scale))}
            for kind in kinds
        ]

    def _store(self, entity: Entity, identity: str, extra: Json, following: object) -> None:
        """Lay out a record: fields shuffled with clutter, nested by their dotted paths."""
        record: Json = {entity.key: identity}
        fields = [*entity.fields, *entity.clutter]
        self.rng.shuffle(fields)
        record.update(extra)
        for field in fields:
            _put(record, field.steps, self.draw(field))
        if entity.link:
            _put(record, tuple(entity.link.split(".")), following)
        elif entity is self.domain.person:
            record[self.domain.list_key] = following
        self.records[entity.tool, identity] = record

    def draw(self, field: Field) -> Any:
        """A datum for a field, as a record stores it."""
        rng = self.rng
        if field.kind is Kind.DATE:
            return (self.today + timedelta(days=rng.randint(field.low, field.high))).isoformat()
        if field.kind is Kind.MONEY:
            step = 5 if field.high < 1000 else 50
            return money_json(Money(rng.randint(field.low // step, field.high // step) * step))
        if field.kind is Kind.COUNT:
            return rng.randint(field.low, field.high)
        if field.kind is Kind.CHOICE:
            return rng.choice(field.choices).code
        return names.from_pattern(rng, field.pattern)

    def _fresh(self, pattern: str) -> str:
        while (identity := names.from_pattern(self.rng, pattern)) in self._taken:
            pass
        self._taken.add(identity)
        return identity

    def _getter(self, entity: Entity) -> Callable[[Mapping[str, Any]], Json]:
        def fetch(arguments: Mapping[str, Any]) -> Json:
            identity = arguments[entity.key]
            missing: Json = {"error": "not_found", entity.key: identity}
            return self.records.get((entity.tool, identity), missing)

        return fetch

    def _find(self, arguments: Mapping[str, Any]) -> Json:
        """The person with this address among others of a similar name."""
        person = next(p for p in self._people.values() if p.email == arguments["email"])
        key, rng = self.domain.person.key, self.rng
        matches = [{key: person.id, "name": person.name, "email": person.email, "score": 1.0}]
        for _ in range(rng.randint(0, 2)):
            name = f"{names.person_name(rng).split()[0]} {person.name.split()[1]}"
            score = round(rng.uniform(0.4, 0.8), 2)
            other = {key: self._fresh(self.domain.person.pattern), "name": name}
            matches.append({**other, "email": names.email(rng, name), "score": score})
        rng.shuffle(matches)
        return {"matches": matches, "total": len(matches)}

    def _wallet(self, arguments: Mapping[str, Any]) -> Json:
        holder = arguments[self.domain.person.key]
        if holder not in self._wallets:
            rng = self.rng
            methods = [
                {
                    "method_id": self._fresh("PM-#####"),
                    "kind": kind,
                    "ending": names.from_pattern(rng, "####"),
                    "expires": names.from_pattern(rng, "[03|07|11]/3#"),
                }
                for kind in rng.sample(("card", "bank debit", "gift balance"), 2)
            ]
            self._wallets[holder] = {"holder": holder, "methods": methods, "default": None}
        return self._wallets[holder]

    def _settle(self, arguments: Mapping[str, Any]) -> Json:
        return {
            "status": "paid",
            "receipt_no": self._fresh("RC######"),
            self.domain.case.key: arguments[self.domain.case.key],
            "amount": arguments["amount"],
            "posted_on": self.today.isoformat(),
        }

    def _quote(self, arguments: Mapping[str, Any]) -> Json:
        return {
            "quote_id": self._fresh("Q-@####"),
            "date": arguments["date"],
            "available": True,
            "fee": money_json(Money(self.rng.randint(4, 60) * 50)),
            "crew": self.rng.randint(1, 9),
            "valid_minutes": self.rng.choice((15, 20, 30, 45)),
        }

    def _move(self, arguments: Mapping[str, Any]) -> Json:
        return self._change(arguments, self.domain.move.field, arguments["date"], "MV-####@")

    def _renew(self, arguments: Mapping[str, Any]) -> Json:
        return self._change(arguments, self.domain.renewal.field, arguments["until"], "RX####@")

    def _change(self, arguments: Mapping[str, Any], field: Field, new: str, pattern: str) -> Json:
        case = self.domain.case
        record = self.records[case.tool, arguments[case.key]]
        self.records[case.tool, arguments[case.key]] = changed = _copy(record)
        _put(changed, field.steps, new)
        result: Json = {"status": "done", case.key: arguments[case.key]}
        _put(result, field.steps, new)
        result["confirmation"] = self._fresh(pattern)
        result["handled_by"] = names.from_pattern(self.rng, "desk-##")
        return result

    def _notices(self, arguments: Mapping[str, Any]) -> Json:
        """Announcements: dates, amounts and names that have nothing to do with anything."""
        rng = self.rng
        listed = [
            {
                "title": title,
                "on": (self.today + timedelta(days=rng.randint(1, 40))).isoformat(),
                "contact": names.person_name(rng),
                "fee": money_json(Money(rng.randint(0, 40) * 50)),
            }
            for title in rng.sample(self.domain.notices, rng.randint(2, 4))
        ]
        key = self.domain.place.key
        return {key: arguments[key], "notices": listed}

    def _note(self, arguments: Mapping[str, Any]) -> Json:
        """The agent's scratch pad: it repeats what was read and adds nothing."""
        return {"saved": True}

    def _calculate(self, arguments: Mapping[str, Any]) -> Json:
        """Left to right; the agent never mixes operators in one expression."""
        first, *rest = str(arguments["expression"]).split()
        result = Decimal(first)
        for sign, number in zip(rest[::2], rest[1::2], strict=True):
            right = Decimal(number)
            result = result * right if sign == "*" else result + right * (1 if sign == "+" else -1)
        return {"result": float(round(result, 2))}


def _put(record: Json, steps: tuple[str, ...], datum: object) -> None:
    for step in steps[:-1]:
        record = record.setdefault(step, {})
    record[steps[-1]] = datum


def _copy(record: Json) -> Json:
    """A copy that leaves earlier readings of the record as they were."""
    return {k: _copy(v) if isinstance(v, dict) else v for k, v in record.items()}
