"""The fields of a tool's JSON that a target rests on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tokengeist.attribution.blend.book import Book, Freshness
from tokengeist.attribution.blend.fields import Field, Record
from tokengeist.attribution.blend.need import Item, Need
from tokengeist.attribution.blend.page import FieldView, Page
from tokengeist.attribution.blend.pieces import BASE_WEIGHT, Kind, name_keys, normal
from tokengeist.attribution.blend.quantities import compatible
from tokengeist.transcript import Span

ONE_STRETCH = 400
"""Fields closer than this are quoted as one stretch, as people do."""
_SMALL_RECORD = 330
_SHORT_ROW = 100
_NEWS = 0.7
"""How much it counts for a field of a change's result that it is new."""
_LIST = re.compile(r'"[^"]*"\s*:\s*\[[^\[\]{}]*\]')
_EMPTY_VALUES = frozenset(("yes", "no", "true", "false", "none", "null", "0", "[]", "{}", ""))


def join(spans: Iterable[Span], gap: int) -> tuple[Span, ...]:
    """The spans in order, those at most `gap` characters apart made one."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start - joined[-1].end <= gap:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def field_evidence(book: Book, need: Need, page: Page) -> tuple[Span, ...]:
    """The fields that hold the needed values, else the one that says most of what is needed."""
    return _FieldChooser(book, need, page).spans() if page.views else (_head(page),)


def _head(page: Page) -> Span:
    return Span(0, min(len(page.text.rstrip()), 120))


class _FieldChooser:
    def __init__(self, book: Book, need: Need, page: Page) -> None:
        self.book = book
        self.need = need
        self.page = page
        self.echo = book.argument_keys(page.index)
        self.is_change = book.freshness[page.index] is Freshness.OF_A_CHANGE
        self.scored = [(view, self._score(view)) for view in page.views]
        self.record_scores: dict[int, float] = defaultdict(float)
        for view, score in self.scored:
            self.record_scores[view.field.record] += min(3.0, score)

    def spans(self) -> tuple[Span, ...]:
        chosen: list[FieldView] = []
        spans: list[Span] = []
        for item in self._values():
            view = self._best_field(item)
            if view:
                chosen.append(view)
            else:
                spans += self._named_record(item)
        starts = {
            place.start
            for item in self.need.items
            for place in (item.derivation.places if item.derivation else ())
            if place.turn == self.page.index
        }
        chosen += [v for v in self.page.views if any(p.start in starts for p in v.pieces)]
        if not chosen and not spans:
            chosen = self._telling_fields()
        spans += [self._quoted(view, chosen) for view in chosen]
        spans += [self._quoted(other) for view in chosen for other in self._beside(view)]
        return join(spans, ONE_STRETCH)

    def _values(self) -> list[Item]:
        """The hard items to find here: of a call, those that came from here."""
        held = [item for item in self.need.hard if self.page.index in item.holders]
        if not self.need.is_prose:
            return [item for item in held if item.origin == self.page.index] or held
        return [item for item in held if item.piece.key not in self.echo]

    def _score(self, view: FieldView) -> float:
        """How much of the need a field's name and value speak of."""
        if self._only_echoes(view):
            return 0.0
        weights, context = self.need.weights, self.need.context
        score = 0.0
        if view.names:
            named = len(view.names & weights.keys()) / len(view.names)
            nearby = len(view.names & context) / len(view.names)
            score += named**2 + 0.3 * nearby**2
        for piece in view.pieces:
            if piece.key in weights and (not self.need.is_prose or piece.key not in self.echo):
                score += weights[piece.key]
            elif piece.key in context and piece.key not in self.echo:
                score += 0.2 * BASE_WEIGHT[piece.kind]
        return score

    def _only_echoes(self, view: FieldView) -> bool:
        """Whether a field says of a statement's subject only what it was looked up by.

        What a change was to bring about is news in its result; the id of what was changed is not.
        """
        if not self.need.is_prose or not view.pieces:
            return False
        echoed = all(piece.key in self.echo for piece in view.pieces)
        return echoed and not (self.is_change and any(p.kind is not Kind.ID for p in view.pieces))

    def _best_field(self, item: Item) -> FieldView | None:
        """Where an item stands best: in the record with most of the need, under a fitting name."""
        keys, names = set(item.keys), name_keys(item.argument)
        wanted = self.need.weights.keys() | self.need.context
        best: tuple[float, FieldView | None] = (float("-inf"), None)
        for view in self.page.views:
            hits = [
                p
                for p in view.pieces
                if not keys.isdisjoint(p.found_by) and compatible(p.unit, item.piece.unit)
            ]
            if item.piece.kind is Kind.VALUE:
                if normal(view.text) != item.piece.key[2:]:
                    continue
            elif not hits:
                continue
            score = self.record_scores[view.field.record]
            score += 0.6 * len(names & view.names) + 0.3 * len(view.names & wanted)
            score += 0.4 * any(piece.start <= view.field.value_start + 1 for piece in hits)
            if score > best[0] + 1e-9:
                best = (score, view)
        return best[1]

    def _named_record(self, item: Item) -> list[Span]:
        """A value that is the name of a record: the name and the first telling field."""
        wanted = self.need.weights.keys() | self.need.context
        for piece in self.page.occurrences(item.keys, item.piece.unit):
            record = next((r for r in self.page.records if 0 <= r.start - piece.end <= 4), None)
            if record is None:
                continue
            inside = [v for v in self.page.views if record.start <= v.field.start < record.end]
            telling = [v for v in inside if any(p.key in wanted for p in v.pieces)]
            end = max((v.field.end for v in telling + inside[:1]), default=record.end)
            return [Span(max(0, piece.start - 1), end)]
        return []

    def _telling_fields(self) -> list[FieldView]:
        """The field that says most, with up to two of its record that say almost as much."""
        ranked = []
        for view, own in self.scored:
            empty = view.text.lower() in _EMPTY_VALUES and view.names & self.need.weights.keys()
            around = min(3.0, self.record_scores[view.field.record])
            score = own + 0.15 * around + 0.3 * bool(empty)
            ranked.append((score + _NEWS * self._is_news(view), view))
        ranked.sort(key=lambda entry: (-entry[0], entry[1].field.value_start))
        most, best = ranked[0]
        if most <= 0.3:
            status = [view for view in self.page.views if "w:statu" in view.names]
            return status[:1] or [best]
        close = [view for score, view in ranked[1:3] if score > 0.75 * most]
        return [best, *(v for v in close if v.field.record == best.field.record)]

    def _is_news(self, view: FieldView) -> bool:
        """Whether the result of a change reports something that no turn held before.

        That is what the change did: a new status, the amount that was paid back.
        """
        return self.is_change and any(
            self.book.first_holder(piece.key) == self.page.index for piece in view.pieces
        )

    def _beside(self, view: FieldView) -> list[FieldView]:
        """Fields of the same small record that the target names too.

        What tells a record among several apart may also stand around the target; what one of
        several begins with, its id or its name, says whose value it is.
        """
        if view.field.record < 0:
            return []
        record, around = self.page.records[view.field.record], self._around(view)
        if record.end - record.start > _SMALL_RECORD:
            return []
        kinds = (Kind.NAME, Kind.ID, Kind.CODE, Kind.DATE)
        wanted = self.need.context if record.is_nested else self.need.weights.keys()
        named = [
            other
            for other in self.page.views
            if other.field.record == view.field.record
            and any(p.key in wanted and p.kind in kinds for p in other.pieces)
        ]
        if not self.need.is_prose:
            return named + self._called(view)
        inside = [v for v in self.page.views if around.start <= v.field.start < around.end]
        told = [other for other in inside if self._is_told(other)]
        head = self._row(view)[:1] if record.is_nested and self._is_one_of_several(view) else []
        return named + told + head

    def _row(self, view: FieldView) -> list[FieldView]:
        """The fields of its record."""
        return [v for v in self.page.views if v.field.record == view.field.record]

    def _is_one_of_several(self, view: FieldView) -> bool:
        return sum(held.key == view.field.key for held in self.page.fields) > 1

    def _around(self, view: FieldView) -> Record:
        """The record of a field, or the largest around it that is still small."""
        held = view.field
        around = [r for r in self.page.records if r.start <= held.start < r.end and r.is_nested]
        small = [r for r in around if r.end - r.start <= _SMALL_RECORD]
        return small[0] if small else self.page.records[held.record]

    def _is_told(self, view: FieldView) -> bool:
        """Whether a statement repeats the words of a field: `visa` beside the last digits."""
        told = self.need.weights.keys()
        return bool(view.pieces) and all(p.key in told for p in view.pieces)

    def _called(self, view: FieldView) -> list[FieldView]:
        """The field right after one of several ids that says what the thing is called."""
        is_id = any(piece.kind is Kind.ID for piece in view.pieces)
        if not is_id or not self._is_one_of_several(view):
            return []
        row = self._row(view)
        after = row.index(view) + 1
        kinds = (Kind.WORD, Kind.NAME)
        return [v for v in row[after : after + 1] if any(p.kind in kinds for p in v.pieces)]

    def _quoted(self, view: FieldView, chosen: Sequence[FieldView] = ()) -> Span:
        """A field as one would quote it, where others are chosen, too.

        What a statement says of a cell of a table rests on its row.
        """
        held = view.field
        row = [v.field for v in self._row(view)] if held.record >= 0 else []
        is_table = len({f.key for f in row}) == len(row) > 1 and all(f.is_element for f in row)
        if is_table and self.need.is_prose:
            record = self.page.records[held.record]
            if record.end - record.start <= _SHORT_ROW:
                return Span(record.start, record.end)
        whole = self._whole_list(held, chosen) if held.is_element and held.key else None
        if whole:
            return whole
        closing = f"</{held.key}>"
        if self.page.text.startswith(closing, held.end):
            return Span(held.start, held.end + len(closing))
        return Span(held.start, held.end)

    def _whole_list(self, held: Field, chosen: Sequence[FieldView]) -> Span | None:
        """The list of an element with its key: of one element, or a statement rests on several."""
        listed = [
            f
            for f in self.page.fields
            if f.is_element and f.key == held.key and f.record == held.record
        ]
        used = sum(view.field in listed for view in chosen)
        if len(listed) > 1 and (used < 2 or not self.need.is_prose):
            return None
        start = self.page.text.rfind(f'"{held.key}"', 0, listed[0].start)
        match = _LIST.match(self.page.text, start) if start >= 0 else None
        return Span(*match.span()) if match and match.end() > listed[-1].end else None
