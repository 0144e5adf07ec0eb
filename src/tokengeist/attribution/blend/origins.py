"""Which turn each argument of a call was taken from, and who chose it.

A user who states a value is its source, even if a tool listed it before: stating it was the choice.
Otherwise it is the tool result that brought the value in, or the system turn that gave it. A result
whose call was made with the value only echoes it, and the result of a change or of a repeated look-
up repeats what was known. Among several results the one that explains most of the call wins. A
value that the assistant picked out of many for the user to agree to comes from where it did so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tokengeist.attribution.blend.book import Book, Freshness
from tokengeist.attribution.blend.cues import KEEPING
from tokengeist.attribution.blend.dates import day_of, spoken
from tokengeist.attribution.blend.fields import Record
from tokengeist.attribution.blend.need import Item, Need, is_small, take_apart
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import STOP_WORDS, Kind, Piece, name_keys, stem
from tokengeist.attribution.blend.selection import is_identified, row_at, shape
from tokengeist.transcript import Role, Target

_LARGEST_RECORD = 700
_TO_RECORD = 4
"""So many characters lie between a name and the record of that name at most."""
_STOP_KEYS = frozenset(f"w:{stem(word)}" for word in STOP_WORDS)


def understand(book: Book, target: Target) -> Need:
    """A target taken apart, its arguments with their origins."""
    need = take_apart(book, _with_arguments(book, target))
    if not need.calls:
        return need
    if set(need.calls) == set(need.spans) or book.pages[need.turn].is_thinking:
        settle(book, need)
        return need
    # A part of a call comes from where it comes from when the whole call is considered.
    whole = take_apart(book, Target(need.turn, need.calls))
    settle(book, whole)
    known = {(item.piece.key, item.argument): item for item in whole.items}
    for item in need.items:
        same = known.get((item.piece.key, item.argument))
        if same:
            item.origin, item.decided = same.origin, same.decided
            item.derivation = same.derivation
            item.alternatives = same.alternatives
            item.is_named, item.is_singled_out = same.is_named, same.is_singled_out
    return need


def _with_arguments(book: Book, target: Target) -> Target:
    """The whole call where only its name was asked about: what it was for is in its arguments."""
    calls = book.pages[target.turn].calls
    spans = tuple(
        next((c.span for c in calls if c.start <= s.start and s.end <= c.arguments), s)
        for s in target.spans
    )
    return target if spans == target.spans else Target(target.turn, spans)


def settle(book: Book, need: Need) -> None:
    """Give every item of a call its origin."""
    support = {
        turn: sum(1 for item in need.hard if turn in item.holders)
        for item in need.items
        for turn in item.holders
    }
    users = book.roles(Role.USER, need.turn)
    described = _describing(book, need)
    for item in need.items:
        item.origin = _origin(book, item, support, users, described)
    for item in need.items:
        _hear(book, need, item)
    for item in need.items:
        if item.origin is not None and book.pages[item.origin].role is Role.TOOL:
            _find_decision(book, need, item, item.origin, users)
    origins = {item.origin for item in need.items if item.origin is not None}
    for item in need.items:
        if item.origin is not None and item.piece.kind is Kind.ID:
            found = [book.pages[other] for other in origins - {item.origin}]
            item.is_implied = not _is_only_one(book, item, item.origin) and any(
                _gives_back(book, page, item.piece.key) for page in found
            )


def _is_only_one(book: Book, item: Item, origin: int) -> bool:
    """Whether a result brought an id in and no other to choose from: whom all this is about.

    What was opened from a list accounts for its own id instead.
    """
    return book.pages[origin].role is Role.TOOL and item.alternatives == 1


def _hear(book: Book, need: Need, item: Item) -> None:
    """Take a date from the user who said `tomorrow`, not from a result that gave nothing else.

    The result happens to hold the same day.
    """
    wanted = day_of(item.piece) if item.piece.kind is Kind.DATE and item.argument else None
    if wanted is None or item.origin is None or book.pages[item.origin].role is not Role.TOOL:
        return
    if any(other.origin == item.origin for other in need.hard if other is not item):
        return
    said = spoken(book, need.turn, wanted)
    if said and said.is_certain and said.places[1].turn > item.origin:
        item.origin, item.derivation = None, said


def _gives_back(book: Book, page: Page, key: str) -> bool:
    """Whether a result was looked up by something and holds it itself, as `"id": ...` would."""
    is_result = page.role is Role.TOOL
    return is_result and key in page.keys and key in book.argument_keys(page.index)


def _describing(book: Book, need: Need) -> list[int]:
    """The results that were looked up by an id which is passed now."""
    ids = [item for item in need.hard if item.piece.kind is Kind.ID]
    return sorted({turn for i in ids for turn in i.holders if book.is_about(turn, i.piece.key)})


def _origin(
    book: Book, item: Item, support: dict[int, int], users: list[int], described: list[int]
) -> int | None:
    holders = _exact(book, item)
    stated = [t for t in holders if book.pages[t].role is Role.USER]
    ruled = [t for t in holders if book.pages[t].role is Role.SYSTEM]
    results = [t for t in holders if book.pages[t].role is Role.TOOL]
    if is_small(item.piece) and not item.is_part:
        results = [t for t in results if _is_named_so(book.pages[t], item)]
        if any(_has_field(book.pages[turn], item.argument) for turn in described):
            results = [t for t in results if t in described]  # not that of another thing
    brought = [t for t in results if item.piece.key not in book.argument_keys(t)]
    freshest = min((book.freshness[t] for t in brought), default=Freshness.NEW)
    brought = [t for t in brought if book.freshness[t] is freshest]
    telling = item.piece.kind not in (Kind.NUMBER, Kind.NAME, Kind.WORD)
    figure = item.piece.number or 0.0
    telling = telling or figure >= 10
    if stated and (telling or not brought):
        return stated[-1]
    if ruled and _names_one_thing(item):
        return ruled[0]
    if brought:
        brought = _listing(book, item, brought, users) or brought
        most = max(support[t] for t in brought)
        best = [t for t in brought if support[t] == most]
        recent = [t for t in best if users and t > users[-1]]
        return recent[-1] if recent else best[0]
    if item.piece.kind is Kind.VALUE and not _names_one_thing(item):
        return next(iter(results), None)  # a kind of thing: naming it is nobody's giving it
    written = [t for t in item.holders if book.pages[t].role is Role.ASSISTANT]
    written = [t for t in written if not _only_counts_points(book.pages[t], item)]
    said = [t for t in written if item.piece.key in book.pages[t].prose_keys]
    offered = bool(said)
    written = said if item.is_part else written
    given = ruled if (telling or not figure.is_integer()) and not offered else []
    return next(iter(given + written + results), None)


_COUNTS_POINT = re.compile(r"\d+[.)]\s")


def _only_counts_points(page: Page, item: Item) -> bool:
    """Whether a figure stands on a page nowhere but before the points of a list."""
    found = page.occurrences(item.keys) if is_small(item.piece) else []
    return bool(found) and all(
        _COUNTS_POINT.match(page.text, place.start)
        and not page.text[page.text.rfind("\n", 0, place.start) + 1 : place.start].strip(" *#")
        for place in found
    )


def _exact(book: Book, item: Item) -> list[int]:
    """Without the turns that give only a part of an id or of a path, if a result gives it whole.

    Who says that a card `ends in 7305` has described `CARD-91-7305`, and not stated it.
    """
    if item.piece.kind is not Kind.ID:
        return item.holders
    partly = {t for t in item.holders if _gives_part(book.pages[t], item)}
    found = any(book.pages[t].role is Role.TOOL for t in item.holders if t not in partly)
    return [t for t in item.holders if t not in partly] if found else item.holders


def _gives_part(page: Page, item: Item) -> bool:
    """Whether a page has the last part of a path, or some of the figures of an id, and no more."""
    path = item.piece.key.removeprefix("i:")
    if "/" in path:
        return path not in page.text.lower()
    given = {_figures(key) for key in item.piece.aliases if key in page.keys}
    return item.piece.key not in page.keys and bool(given) and _figures(path) not in given


def _figures(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _listing(book: Book, item: Item, brought: list[int], users: list[int]) -> list[int]:
    """The results with a record of what an id names, if a user chose it by the id's own words.

    `Use the gift card` was said of the cards that a profile lists, not of the order paid with one;
    `the same card` was said of the latter.
    """
    words = id_words(item)
    speaking = (book.pages[user] for user in users)
    if not any(words & page.keys and not KEEPING.search(page.text) for page in speaking):
        return []
    pages = (book.pages[turn] for turn in brought)
    return [p.index for p in pages if any(_named(p, o) for o in p.occurrences(item.keys))]


def _named(page: Page, name: Piece) -> Record | None:
    """The record that a piece is the name of: `"px-4410": {...}`."""
    return next((r for r in page.records if 0 <= r.start - name.end <= _TO_RECORD), None)


_ONE_THING = re.compile(r"\w[@.:/]\w|\d{3}")


def _names_one_thing(item: Item) -> bool:
    """Whether a value is an account, an address or a number of something, and not a kind of it."""
    return item.piece.kind in (Kind.ID, Kind.VALUE) and bool(_ONE_THING.search(item.piece.text))


def _is_named_so(page: Page, item: Item) -> bool:
    """Whether a figure that may stand anywhere stands under a name like the argument's."""
    names = name_keys(item.argument)
    for found in page.occurrences(item.keys, item.piece.unit):
        held = page.field_at(found.start)
        if held and names & name_keys(held.key):
            return True
    return False


def _has_field(page: Page, argument: str) -> bool:
    names = name_keys(argument)
    return page.is_structured and any(names & name_keys(f.key) for f in page.fields)


def _find_decision(book: Book, need: Need, item: Item, origin: int, users: list[int]) -> None:
    """Where the assistant named this value and not all of its alternatives."""
    source = book.pages[origin]
    offered = alternatives(source, item)
    item.alternatives = max(1, len(offered))
    mentions = [
        turn
        for turn in item.holders
        if turn > origin
        and book.pages[turn].role is Role.ASSISTANT
        and item.piece.key in book.pages[turn].prose_keys
    ]
    distinct = set(offered)
    singled = [
        turn
        for turn in mentions
        if len(distinct) < 2 or len(distinct & book.pages[turn].keys) <= 0.7 * len(distinct)
    ]
    item.is_singled_out = bool(singled)
    item.decided = next(iter(singled or mentions), None)
    if item.alternatives > 1:
        fields = [p for p in source.occurrences(item.keys) if source.field_at(p.start)]
        item.is_named = any(
            is_identified(source, found.start, book.pages[user].keys)
            for found in fields[:1]
            for user in users
        )
    examined = [
        turn
        for turn in item.holders
        if turn > origin
        and book.pages[turn].role is Role.TOOL
        and book.freshness[turn] is Freshness.NEW
        and item.piece.key in book.argument_keys(turn)
    ]
    if examined and item.alternatives >= 3:
        later = [turn for turn in mentions if turn > examined[-1]]
        if later:
            item.decided, item.is_singled_out = later[0], True


def alternatives(page: Page, item: Item) -> list[str]:
    """The first key of every value that a result gives under the same name as the item's.

    Where nothing is named, ids of the same shape are alternatives.
    """
    for found in page.occurrences(item.keys, item.piece.unit):
        held = page.field_at(found.start)
        if held:
            row = row_at(page, found.start) if found.kind is Kind.ID else []
            same = row or [view for view in page.views if view.field.key == held.key]
            return [view.pieces[0].key for view in same if view.pieces]
        if found.kind is Kind.ID:
            mine = shape(found.key)
            alike = (p.key for p in page.pieces if p.kind is Kind.ID and shape(p.key) == mine)
            return list(dict.fromkeys(alike))
    return []


def record_keys(page: Page, item: Item) -> set[str]:
    """What identifies the record that an item stands in: its other values, the id's own words."""
    found = id_words(item, shortest=2) - _STOP_KEYS
    homes = []
    for piece in page.occurrences(item.keys, item.piece.unit):
        inner = [r for r in page.records if r.is_nested and r.start <= piece.start < r.end]
        home = _named(page, piece) or max(inner, key=lambda r: r.start, default=None)
        if home:
            homes.append((home.end - home.start, home.start, home.end))
    if homes and min(homes)[0] < _LARGEST_RECORD:
        _, start, end = min(homes)
        for view in page.views:
            if start <= view.field.start < end:
                found.update(p.key for p in view.pieces if p.key != item.piece.key)
    return found


def id_words(item: Item, *, shortest: int = 3) -> set[str]:
    """The words inside an id: `gift` and `card` of `gift_card_8190333`."""
    if item.piece.kind is not Kind.ID:
        return set()
    parts: Iterable[str] = item.piece.text.replace("-", "_").split("_")
    return {f"w:{stem(part)}" for part in parts if part.isalpha() and len(part) >= shortest}
