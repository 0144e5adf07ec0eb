"""One turn, indexed: its pieces, fields, records and sentences."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple

from tokengeist.attribution.blend.cues import is_reading, is_thinking
from tokengeist.attribution.blend.fields import QUOTES, Field, Record, scan
from tokengeist.attribution.blend.figures import COUNTS_TOPICS, Number
from tokengeist.attribution.blend.layouts import lay_out
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, normal, pieces
from tokengeist.attribution.blend.quantities import compatible
from tokengeist.transcript import Role, Span, Turn


@dataclass(frozen=True, slots=True)
class Call:
    """A call's place in its turn's text."""

    name: str
    start: int
    arguments: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class FieldView(NamedTuple):
    """A field with the keys of its name and the pieces of its value."""

    field: Field
    names: frozenset[str]
    pieces: tuple[Piece, ...]
    text: str
    """The value without its quotes."""


@dataclass
class Page:
    """One turn."""

    turn: Turn
    calls: tuple[Call, ...]
    pieces: list[Piece]
    fields: list[Field]
    records: list[Record]
    sentences: list[tuple[int, int]]
    """Of its prose: without a tool's fields and without calls."""
    positions: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Key → which pieces have it."""

    def __post_init__(self) -> None:
        for number, piece in enumerate(self.pieces):
            for key in piece.found_by:
                self.positions[key].append(number)
        self._ordered = sorted(self.pieces, key=attrgetter("start"))
        self._starts = [piece.start for piece in self._ordered]
        self._fields = sorted(self.fields, key=attrgetter("start"))  # they do not overlap
        self._found_by = [piece.found_by for piece in self._ordered]
        self._keys_between: dict[tuple[int, int], frozenset[str]] = {}
        self._beside: dict[Kind, dict[str, set[str]]] = {}

    @property
    def index(self) -> int:
        return self.turn.index

    @property
    def text(self) -> str:
        return self.turn.text

    @cached_property
    def role(self) -> Role:
        """Who wrote it: a summary is a model's work, whatever its role says."""
        return Role.ASSISTANT if self.turn.is_generated else self.turn.role

    @cached_property
    def is_structured(self) -> bool:
        """Whether it is a tool's answer that names its values."""
        return self.role is Role.TOOL and bool(self.fields)

    @cached_property
    def figure(self) -> Piece | None:
        """The one number that it consists of, as a calculator's answer does."""
        only = self.pieces[0] if len(self.pieces) == 1 else None
        return only if only and only.number is not None else None

    @cached_property
    def sentence_pairs(self) -> list[frozenset[tuple[str, str]]]:
        """The words of every sentence, two and two."""
        return [word_pairs(self.text[start:end]) for start, end in self.sentences]

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Its numbers, but for zero; what may be an id counts in a tool's fields."""
        found = []
        for piece in self.pieces:
            countable = piece.number and (piece.kind is Kind.NUMBER or self.is_structured)
            if not countable or COUNTS_TOPICS.match(self.text, piece.end):
                continue
            held = self.field_at(piece.start) if self.fields else None
            if held or piece.kind is Kind.NUMBER:
                found.append(
                    Number(self.index, piece.number or 0.0, held.key if held else "", piece)
                )
        return tuple(found)

    @cached_property
    def passages(self) -> list[tuple[int, int]]:
        """What it can be read by: sentences and a tool's records, else the whole."""
        records = self.records if self.role is Role.TOOL else ()
        places = self.sentences + [(r.start, r.end) for r in records]
        return sorted(places) or [(0, len(self.text))]

    @cached_property
    def keys(self) -> frozenset[str]:
        """Everything it holds."""
        return frozenset(self.positions)

    @cached_property
    def prose_keys(self) -> frozenset[str]:
        """What it holds outside calls."""
        end = self.prose_end
        return frozenset(p.key for p in self.pieces if p.start < end)

    @cached_property
    def prose_end(self) -> int:
        return self.calls[0].start if self.calls else len(self.text)

    @cached_property
    def plain(self) -> str:
        """Its words, between spaces, so that a phrase can be looked for."""
        return f" {normal(self.text)} "

    @cached_property
    def values(self) -> frozenset[str]:
        """The values of its fields, as plain words."""
        return frozenset(normal(self.text[f.value_start : f.end]) for f in self.fields)

    @cached_property
    def is_thinking(self) -> bool:
        return any(is_thinking(call.name) for call in self.calls)

    def may_change(self, call: Call) -> bool:
        """Whether a call of it may change something."""
        return not is_reading(call.name, self.text[call.arguments : call.end])

    @cached_property
    def views(self) -> list[FieldView]:
        """Its fields with their pieces."""
        found = []
        for f in self.fields:
            inside = tuple(self.between(f.value_start, f.end))
            text = self.text[f.value_start : f.end].strip(QUOTES)
            found.append(FieldView(f, name_keys(f.key), inside, text))
        return found

    def occurrences(self, keys: Iterable[str], unit: str = "") -> list[Piece]:
        """The pieces that have one of the keys and no other unit, in order."""
        numbers = {n for key in keys for n in self.positions.get(key, ())}
        found = (self.pieces[n] for n in sorted(numbers))
        return [piece for piece in found if compatible(piece.unit, unit)]

    def field_at(self, position: int) -> Field | None:
        """The field that a character belongs to."""
        before = bisect_right(self._fields, position, key=attrgetter("start"))
        last = self._fields[before - 1] if before else None
        return last if last and position < last.end else None

    def record_at(self, position: int) -> Record | None:
        """The innermost record around a character."""
        around = [r for r in self.records if r.start <= position < r.end]
        return max(around, key=lambda r: r.start, default=None)

    def home(self, position: int) -> tuple[int, int]:
        """What a piece stands in: a record, else a sentence, else the page."""
        record = self.record_at(position)
        if record:
            return record.start, record.end
        for start, end in self.sentences:
            if start <= position < end:
                return start, end
        return 0, len(self.text)

    def between(self, start: int, end: int) -> list[Piece]:
        """The pieces that begin in a stretch of it."""
        first = bisect_left(self._starts, start)
        return self._ordered[first : bisect_left(self._starts, end, lo=first)]

    def keys_between(self, start: int, end: int) -> frozenset[str]:
        """What a stretch of it holds. Records and sentences are asked for again and again."""
        known = self._keys_between.get((start, end))
        if known is None:
            first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
            known = frozenset(chain.from_iterable(self._found_by[first:last]))
            self._keys_between[start, end] = known
        return known

    def words_beside(self, kind: Kind) -> dict[str, set[str]]:
        """For every value of a kind in prose, the words of its sentence that are nearest to it."""
        known = self._beside.get(kind)
        if known is not None:
            return known
        said = self.between(0, self.prose_end)
        values = [piece for piece in said if piece.kind is kind]
        starts = [piece.start for piece in values]
        homes = {piece.start: self.home(piece.start) for piece in values}
        found: dict[str, set[str]] = {piece.key: set() for piece in values}
        for word in said:
            if word.kind not in (Kind.WORD, Kind.NAME, Kind.CODE):
                continue
            place = bisect_left(starts, word.start)
            around = [v for v in values[max(0, place - 1) : place + 2] if v is not word]
            nearest = min(around, key=lambda v: abs(v.start - word.start), default=None)
            if nearest and homes[nearest.start] == self.home(word.start):
                found[nearest.key].add(word.key)
        self._beside[kind] = found
        return found


_WORD = re.compile(r"\w+")


def word_pairs(text: str) -> frozenset[tuple[str, str]]:
    """Its words, two and two."""
    return frozenset(pairwise(_WORD.findall(text.lower())))


def open_page(turn: Turn) -> Page:
    """Index one turn."""
    calls = tuple(
        Call(call.name, span.start, span.start + len(call.name) + 1, span.end)
        for call, span in zip(turn.calls, turn.call_spans, strict=True)
    )
    text = turn.text
    if turn.role is Role.TOOL:
        layout = lay_out(text)
        told = [place for stretch in layout.prose for place in sentences(text, *stretch)]
        return Page(turn, calls, pieces(text), layout.fields, layout.records, told)
    prose_end = calls[0].start if calls else len(text)
    found = pieces(text, 0, prose_end)
    fields: list[Field] = []
    records: list[Record] = []
    for call in calls:
        more, inner = scan(text, call.arguments, call.end - 1, first_record=len(records))
        fields += more
        records += inner
        for f in more:
            found += pieces(text, f.value_start, f.end)
    return Page(turn, calls, found, fields, records, sentences(text, 0, prose_end))


_BULLET = re.compile(r"[\s\-*•#]*")
_LETTER = re.compile(r"\w")
_COUNT = re.compile(r"\d+\.")
_STOP = r"\.(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\b[DM]r\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bvs\.)"
"""A full stop that does not end an abbreviation."""
_BREAK = re.compile(rf"(?:[!?;]|{_STOP})[\"”)]*(?=\s|$)|\n+")


def sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Sentences and list items, without bullets; a number that counts an item belongs to it."""
    cuts = [start, *(m.end() for m in _BREAK.finditer(text, start, end)), end]
    found: list[tuple[int, int]] = []
    for first, last in pairwise(cuts):
        piece = text[first:last]
        left = first + len(_BULLET.match(piece)[0])  # type: ignore[index]
        right = last - (len(piece) - len(piece.rstrip()))
        if left >= right or not _LETTER.search(text, left, right):
            continue
        if found and _COUNT.fullmatch(text, *found[-1]):
            left = found.pop()[0]
        found.append((left, right))
    return found
