"""What a target is made of: its pieces, how telling each is, and which earlier turns hold it.

In prose, ids, dates, codes and larger numbers are *hard*: they can only have come from somewhere.
Words are soft. In a call every argument is hard, and an argument made of words is one piece as a
whole, because `economy` is not in `basic_economy`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tokengeist.attribution.blend.accounts import Derivation
from tokengeist.attribution.blend.arithmetic import compare_results
from tokengeist.attribution.blend.book import Book, scarcity
from tokengeist.attribution.blend.cues import COMPUTATION, RULE
from tokengeist.attribution.blend.derivations import derive, is_passed_again
from tokengeist.attribution.blend.fields import Field
from tokengeist.attribution.blend.page import FieldView, Page
from tokengeist.attribution.blend.pieces import BASE_WEIGHT, Kind, Piece, name_keys, normal, stem
from tokengeist.attribution.blend.quantities import MONEY
from tokengeist.transcript import Role, Span, Target

LONG_ARGUMENT = 60
"""An argument longer than this is prose."""
NEAR_LINES = 3
NEAR_CHARACTERS = 300
SWITCH_VALUES = frozenset(("yes", "no", "true", "false", "none", "null"))
_LEAST_RARITY = 0.25
_LOOKED_UP_FOR_IT = 0.6
"""What speaks for a result since the user asked, where several hold what is said."""


@dataclass
class Item:
    """A piece of the target with everything that is known about where it comes from."""

    piece: Piece
    weight: float
    is_hard: bool
    argument: str
    """The name of the argument that it stands in; empty in prose."""
    holders: list[int]
    is_part: bool = False
    """It stands in an argument beside other things: in a command, a sum, a sentence."""
    first: int | None = None
    """The earliest holder that is not the assistant, else the earliest."""
    best: int | None = None
    """The holder where it stands among other things that are needed."""
    derivation: Derivation | None = None
    origin: int | None = None
    """For an argument: the turn that it was taken from."""
    is_implied: bool = False
    """The origin of another argument was looked up by it, so it is accounted for already."""
    decided: int | None = None
    """The assistant turn that picked it out of what its origin offered."""
    is_singled_out: bool = False
    is_named: bool = False
    """A user described the record that it stands in."""
    alternatives: int = 1
    """How many values of its kind its source offers."""

    @property
    def keys(self) -> tuple[str, ...]:
        return self.piece.keys

    @property
    def is_choice(self) -> bool:
        """The assistant chose it among alternatives that no user told apart."""
        many = self.alternatives >= 4 and not self.is_named
        return self.decided is not None and self.is_singled_out and many

    def derived_from(self, turn: int) -> bool:
        places = self.derivation.places if self.derivation else ()
        return any(place.turn == turn for place in places)


@dataclass
class Need:
    """A target, taken apart."""

    turn: int
    spans: tuple[Span, ...]
    text: str
    calls: tuple[Span, ...]
    """The calls that it touches."""
    items: list[Item] = field(default_factory=list)
    context: frozenset[str] = frozenset()
    """Keys of the lines around it, itself included."""
    tool_words: frozenset[str] = frozenset()
    is_prose: bool = True
    """Not a call's arguments, or an argument that is prose."""
    is_change: bool = False
    """Arguments of a call that may change something."""

    @cached_property
    def hard(self) -> list[Item]:
        return [item for item in self.items if item.is_hard]

    @cached_property
    def soft(self) -> list[Item]:
        return [item for item in self.items if not item.is_hard]

    @cached_property
    def weight(self) -> float:
        return sum(item.weight for item in self.items) or 1.0

    @cached_property
    def weights(self) -> dict[str, float]:
        """Key → weight, aliases included."""
        return {key: item.weight for item in self.items for key in item.keys}

    @cached_property
    def states_rule(self) -> bool:
        return RULE.search(self.text) is not None


def share(items: Sequence[Item], among: Sequence[Item]) -> float:
    """How much of the weight of `among` the items have."""
    total = sum(item.weight for item in among)
    return sum(item.weight for item in items) / total if total else 0.0


def take_apart(book: Book, target: Target) -> Need:
    """The need of a target, with holders and derivations but no origins yet."""
    page = book.pages[target.turn]
    calls = tuple(c.span for c in page.calls if any(c.span.overlaps(s) for s in target.spans))
    around = [_lines_around(page.text, span) for span in target.spans]
    need = Need(
        turn=target.turn,
        spans=target.spans,
        text=" ".join(span.of(page.text) for span in target.spans),
        calls=calls,
        context=frozenset(p.key for span in around for p in page.between(span.start, span.end)),
    )
    touched = [call for call in page.calls if call.span in calls]
    need.tool_words = frozenset(k for call in touched for k in name_keys(call.name))
    need.is_prose = not calls or page.is_thinking or _is_long_argument(page, target.spans)
    need.is_change = any(page.may_change(call) for call in touched)
    whole = _whole_values(book, need, page)
    need.items += _loose_pieces(book, need, page, whole)
    company = _Company(need)
    for item in need.items:
        _locate(book, need, item, company)
    return need


def _covers(spans: Sequence[Span], start: int, end: int) -> bool:
    return any(start < span.end and span.start < end for span in spans)


def _is_long_argument(page: Page, spans: Sequence[Span]) -> bool:
    return any(
        f.end - f.value_start > LONG_ARGUMENT
        and all(f.value_start <= span.start and span.end <= f.end for span in spans)
        for f in page.fields
    )


def _lines_around(text: str, span: Span) -> Span:
    """The lines of a span and a few before them."""
    start = span.start
    for _ in range(NEAR_LINES):
        start = text.rfind("\n", 0, max(0, start - 1))
        if start < 0 or span.start - start > NEAR_CHARACTERS:
            break
    end = text.find("\n", span.end)
    return Span(max(0, start), len(text) if end < 0 else end)


def _whole_values(book: Book, need: Need, page: Page) -> set[int]:
    """Add the arguments that are made of words; returns where arguments settled here start."""
    settled: set[int] = set()
    seen: set[tuple[str, str]] = set()
    for view in page.views:
        f = view.field
        if len(view.text) > LONG_ARGUMENT or not _covers(need.spans, f.value_start, f.end):
            continue
        value = normal(view.text)
        if not value:
            settled.add(f.start)
            continue
        if any(p.kind in (Kind.ID, Kind.NUMBER, Kind.DATE, Kind.TIME) for p in view.pieces):
            continue
        settled.add(f.start)
        if (value, f.key) in seen:
            continue
        seen.add((value, f.key))
        is_switch = value in SWITCH_VALUES
        holders = [
            earlier.index
            for earlier in book.pages[: need.turn]
            if _holds_value(earlier, view.text, value, view.names if is_switch else None)
        ]
        if all(book.pages[turn].role is Role.ASSISTANT for turn in holders):
            holders = sorted({*holders, *_word_by_word(book, need.turn, view)})
        rarity = scarcity(len(holders), need.turn) if holders else 1.0
        aliases = (*(p.key for p in view.pieces), *(sorted(view.names) if is_switch else ()))
        piece = Piece(Kind.VALUE, f"v:{value}", f.value_start, f.end, view.text, aliases)
        weight = BASE_WEIGHT[Kind.VALUE] * max(_LEAST_RARITY, rarity)
        need.items.append(Item(piece, weight, True, f.key, holders))
    return settled


def _word_by_word(book: Book, before: int, view: FieldView) -> Iterator[int]:
    """The turns of others in which a record or sentence holds every word of an argument."""
    wanted = {piece.key for piece in view.pieces}
    for page in book.pages[:before] if len(wanted) > 1 else ():
        if page.role not in (Role.USER, Role.TOOL) or not wanted <= page.keys:
            continue
        if any(wanted <= page.keys_between(*place) for place in page.passages):
            yield page.index


def _holds_value(page: Page, raw: str, value: str, switch: frozenset[str] | None) -> bool:
    """Whether a turn gives an argument its value; of a switch, whether it speaks of it."""
    if switch is not None:
        if page.role is Role.SYSTEM:
            return False
        if page.fields:
            return value in page.values and switch <= page.keys
        return bool(switch & page.keys)
    if raw.isupper() and len(raw) <= 4:  # a code: `LAS` is not in `Las Vegas`
        return re.search(rf"\b{re.escape(raw)}\b", page.text) is not None
    if page.fields and value in page.values:
        return True
    if page.fields and not page.sentences:
        return False
    return f" {value} " in page.plain


def _loose_pieces(book: Book, need: Need, page: Page, settled: set[int]) -> list[Item]:
    found: list[Item] = []
    seen: set[tuple[str, str]] = set()
    renewed = book.renewed(need.turn) if need.is_prose else ()
    for piece in page.pieces:
        if not _covers(need.spans, piece.start, piece.end):
            continue
        in_call = any(call.start <= piece.start < call.end for call in page.calls)
        argument = page.field_at(piece.start) if in_call else None
        if argument and argument.start in settled:
            continue
        name = argument.key if argument else ""
        if (piece.key, name) in seen:
            continue
        seen.add((piece.key, name))
        holders = [t for t in book.holders(piece, need.turn) if t not in renewed]
        if argument:
            holders = _with_the_rest(book, page, argument, holders)
        if in_call and piece.kind is Kind.ID:
            holders = sorted({*holders, *_spelt_apart(book, need.turn, piece)})
        if in_call and piece.number is not None and not piece.unit:
            holders = _of_its_unit(book, piece, name, holders)
        rarity = book.rarity(piece.key, need.turn) if holders else 1.0
        weight = _base_weight(piece) * max(_LEAST_RARITY, rarity)
        beside = page.between(argument.value_start, argument.end) if argument else []
        hard = _is_hard(piece, in_call=in_call, argument=argument)
        words = sum(p.kind in (Kind.WORD, Kind.NAME) for p in beside)
        if is_small(piece) and words:
            hard = False  # a literal of a command, the number of a floor
        if piece.kind in (Kind.WORD, Kind.NAME) and words >= _A_QUERY:
            hard = False
        found.append(Item(piece, weight, hard, name, holders, len(beside) > 1))
    return found


def _with_the_rest(book: Book, page: Page, argument: Field, holders: list[int]) -> list[int]:
    """The turns of others that hold the whole of an argument; all of them if there is none."""
    value = normal(page.text[argument.value_start : argument.end])
    inside = page.between(argument.value_start, argument.end)
    if len(inside) < 2 or len(value) > LONG_ARGUMENT:
        return holders
    whole = [t for t in holders if f" {value} " in book.pages[t].plain]
    told = any(book.pages[turn].role in (Role.USER, Role.TOOL) for turn in whole)
    return whole if told else holders


def is_small(piece: Piece) -> bool:
    """A bare figure of one digit, which may stand anywhere."""
    return piece.number is not None and piece.number < 10 and not piece.unit


_LEAST_SPELT = 6
_ADDRESS = re.compile(r"\S+@\S+")
"""Who gives an address has not given the number or name that is a part of it."""
_A_QUERY = 3
"""An argument of so many words beside figures was put together by the assistant."""


def _spelt_apart(book: Book, before: int, piece: Piece) -> list[int]:
    """The users who gave a number in groups before anybody wrote it as one: `CF 7719 0043`."""
    value = normal(piece.text).replace(" ", "")
    if len(value) < _LEAST_SPELT:
        return []
    until = min([before, *book.holders(piece, before)])
    users = (book.pages[turn] for turn in book.roles(Role.USER, until))
    holding = (page for page in users if value in page.plain.replace(" ", ""))
    said = ((page.index, normal(_ADDRESS.sub(" ", page.text))) for page in holding)
    return [turn for turn, words in said if value in words.replace(" ", "")]


def _of_its_unit(book: Book, piece: Piece, argument: str, holders: list[int]) -> list[int]:
    """The turns with a number in a unit that the argument names, else in none.

    `60 cm` is no charge, and `three hours` says more of `hours` than a bare 3 does.

    All of them if there is no such turn.
    """
    names = name_keys(argument)
    found = {t: {p.unit for p in book.pages[t].occurrences(piece.keys)} for t in holders}
    named = [t for t in holders if any(f"w:{stem(unit)}" in names for unit in found[t])]
    return named or [t for t in holders if found[t] & {"", MONEY}] or holders


def _base_weight(piece: Piece) -> float:
    small = piece.number is not None and piece.number < 100 and piece.number.is_integer()
    return 1.0 if small else BASE_WEIGHT[piece.kind]


def _is_hard(piece: Piece, *, in_call: bool, argument: Field | None) -> bool:
    if piece.kind in (Kind.ID, Kind.DATE, Kind.TIME, Kind.CODE):
        return True
    if piece.number is not None and (
        in_call or piece.number >= 10 or not piece.number.is_integer()
    ):
        return True
    is_long = argument is not None and argument.end - argument.value_start > LONG_ARGUMENT
    return in_call and not is_long


def _locate(book: Book, need: Need, item: Item, company: _Company) -> None:
    """Find where an item stands best, or how it follows from others."""
    piece = item.piece
    if piece.number is not None and not need.calls and COMPUTATION.search(need.text):
        item.derivation = compare_results(book, need.turn, piece.number)
        if item.derivation:
            item.holders = []
            return
    if not item.holders:
        item.derivation = derive(book, need.turn, piece, item.argument)
        return
    if item.argument and is_passed_again(book, piece, item.holders):
        derivation = derive(book, item.holders[0], piece, item.argument)
        if derivation and not derivation.is_guess:
            item.derivation, item.holders = derivation, []
            return
    told = [t for t in item.holders if book.pages[t].role is not Role.ASSISTANT]
    item.first = (told or item.holders)[0]
    best = -math.inf
    asked = max(book.roles(Role.USER, need.turn), default=-1)
    for rank, turn in enumerate(item.holders):
        role = book.pages[turn].role
        score = company.of(item, book.pages[turn]) - 0.02 * rank
        score += 1.0 * (role is not Role.ASSISTANT) + 0.15 * (turn == item.first)
        if need.is_prose and role is Role.TOOL and turn > asked:
            score += _LOOKED_UP_FOR_IT
        score -= 0.5 * (role is Role.SYSTEM and item.is_hard)
        if score > best:
            best, item.best = score, turn


class _Company:
    """What else of a need stands around its items."""

    def __init__(self, need: Need) -> None:
        self.weights = {item.piece.key: item.weight for item in need.items}
        self.total = sum(self.weights.values())
        self.around = need.context - self.weights.keys()

    def of(self, item: Item, page: Page) -> float:
        """How much of that an item has on a page, at the best of its places."""
        others = self.total - item.weight
        names = name_keys(item.argument)
        best = -1.0
        for found in page.occurrences(item.keys, item.piece.unit)[:12]:
            keys = page.keys_between(*page.home(found.start))
            score = 0.0
            if others > 0:
                shared = [w for k, w in self.weights.items() if k in keys and k != item.piece.key]
                score += sum(shared) / others
            if self.around:
                score += 0.5 * len(self.around & keys) / len(self.around)
            held = page.field_at(found.start)
            if held and names:
                theirs = name_keys(held.key)
                score += 0.5 * len(names & theirs) / len(names | theirs) if theirs else 0.0
            elif names:
                score += 0.25 * len(names & keys) / len(names)
            best = max(best, score)
        return best
