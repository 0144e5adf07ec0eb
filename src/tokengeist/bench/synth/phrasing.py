"""A grammar for utterances, so that no two conversations share their wording.

A template is text in which `[a|b|c]` is a choice (nestable, an empty branch is allowed),
`{slot}` is a value, `<label:...>` is a phrase (the stretch that an annotator would quote for what
it says) and `^` makes the next letter a capital. Rendering keeps the offsets of slots and
phrases, and each phrase collects the origins of the slots inside it. JSON is not written this
way: see `document`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tokengeist.bench.synth.value import Flaw, Value, merge


@dataclass(frozen=True, slots=True)
class Shown:
    """A value and the words that it takes in one utterance."""

    text: str
    value: Value[Any]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A slot or a phrase of a rendered template, at its offsets, with what it says."""

    label: str
    start: int
    end: int
    content: Value[Any]
    is_phrase: bool


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of an utterance and the stretches of it that carry content."""

    text: str
    stretches: tuple[Stretch, ...]


class _Renderer:
    def __init__(self, rng: random.Random, template: str, slots: Mapping[str, Shown]) -> None:
        self.rng = rng
        self.template = template
        self.slots = slots
        self.at = 0
        self.out: list[str] = []
        self.length = 0
        self.stretches: list[Stretch] = []
        self.capital = False

    def emit(self, text: str) -> None:
        if self.capital and text:
            text = text[0].upper() + text[1:]
            self.capital = False
        self.out.append(text)
        self.length += len(text)

    def sequence(self, stops: str) -> None:
        """Render up to one of the characters `stops`, which is left for the caller."""
        while self.at < len(self.template) and self.template[self.at] not in stops:
            mark = self.template[self.at]
            self.at += 1
            if mark == "[":
                self.choice()
            elif mark == "{":
                self.slot()
            elif mark == "<":
                self.phrase()
            elif mark == "^":
                self.capital = True
            else:
                self.emit(mark)

    def choice(self) -> None:
        branches = [self.at]
        depth = 0
        at = self.at
        while depth or self.template[at] != "]":
            character = self.template[at]
            depth += (character in "[") - (character in "]")
            if character == "|" and not depth:
                branches.append(at + 1)
            at += 1
        self.at = self.rng.choice(branches)
        self.sequence("|]")
        self.at = at + 1

    def slot(self) -> None:
        name = self.until("}")
        shown = self.slots[name]
        start = self.length
        self.emit(shown.text)
        self.stretches.append(Stretch(name, start, self.length, shown.value, False))

    def phrase(self) -> None:
        label = self.until(":")
        start = self.length
        first = len(self.stretches)
        self.sequence(">")
        self.at += 1
        inner = [stretch.content for stretch in self.stretches[first:]]
        flaw: Flaw | None = next((value.flaw for value in inner if value.flaw), None)
        own = self.slots.get(label)
        content = Value(
            own.value.data if own else "".join(self.out)[start : self.length],
            merge((own.value.origins if own else (), *(value.origins for value in inner))),
            (own.value.flaw if own else None) or flaw,
        )
        self.stretches.append(Stretch(label, start, self.length, content, True))

    def until(self, stop: str) -> str:
        end = self.template.index(stop, self.at)
        name = self.template[self.at : end]
        self.at = end + 1
        return name


def wording(rng: random.Random, template: str) -> str:
    """One wording of a template that has no slots."""
    return render(rng, template, {}).text


def render(rng: random.Random, template: str, slots: Mapping[str, Shown]) -> Rendered:
    """Choose one wording of `template`.

    A phrase whose label is also a slot's takes that slot's datum, origins and flaw, whether or
    not the slot is written inside it: so a paraphrase can rest on a value it never spells out.

    >>> said = render(random.Random(1), "So <id:card {id}> it is.", {"id": Shown("7", Value(7))})
    >>> said.text, [(s.label, s.start, s.end) for s in said.stretches]
    ('So card 7 it is.', [('id', 8, 9), ('id', 3, 9)])
    """
    renderer = _Renderer(rng, template, slots)
    renderer.sequence("")
    return Rendered("".join(renderer.out), tuple(renderer.stretches))
