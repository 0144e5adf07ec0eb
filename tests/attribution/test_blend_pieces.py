"""Pieces, fields and sentences: what text is taken apart into."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_texts, texts
from tokengeist.attribution.blend.cues import agreement, words_of
from tokengeist.attribution.blend.fields import scan
from tokengeist.attribution.blend.page import sentences
from tokengeist.attribution.blend.pieces import Kind, pieces, stem


def keys(text: str) -> list[str]:
    return [piece.key for piece in pieces(text)]


@pytest.mark.parametrize(
    "text", ["2031-05-04", "2031-05-04T07:38:29", "May 4", "May 4th, 2031", "4 May", "05/04/2031"]
)
def test_a_date_has_one_key_in_every_form(text: str) -> None:
    assert keys(text)[0] == "d:05-04"


@pytest.mark.parametrize("text", ["4 Sep 1971", "4 Sept 1971", "September 4", "Sept. 4"])
def test_a_month_may_be_cut_short_in_either_way(text: str) -> None:
    assert keys(text)[0] == "d:09-04"


@pytest.mark.parametrize("text", ["16:30", "4:30 PM", "16:30:00", "4:30pm", "4.30 pm"])
def test_a_time_has_one_key_in_every_form(text: str) -> None:
    assert keys(text) == ["t:990"]


@pytest.mark.parametrize(
    "text", ["May 4 to 6", "May 4-6, 2031", "4 – 6 May 2031", "4th to 6th of May"]
)
def test_both_ends_of_a_stretch_of_days_are_dates(text: str) -> None:
    assert keys(text) == ["d:05-04", "d:05-06"]


def test_what_only_looks_like_a_stretch_of_days_is_none() -> None:
    assert keys("May 4 to 10:30") == ["d:05-04", "t:630"]
    assert keys("4 to 6 boats") == ["n:4", "n:6", "w:boat"]


@pytest.mark.parametrize("text", ["2031-10", "October", "Oct"])
def test_a_month_has_one_key_in_every_form(text: str) -> None:
    assert keys(text) == ["w:october"]


@pytest.mark.parametrize("text", ["$1,625", "1625", "1625.00", "USD 1625.0"])
def test_an_amount_has_one_key_in_every_form(text: str) -> None:
    assert "n:1625" in keys(text)


def test_a_number_in_words_is_a_number() -> None:
    assert keys("three") == keys("3")


def test_a_weekday_may_be_cut_short() -> None:
    assert [piece.key for piece in pieces("Mon or Monday")] == ["w:monday", "w:monday"]


def test_an_id_answers_to_its_serial_number() -> None:
    (piece,) = pieces("gift_card_8190333")
    assert piece.kind is Kind.ID
    assert piece.keys == ("i:gift_card_8190333", "i:8190333")


def test_a_number_sign_makes_an_id_of_a_number_and_a_word() -> None:
    assert keys("3-hour") == ["n:3", "w:hour"]
    assert keys("#3-hour") == ["i:3-hour"]


@pytest.mark.parametrize("quote", ["'", "’"])
def test_a_quote_belongs_to_a_word_only_if_the_word_goes_on(quote: str) -> None:
    found = list(pieces(f"{quote}the ferry{quote} is the harbour{quote}s"))
    assert [piece.text for piece in found] == ["ferry", f"harbour{quote}s"]


def test_short_capitals_are_codes() -> None:
    assert [piece.kind for piece in pieces("from OSL")] == [Kind.CODE]


@given(texts)
def test_pieces_lie_in_order_in_their_text(text: str) -> None:
    end = 0
    for piece in pieces(text):
        assert piece.start >= end or piece.kind is Kind.TIME
        assert text[piece.start : piece.start + 1] != ""
        assert piece.end <= len(text)
        assert piece.text == text[piece.start : piece.end]
        end = piece.end


@given(st.text(max_size=20))
def test_a_stem_is_no_longer_than_its_word_and_the_same_in_any_case(word: str) -> None:
    assert len(stem(word)) <= len(word.lower()) + 1
    assert stem(word) == stem(word.lower())


@given(json_texts)
def test_every_plain_value_of_json_is_a_field(text: str) -> None:
    fields, records = scan(text, 0, len(text))
    found = [json.loads(text[f.value_start : f.end]) for f in fields]
    assert found == list(_leaves(json.loads(text)))
    assert len(records) == _objects(json.loads(text))
    assert all(-1 <= f.record < len(records) for f in fields)


def _leaves(value: object, *, top: bool = True) -> list[object]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner, top=False)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner, top=False)]
    return [] if top else [value]


def _objects(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(_objects(inner) for inner in value.values())
    if isinstance(value, list):
        return sum(_objects(inner) for inner in value)
    return 0


@given(texts)
def test_broken_json_is_scanned_without_complaint(text: str) -> None:
    for f in scan(text, 0, len(text))[0]:
        assert 0 <= f.start <= f.value_start < f.end <= len(text)


@given(texts)
def test_sentences_are_disjoint_and_visible(text: str) -> None:
    end = 0
    for first, last in sentences(text, 0, len(text)):
        assert end <= first < last
        assert text[first:last].strip() == text[first:last]
        end = last


def test_an_abbreviation_ends_no_sentence() -> None:
    text = "It is 90 more, i.e. 6.5 %. Ask Dr. Lind, e.g. today."
    first = len("It is 90 more, i.e. 6.5 %.")
    assert sentences(text, 0, len(text)) == [(0, first), (first + 1, len(text))]


def test_a_list_number_belongs_to_its_item() -> None:
    text = "1. Tide Tables\n2. Sea Charts"
    assert [text[a:b] for a, b in sentences(text, 0, len(text))] == [
        "1. Tide Tables",
        "2. Sea Charts",
    ]


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes, please.", 1.0),
        ("Okay", 1.0),
        ("Okay, but first I want to know what the other one would cost me.", 0.0),
        ("Looks good to me, go ahead.", 0.7),
        ("What about the other one?", 0.0),
    ],
)
def test_agreement(text: str, yes: float) -> None:
    assert agreement(text) == yes


@pytest.mark.parametrize("name", ["cancel_order", "cancelOrder", "CancelOrder", "cancel-order"])
def test_the_verb_of_a_tool(name: str) -> None:
    assert words_of(name)[0] == "cancel"
