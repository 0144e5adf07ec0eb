"""Turn text → sources: the pieces of earlier text that a target can be attributed to.

Sentences by default, as in the paper; words as the alternative. A tool's JSON has no sentences, so
it is cut at its fields: evidence should read `"insurance": "yes"`, not a four-kilobyte line.

Whatever the text, the sources of a turn are in order, share no character and cover every visible
one, so no part of a transcript can fall out of an attribution.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import overload

import sentencex

from tokengeist.transcript import Span, ToolCall, Transcript, Turn

SHORT_LIST = 120
"""A JSON list of plain values up to this many characters is one field, not one per element."""
LONG_VALUE = 240
"""A JSON string longer than this is prose, and is cut into sentences."""


class Granularity(StrEnum):
    """How finely text is cut."""

    SENTENCE = "sentence"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of one turn's canonical text."""

    turn: int
    span: Span
    core: Span
    """The part of `span` to show as evidence: a field without the brackets around it."""


class Sources(Sequence[Source]):
    """All sources of a transcript, cut when one is first asked for: not every backend asks."""

    def __init__(self, transcript: Transcript, granularity: Granularity) -> None:
        self._transcript = transcript
        self._granularity = granularity

    @cached_property
    def _all(self) -> tuple[Source, ...]:
        turns = self._transcript.turns
        return tuple(source for turn in turns for source in segment_turn(turn, self._granularity))

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Source]:
        return iter(self._all)

    @overload
    def __getitem__(self, index: int) -> Source: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Source]: ...
    def __getitem__(self, index: int | slice) -> Source | Sequence[Source]:
        return self._all[index]


def segment(
    transcript: Transcript, granularity: Granularity = Granularity.SENTENCE
) -> Sequence[Source]:
    """All sources of a transcript, turn by turn."""
    return Sources(transcript, granularity)


def segment_turn(turn: Turn, granularity: Granularity = Granularity.SENTENCE) -> tuple[Source, ...]:
    """The sources of one turn.

    >>> from tokengeist.transcript import Role
    >>> turn = Turn(3, Role.TOOL, '{"id": 7, "insurance": "yes"}')
    >>> [source.core.of(turn.text) for source in segment_turn(turn)]
    ['"id": 7', '"insurance": "yes"']
    """
    if granularity is Granularity.WORD:
        cuts = [(span, span) for span in _words(turn.text)]
    else:
        cuts = list(_pieces(turn.content, 0))
        for call, span in zip(turn.calls, turn.call_spans, strict=True):
            cuts += _call_pieces(call, span)
    return tuple(Source(turn.index, span, core) for span, core in cuts if span)


_Cut = tuple[Span, Span]
"""A source's span and the core of it."""

# Scripts written without spaces have no words to find here, so each character stands for itself.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|"
                   r"[^\s\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")  # fmt: skip


def _words(text: str) -> Iterator[Span]:
    for match in _WORD.finditer(text):
        yield Span(*match.span())


def _call_pieces(call: ToolCall, place: Span) -> list[_Cut]:
    """A call by its arguments; the name goes with the first of them."""
    arguments_start = place.start + len(call.name) + 1
    cuts = list(_pieces(call.arguments, arguments_start))
    if len(cuts) <= 1:
        return [(place, place)]
    cuts[0] = (Span(place.start, cuts[0][0].end), cuts[0][1])
    cuts[-1] = (Span(cuts[-1][0].start, place.end), cuts[-1][1])
    return cuts


def _pieces(text: str, offset: int) -> Iterator[_Cut]:
    """JSON by its fields, anything else line by line and sentence by sentence."""
    fields = _json_fields(text)
    if fields is not None:
        yield from _tile(text, fields, offset)
        return
    start = 0
    for line in text.splitlines(keepends=True):
        fields = _json_fields(line)
        spans = list(_sentences(line)) if fields is None else None
        if spans is None:
            yield from _tile(line, fields or [], offset + start)
        else:
            yield from ((s.shifted(offset + start), s.shifted(offset + start)) for s in spans)
        start += len(line)


_LIST_MARKER = re.compile(r"\s*(?:\(?(?:\d{1,3}|[a-zA-Z])[.)]|[-*+•–])\s+")


def _sentences(line: str) -> Iterator[Span]:
    # The splitter is strict about Unicode; a lone surrogate in a transcript must not end a trace.
    speakable = re.sub("[\ud800-\udfff]", "\ufffd", line)
    marker = _LIST_MARKER.match(line)
    start = 0
    end = marker.end() if marker else 0  # "2. " is no sentence: it goes with the item it counts
    for sentence in sentencex.segment("en", speakable[end:]):
        end += len(sentence)
        yield from _visible(line, Span(start, end))
        start = end
    yield from _visible(line, Span(start, len(line)))


def _visible(text: str, span: Span) -> Iterator[Span]:
    """`span` without the white space at its ends; nothing if nothing is left."""
    piece = span.of(text)
    start = span.start + len(piece) - len(piece.lstrip())
    end = span.end - len(piece) + len(piece.rstrip())
    if start < end:
        yield Span(start, end)


def _tile(text: str, fields: list[Span], offset: int) -> Iterator[_Cut]:
    """Give the brackets and commas between fields to a field, so that nothing is left over.

    A comma or closing bracket goes to the field before it, an opening bracket or the key of a
    nested object to the field after it.
    """
    cuts = [0]
    for before, after in pairwise(fields):
        gap = Span(before.end, after.start).of(text)
        closing = re.match(r"[\s,\]}]*", gap)
        cuts.append(before.end + (closing.end() if closing else 0))
    cuts.append(len(text))
    for core, start, end in zip(fields, cuts, cuts[1:], strict=False):
        for span in _visible(text, Span(start, end)):
            yield span.shifted(offset), core.shifted(offset)


_JSON_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<open>[\[{])|(?P<close>[\]}])|(?P<colon>:)|(?P<comma>,)
    |(?P<plain>[^\s"\[\]{},:]+))""",
    re.VERBOSE | re.DOTALL,
)


def _json_fields(text: str) -> list[Span] | None:
    """The `"key": value` pairs and list elements of a JSON object or array; None for other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    fields: list[Span] = []
    key: Span | None = None  # of the value that comes next
    last_string: Span | None = None
    before_last = 0  # how many fields there were before it
    lists: list[tuple[Span | None, int, int] | None] = []
    # Per open bracket, for a list of plain values: (its key, where it starts, fields before it).
    for match in _JSON_TOKEN.finditer(text):
        kind = match.lastgroup
        token = Span(*match.span(str(kind)))
        if kind == "colon":
            key = last_string
            del fields[before_last:]  # what looked like a value was the key of one
        elif kind == "open":
            if lists and lists[-1] is not None:
                lists[-1] = None  # something nested: the outer list is not plain
            lists.append((key, token.start, len(fields)) if token.of(text) == "[" else None)
            key = None
        elif kind == "close":
            plain = lists.pop()
            if plain is not None:
                list_key, start, count = plain
                whole = Span(list_key.start if list_key else start, token.end)
                if len(whole) <= SHORT_LIST and (list_key or len(fields) > count):
                    fields[count:] = [whole]
        elif kind in ("string", "plain"):
            last_string, before_last = token, len(fields)
            start = key.start if key else token.start
            if kind == "string" and len(token) > LONG_VALUE:
                fields += _long_value(text, Span(start, token.end), token)
            else:
                fields.append(Span(start, token.end))
            key = None
    return fields or None


def _long_value(text: str, field: Span, value: Span) -> list[Span]:
    """A field whose value is prose: its sentences, the first of them with the key."""
    inside = Span(value.start + 1, value.end - 1)  # quotes would make it one long quotation
    sentences = [s.shifted(inside.start) for s in _sentences(inside.of(text))] or [inside]
    sentences[0] = Span(field.start, sentences[0].end)
    sentences[-1] = Span(sentences[-1].start, field.end)
    return sentences
