"""Dates that lie some days from one that was named, and how many days lie between two."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from tokengeist.attribution.blend.accounts import Derivation
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.cues import RELATIVE_TIME, TODAY
from tokengeist.attribution.blend.figures import Number, Place
from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.pieces import Kind, Piece, name_keys, stem
from tokengeist.transcript import Role

_DAYS_IN = {"day": 1, "week": 7}
_MEASURES = {"day": ("day", 1), "week": ("day", 7), "month": ("month", 1), "year": ("month", 12)}
_MOST_DATES = 200
_MOST_WORKING_DAYS = 60
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SATURDAY = 5
_DAYS = {-1: ("yesterday",), 0: ("today",), 1: ("tomorrow",)}
_WEEKS = {-1: ("last week",), 0: ("this week",), 1: ("next week",)}
_BEFORE_DATE = 60
_SOON = 60
"""A day of the month that is named without the month is less than so many days away."""
_SHORTEST_MONTH = 28
_FIRST, _LAST = datetime.MINYEAR, datetime.MAXYEAR


def derive_date(book: Book, turn: int, piece: Piece, *, is_passed: bool) -> Derivation | None:
    """A date so many days from one that was named, as a rule, a result or a user says.

    Without such a number, a date within a week of one that was named, and the user turn that moved
    it: a guess. What is passed to a tool is what a user asked for, not what a rule counts.
    """
    wanted = day_of(piece)
    if wanted is None:
        return None
    counted = None if is_passed else _counted(book, turn, wanted)
    return counted or spoken(book, turn, wanted) or _near(book, turn, wanted)


def derive_days(book: Book, turn: int, piece: Piece) -> Derivation | None:
    """How a number of days follows from two dates, best of one result or of two near ones."""
    best: tuple[int, Derivation] | None = None
    wanted = (piece.number or 0.0) * _DAYS_IN[piece.unit]
    dates = (
        list(_dates(book, turn, (Role.SYSTEM, Role.TOOL, Role.USER)))[-_MOST_DATES:]
        if wanted
        else []
    )
    asked = set(book.just_looked_up(turn))
    looked_up = bool(asked & {place.turn for place, _ in dates})
    for number, (one, day) in enumerate(dates):
        for other, other_day in dates[:number]:
            if abs(gap_between(day, other_day)) != wanted:
                continue
            if looked_up and not asked & {one.turn, other.turn}:
                continue  # the days until something else
            far = (turn - one.turn) + 3 * (one.turn - other.turn)
            if best is None or far < best[0]:
                is_first = gap_between(day, other_day) > 0
                first, last = (day, other_day) if is_first else (other_day, day)
                note = f"{first:%d %b} to {last:%d %b}"
                best = (far, Derivation((other, one), note))
    return best[1] if best else None


def _dates(book: Book, turn: int, roles: tuple[Role, ...]) -> Iterator[tuple[Place, datetime.date]]:
    for page in book.pages[:turn]:
        if page.role in roles:
            yield from dates_of(page)


def dates_of(page: Page) -> Iterator[tuple[Place, datetime.date]]:
    """The dates of a turn, and where they stand."""
    for piece in page.pieces:
        day = day_of(piece) if piece.kind is Kind.DATE else None
        if day:
            yield Place(page.index, piece.start, piece.end), day


def _counted(book: Book, turn: int, wanted: datetime.date) -> Derivation | None:
    """From the nearest date with a length of time that is said somewhere; today's comes last."""
    lengths = {
        length: number
        for page in book.pages[:turn]
        if page.role is not Role.ASSISTANT
        for number in page.numbers
        for length in lengths_meant(book, number)
    }
    for roles in ((Role.TOOL, Role.USER), (Role.SYSTEM,)) if lengths else ():
        for place, day in reversed(list(_dates(book, turn, roles))):
            for length, note in _between(day, wanted):
                if length in lengths:
                    return Derivation((place, lengths[length].place), note)
    return None


def spoken(book: Book, turn: int, wanted: datetime.date) -> Derivation | None:
    """What a user called a day, counted from today: `Tuesday`, `the 19th`, `tomorrow`, `next week`.

    A week has seven days, so that is a guess.
    """
    told = [t for role in (Role.SYSTEM, Role.USER) for t in book.roles(role, turn)]
    found = next(filter(None, (today(book.pages[t]) for t in told)), None)
    if found is None:
        return None
    place, day = found
    gap = gap_between(day, wanted)
    if abs(gap) > _SOON:
        return None
    dated = wanted if wanted.year != _ANY_YEAR else day + datetime.timedelta(gap)
    weekday = _WEEKDAYS[dated.weekday()]
    weeks = ((dated.weekday() - gap) % 7 + gap) // 7
    names = [f"{wanted.day}(?:st|nd|rd|th)", *_DAYS.get(gap, ())]
    if dated.year != _ANY_YEAR and -7 <= gap <= 14:
        names += [weekday, weekday[:3]]
    for words, is_certain in ((names, True), (_WEEKS.get(weeks, ()), False)):
        meant = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)
        for user in reversed(book.roles(Role.USER, turn)) if words else ():
            said = meant.search(book.pages[user].text)
            if said:
                places = (place, Place(user, *said.span()))
                return Derivation(places, f"{gap:+d} days", is_certain=is_certain)
    return None


def today(page: Page) -> tuple[Place, datetime.date] | None:
    """The day that a turn says it is."""
    for place, day in dates_of(page):
        if TODAY.search(page.text, max(0, place.start - _BEFORE_DATE), place.start):
            return place, day
    return None


Length = tuple[str, int]
"""So many days, months or working days."""
_NAME_BEFORE = re.compile(r"([A-Za-z_]+)\s?[=:]\s?$")
WORKING_DAYS = re.compile(r"\s(?:working|business|work)\s?days?\b", re.IGNORECASE)


def lengths_meant(book: Book, number: Number) -> Iterator[Length]:
    """What a number stands for, by its unit or its name: `30 days`, `valid_days=30`."""
    if not number.value.is_integer():
        return
    text, count = book.pages[number.turn].text, int(number.value)
    if WORKING_DAYS.match(text, number.piece.end):
        yield "working day", count
    named = _NAME_BEFORE.search(text, max(0, number.piece.start - 30), number.piece.start)
    names = name_keys(number.key) | name_keys(named[1] if named else "")
    for unit, (measure, times) in _MEASURES.items():
        if number.piece.unit == unit or (not number.piece.unit and f"w:{stem(unit)}" in names):
            yield measure, count * times


def _between(day: datetime.date, wanted: datetime.date) -> Iterator[tuple[Length, str]]:
    """How long it is from one date to another, in every measure that fits."""
    gap = gap_between(day, wanted)
    yield ("day", abs(gap)), f"{gap:+d} days"
    if day.day == wanted.day:
        months = 12 * (wanted.year - day.year) + wanted.month - day.month
        if _ANY_YEAR in (day.year, wanted.year):
            months = (wanted.month - day.month) % 12 or 12
        yield ("month", months), f"{months:+d} months"
    if 0 < gap <= _MOST_WORKING_DAYS and day.year != _ANY_YEAR:
        days = (day + datetime.timedelta(n) for n in range(1, gap + 1))
        working = sum(d.weekday() < _SATURDAY for d in days)
        yield ("working day", working), f"{working:+d} working days"


def _near(book: Book, turn: int, wanted: datetime.date) -> Derivation | None:
    best: tuple[float, Place, int] | None = None
    penalties = {Role.SYSTEM: 2.0, Role.ASSISTANT: 1.0}
    for place, day in reversed(list(_dates(book, turn, tuple(Role)))):
        gap = gap_between(day, wanted)
        if abs(gap) > 7:
            continue
        cost = abs(gap) + 0.02 * (turn - place.turn)
        cost += penalties.get(book.pages[place.turn].role, 0.0)
        if best is None or cost < best[0]:
            best = (cost, place, gap)
    places = [best[1]] if best else []
    for user in reversed(book.roles(Role.USER, turn)):
        moved = RELATIVE_TIME.search(book.pages[user].text)
        if moved:
            places.append(Place(user, moved.start(), moved.end()))
            break
    note = f"{best[2]:+d} days" if best else ""
    return Derivation(tuple(places), note, is_certain=False) if places else None


def shifted(day: datetime.date, length: Length) -> Iterator[datetime.date]:
    """The dates that lie a number of days or months before and after another."""
    measure, count = length
    for sign in (1, -1):
        try:
            if measure == "day":
                yield day + datetime.timedelta(sign * count)
            elif measure == "month":
                year, month = divmod(12 * day.year + day.month - 1 + sign * count, 12)
                yield day.replace(year=year, month=month + 1, day=min(day.day, _SHORTEST_MONTH))
        except (OverflowError, ValueError):
            continue  # beyond what a calendar knows


def gap_between(day: datetime.date, wanted: datetime.date) -> int:
    """The days from one date to another, the shorter way if either was written without a year."""
    if _ANY_YEAR not in (day.year, wanted.year):
        return (wanted - day).days
    gap = (wanted.replace(year=_ANY_YEAR) - day.replace(year=_ANY_YEAR)).days
    return gap + _YEAR if gap < -_YEAR // 2 else gap - _YEAR if gap > _YEAR // 2 else gap


_ANY_YEAR = 1904
"""A leap year in which nothing happens."""
_YEAR = 366


def day_of(piece: Piece) -> datetime.date | None:
    """The day that a date stands for, in a year of its own if none is written.

    The first and the last year that a calendar knows mean never or for ever, and no day.
    """
    written = piece.text[:4] if piece.text[:4].isdigit() else piece.text[-4:]
    try:
        month, day = int(piece.key[2:4]), int(piece.key[5:7])
        year = int(written) if written.isdigit() else _ANY_YEAR
        return datetime.date(year, month, day) if _FIRST < year < _LAST else None
    except ValueError:
        return None
