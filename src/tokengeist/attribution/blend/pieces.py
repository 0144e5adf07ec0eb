"""Text → typed pieces: ids, numbers, dates, times, codes, names and words, each under a key.

Two pieces speak of the same thing when they share a key, however they are written: `May 4`,
`2024-05-04T07:38` and `4th of May` share `d:05-04`; `$1,625.00` and `1625` share `n:1625`. A piece
may answer to further keys: `paypal_8080730` to `8080730` alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from tokengeist.attribution.blend.quantities import MONEY, unit_of


class Kind(StrEnum):
    """What a piece is."""

    ID = "id"
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    CODE = "code"
    NAME = "name"
    WORD = "word"
    VALUE = "value"
    """A whole argument made of words: a name, an enumeration, yes or no."""


BASE_WEIGHT = {
    Kind.ID: 3.0,
    Kind.DATE: 2.5,
    Kind.TIME: 2.0,
    Kind.CODE: 2.0,
    Kind.VALUE: 2.0,
    Kind.NUMBER: 1.5,
    Kind.NAME: 1.2,
    Kind.WORD: 1.0,
}
"""How telling a piece of each kind is before its rarity is known."""


class Piece(NamedTuple):
    """One piece of a text, and the keys it can be found by.

    A tuple because there are thousands of them, and nothing is made faster.
    """

    kind: Kind
    key: str
    start: int
    end: int
    text: str
    aliases: tuple[str, ...] = ()
    number: float | None = None
    unit: str = ""
    """Of a number, if one is written beside it."""
    parts: tuple[str, ...] = ()
    """Keys of what it contains: a date can be found by its year, but does not look for it."""

    @property
    def found_by(self) -> tuple[str, ...]:
        """Everything it answers to."""
        return (self.key, *self.aliases, *self.parts)

    @property
    def keys(self) -> tuple[str, ...]:
        """The key and every alias."""
        return (self.key, *self.aliases)


def _listed(words: str) -> list[str]:
    return words.split()


STOP_WORDS = frozenset(
    _listed(
        """a an the and or but if then than so as of at by for from in into on onto to up with
        without within about over under is are was were be been being am do does did done doing
        have has had having will would shall should can could may might must i you he she it we
        they me him her us them my your his its our their mine yours this that these those there
        here what which who whom whose when where why how all any both each few more most other
        some such no nor not only own same too very just also please thank thanks hi hello sure
        okay ok yes yeah let lets ll ve re s t d m don didn doesn isn aren wasn won like want
        need help know get got give make made take provide see look find further else anything
        something user assistant agent system one im ive id"""
    )
)
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        _listed("zero one two three four five six seven eight nine ten eleven twelve")
    )
    if word != "one"  # as often an article as a number
}
_MONTH_NAMES = _listed(
    "january february march april may june july august september october november december"
)
_SHORT_NAMES = {
    name[:3].title(): name
    for name in _listed("monday tuesday wednesday thursday friday saturday sunday") + _MONTH_NAMES
    if name not in ("march", "may")  # `Mar` may be a sheet's name, and `May` is mostly no month
}
_MONTHS = {name[:length]: i for i, name in enumerate(_MONTH_NAMES, 1) for length in (3, len(name))}
_MONTHS["sept"] = 9
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"

_FILES = "|".join(
    _listed(
        """py pyi ipynb js jsx ts tsx json jsonl yaml yml toml md rst txt csv tsv xml html css scss
        sh java kt go rs rb php c h cc cpp hpp cs swift sql ini cfg conf log lock pdf docx xlsx"""
    )
)
_ESCAPED = r"(?<=\\[nrt])"
# Megabytes may stand on one line: a long run is looked through from its beginning only, which is
# also behind the escape of a line break.
_TOKEN = re.compile(
    rf"""
    (?P<gap>[\s"'{{}}\[\],:;()|<>=*!?&%+`]+)  # nothing begins with these; skipped in one go
    |(?P<plain>[^\W\d_]++(?:(?=['’][^\W\d_])['’][^\W\d_]++)?+
        (?=\.?(?:[\s"'()\]}},;!?]|:(?!/)|\Z))(?!\.?\s+\d))
        # most tokens: words that by what follows cannot be the beginning of anything else; they
        # look behind a quote first, because Python 3.11.2 keeps it even where no letter follows
    |(?P<escape>\\(?:[nrtbf"\\/]|u[0-9a-f]{{4}}))
    |(?P<iso>\b\d{{4}}[-/]\d{{2}}[-/]\d{{2}}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}})?)?)
    |(?P<month>\b(?:19|20)\d{{2}}-(?:0[1-9]|1[0-2])\b(?!-))
    |(?P<month_first>\b(?:{_MONTH})\.?\s+{_DAY}(?:\s?(?:-|–|to|until)\s?{_DAY}
        (?!\s?(?:{_MONTH})|[:.]?\d))?(?:,?\s+\d{{4}})?\b)
    |(?P<day_first>\b{_DAY}(?:\s?(?:-|–|to|until)\s?{_DAY})?\s+(?:of\s+)?(?:{_MONTH})\b
        (?:,?\s+\d{{4}})?)
    |(?P<slashes>\b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b)
    |(?P<dots>\b\d{{1,2}}\.\d{{1,2}}\.\d{{4}}\b)
    |(?P<version>\bv?\d+(?:\.\d+){{2,}}\b)
    |(?P<time>\b\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[ap]\.?m\b)?
        |\b\d{{1,2}}(?:\.\d{{2}})?\s?[ap]\.?m\b)
    |(?P<mail>(?:(?<![\w.+-])|{_ESCAPED})[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    |(?P<path>https?://[^\s"'<>)\]]*[\w/]
        |(?:(?<![\w.~/-])|{_ESCAPED})(?:[\w.~-]*/)+[\w-][\w.-]*\.[a-z]\w{{0,4}}\b
        |(?<![\w-])[a-z_][\w-]*\.(?:{_FILES})\b)
    |(?P<id>\#?\b(?=[A-Za-z_-]{{0,99}}\d)(?=[\d_-]{{0,99}}[A-Za-z\#]|\d{{5,}}\b(?![.,]\d))
        [A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*)
    |(?P<number>(?:(?<!\d-)(?:[1-9]\d{{0,2}}(?:[,'’]\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:\.\d{{3}})+,\d+
        |\d+,\d{{2}}(?![\d,]))|\d+(?:\.\d+)?)%?)  # the comma in `2031-02,310` parts two columns
    |(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)
    """,
    re.VERBOSE | re.IGNORECASE,
)


def pieces(text: str, start: int = 0, end: int | None = None) -> list[Piece]:
    """The pieces of a stretch of text, in order. Words that carry no content are left out.

    >>> [piece.key for piece in pieces("Flight HAT056 on May 24 costs $1,625")]
    ['w:flight', 'i:hat056', 'd:05-24', 'w:cost', 'n:1625']
    """
    found: list[Piece] = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup
        if kind == "gap":
            continue
        word = _plain_word(match.group()) if kind in ("plain", "word") else None
        if word is None:
            found += _typed(match)
        elif word[1]:
            found.append(Piece(*word, *match.span(), match.group()))
    return found


def _typed(match: re.Match[str]) -> Iterator[Piece]:
    text, (start, end) = match.group(), match.span()
    kind = match.lastgroup
    if kind == "iso":
        key = f"d:{text[5:7]}-{text[8:10]}"
        yield Piece(Kind.DATE, key, start, start + 10, text[:10], parts=_parts(key, text))
        if len(text) > 10:
            minutes = int(text[11:13]) * 60 + int(text[14:16])
            yield Piece(Kind.TIME, f"t:{minutes}", start + 11, end, text[11:])
    elif kind == "month":
        key = f"w:{stem(_MONTH_NAMES[int(text[5:]) - 1])}"
        yield Piece(Kind.DATE, key, start, end, text, parts=(f"n:{text[:4]}",))
    elif kind in ("month_first", "day_first"):
        yield from _days_of_a_month(text, start)
    elif kind in ("slashes", "dots"):
        yield _date_in_figures(text, start, end, day_first=kind == "dots")
    elif kind == "time":
        yield Piece(Kind.TIME, _time_key(text), start, end, text)
    elif kind in ("mail", "version"):
        yield Piece(Kind.ID, "i:" + text.lower(), start, end, text)
    elif kind == "path":  # also known by its last part
        name = text.lower().rstrip("/").rpartition("/")[2]
        aliases = (f"i:{name}",) if name and name != text.lower() else ()
        yield Piece(Kind.ID, "i:" + text.lower(), start, end, text, aliases)
    elif kind == "id":
        yield from _identifier(match.string, start, end)
    elif kind == "number":
        yield _number(match.string, start, end)
    elif kind in ("plain", "word"):
        yield from _word(match.string, start, end)


def _days_of_a_month(text: str, start: int) -> Iterator[Piece]:
    """The day of `4 May 2031`, or both of `May 4 to 6`.

    Month and day are the key; the year is left out because prose mostly does so too.
    """
    month = re.search(_MONTH, text, re.IGNORECASE)
    days = list(re.finditer(r"(?<!\d)\d{1,2}(?!\d)", text))
    for day in days:
        key = f"d:{_MONTHS[month.group().lower()]:02}-{int(day.group()):02}"  # type: ignore[union-attr]
        place = day.span() if len(days) > 1 else (0, len(text))
        piece = text[slice(*place)]
        begun, ended = (start + position for position in place)
        yield Piece(Kind.DATE, key, begun, ended, piece, parts=_parts(key, text))


def _parts(key: str, text: str) -> tuple[str, ...]:
    """The day of a date as an ordinal, its month by name, and its year."""
    month, day = int(key[2:4]), int(key[5:7])
    named = [f"w:{stem(_MONTH_NAMES[month - 1])}"] if 1 <= month <= 12 else []
    years = re.findall(r"\d{4}", text)
    return (f"o:{day}", *named, *(f"n:{year}" for year in years[:1]))


def _date_in_figures(text: str, start: int, end: int, *, day_first: bool) -> Piece:
    """A date with slashes may have either order, and then answers to both."""
    first, second = (int(number) for number in re.findall(r"\d+", text)[:2])
    american, other = f"d:{first:02}-{second:02}", f"d:{second:02}-{first:02}"
    if day_first or first > 12:
        return Piece(Kind.DATE, other, start, end, text, parts=_parts(other, text))
    aliases = (other,) if second <= 12 and other != american else ()
    return Piece(Kind.DATE, american, start, end, text, aliases, parts=_parts(american, text))


def _time_key(text: str) -> str:
    hour, minute = (int(part or 0) for part in re.match(r"(\d+)(?:[:.](\d+))?", text).groups())  # type: ignore[union-attr]
    if re.search(r"p\.?m", text, re.IGNORECASE) and hour < 12:
        hour += 12
    if re.search(r"a\.?m", text, re.IGNORECASE) and hour == 12:
        hour = 0
    return f"t:{hour * 60 + minute}"


def _number(whole: str, start: int, end: int) -> Piece:
    """A number, its value rounded to cents."""
    text = whole[start:end]
    value = round(_value(text.rstrip("%")), 2)
    if math.isinf(value):  # hundreds of digits
        return Piece(Kind.ID, "i:" + text, start, end, text)
    key = "n:" + (str(int(value)) if value == int(value) else f"{value:.2f}".rstrip("0"))
    aliases = ("i:" + text,) if text.isdigit() and len(text) >= 4 else ()
    return Piece(Kind.NUMBER, key, start, end, text, aliases, value, unit_of(whole, start, end))


def _value(text: str) -> float:
    """`1,234.5`, `1.234,5`, `1'234.5` and `12,50` as they are meant."""
    whole, comma, rest = text.rpartition(",")
    if comma and "." not in rest and (len(rest) != 3 or "." in whole):
        return float(re.sub(r"[.'’,]", "", whole) + "." + rest)  # a comma before the decimals
    return float(re.sub(r"[,'’]", "", text))


_BARE_VALUE = re.compile(r'"\s?:\s?$')
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_COMPOUND = re.compile(r"(\d+)-([a-z]+)")
_JOINT = re.compile(r"[_-]")
_SERIAL = re.compile(r"\d{4,}")
_LETTERED = re.compile(r"[a-z]\d{5,}")
_LONGEST_FIGURE = 7
"""Longer rows of digits are no amounts, but numbers of something."""


def _identifier(whole: str, start: int, end: int) -> Iterator[Piece]:
    text = whole[start:end]
    value = text.lstrip("#").lower()
    ordinal = _ORDINAL.fullmatch(value)
    compound = _COMPOUND.fullmatch(text.lower())  # `#3-b` is the number of something
    if text.isdigit() and (
        _BARE_VALUE.search(whole, max(0, start - 3), start) or unit_of(whole, start, end)
    ):
        yield _number(whole, start, end)
    elif ordinal:
        day = int(ordinal[1])
        yield Piece(Kind.NUMBER, f"n:{day}", start, end, text, (f"o:{day}",), float(day))
    elif compound:  # `3-hour`
        middle = start + len(compound[1])
        yield _number(whole, start, middle)
        yield from _word(whole, middle + 1, end)
    else:
        aliases = [f"i:{part}" for part in _JOINT.split(value) if _is_serial(part, value)]
        if _LETTERED.fullmatch(value):
            aliases.append(f"i:{value[1:]}")
        figure = float(value) if text.isdigit() and len(text) <= _LONGEST_FIGURE else None
        yield Piece(Kind.ID, f"i:{value}", start, end, text, tuple(aliases), figure)


def _is_serial(part: str, whole: str) -> bool:
    return part != whole and _SERIAL.search(part) is not None


_LONGEST_CODE = 4
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
"""Scripts that put no spaces between words, and Korean, which glues particles to them."""


@lru_cache(maxsize=20_000)
def _plain_word(text: str) -> tuple[Kind, str] | None:
    """The kind and key of a word that means the same everywhere; no key if it carries nothing."""
    word = text.lower()
    if word in _NUMBER_WORDS or (text.isupper() and len(text) <= _LONGEST_CODE):
        return None
    if _UNSPACED.fullmatch(text):
        return None
    kind = Kind.NAME if text[0].isupper() else Kind.WORD
    if text in _SHORT_NAMES:
        return kind, f"w:{stem(_SHORT_NAMES[text])}"
    return kind, "" if word in STOP_WORDS or len(word) < 2 else f"w:{stem(text)}"


def _word(whole: str, start: int, end: int) -> Iterator[Piece]:
    text = whole[start:end]
    word = text.lower()
    if _UNSPACED.fullmatch(text):
        for place in range(start, end - 1):
            pair = whole[place : place + 2]
            yield Piece(Kind.WORD, f"w:{pair}", place, place + 1, pair[:1])
    elif word in _NUMBER_WORDS:
        value = _NUMBER_WORDS[word]
        unit = unit_of(whole, start, end)
        yield Piece(Kind.NUMBER, f"n:{value}", start, end, text, (), float(value), unit)
    elif word in STOP_WORDS or len(word) < 2:
        return
    elif text.isupper() and len(text) <= _LONGEST_CODE and not _is_currency(whole, start):
        yield Piece(Kind.CODE, f"w:{word}", start, end, text)
    else:
        kind = Kind.NAME if text[0].isupper() else Kind.WORD
        yield Piece(kind, f"w:{stem(text)}", start, end, text)


_FIGURE_AFTER = re.compile(r"[A-Z]+\s?(?=\d)")


def _is_currency(text: str, start: int) -> bool:
    """Whether a code is the unit of the number beside it."""
    after = _FIGURE_AFTER.match(text, start)
    if after and unit_of(text, after.end(), after.end()) == MONEY:
        return True
    end = start - 1 if text[start - 1 : start] == " " else start
    return text[end - 1 : end].isdigit() and unit_of(text, end, end) == MONEY


_SUFFIXES = tuple(_listed("ations ation ships ship ments ment ings ing ied ed es s ly"))


_DOUBLED = re.compile(r"([^\W\d_])\1")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its inflection: crude, but the same for every form that matters here.

    Doubled letters count once: `cancelled` and `canceled` are one word, and so is a misspelling.

    >>> [stem(w) for w in ("cancelled", "cancellation", "membership", "members", "upgrading")]
    ['cancel', 'cancel', 'member', 'member', 'upgrad']
    """
    word = word.lower().replace("’", "'").removesuffix("'s").replace("'", "")
    word = _DOUBLED.sub(r"\1", word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    suffix = next((s for s in _SUFFIXES if word.endswith(s) and len(word) - len(s) >= 3), "")
    if suffix:
        word = word[: -len(suffix)] + ("y" if suffix == "ied" else "")
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_CAMEL = re.compile(r"([a-z])([A-Z])")


@lru_cache(maxsize=20_000)
def name_keys(name: str) -> frozenset[str]:
    """The word keys inside an identifier: of `payment_method_id` or `getOrderDetails`."""
    words = re.findall(r"[A-Za-z]+", _CAMEL.sub(r"\1 \2", name))
    return frozenset(f"w:{stem(w)}" for w in words if w.lower() not in STOP_WORDS and len(w) > 1)


_WORD = re.compile(r"[^\W_]+")


def normal(text: str) -> str:
    """Letters and digits in lower case, one space between words."""
    return " ".join(_WORD.findall(text.lower()))
