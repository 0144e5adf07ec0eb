"""Which tokens belong to which text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tokengeist.models.alignment import (
    NOBODY,
    TokenizedText,
    source_owners,
    target_tokens,
    tokenize,
)
from tokengeist.rendering import render_plain
from tokengeist.segmentation import Granularity, segment
from tokengeist.transcript import Role, Span, Target, Transcript, Turn

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel


def tokens_of(text: str, *pieces: str) -> TokenizedText:
    """A text cut into the given tokens."""
    assert "".join(pieces) == text
    ends = np.cumsum([len(piece) for piece in pieces])
    starts = np.concatenate([[0], ends[:-1]])
    return TokenizedText(text, tuple(range(len(pieces))), starts, ends)


def test_a_space_belongs_to_the_word_it_begins() -> None:
    tokens = tokens_of("One. Two.", "One", ".", " Two", ".")
    # The segmenter may give the space to either sentence; it does not vote.
    assert tokens.owners([(Span(0, 5), 0), (Span(5, 9), 1)]).tolist() == [0, 0, 1, 1]
    assert tokens.owners([(Span(0, 4), 0), (Span(4, 9), 1)]).tolist() == [0, 0, 1, 1]


def test_a_token_across_a_border_goes_to_whoever_holds_most_of_it() -> None:
    tokens = tokens_of("abcdef", "abcdef")
    assert tokens.owners([(Span(0, 2), 0), (Span(2, 6), 1)]).tolist() == [1]
    assert tokens.owners([(Span(0, 3), 0), (Span(3, 6), 1)]).tolist() == [0]


def test_markup_wins_only_with_a_majority() -> None:
    tokens = tokens_of('x"}', 'x"}')
    assert tokens.owners([(Span(0, 1), 0)]).tolist() == [NOBODY]
    tokens = tokens_of('x"', 'x"')
    assert tokens.owners([(Span(0, 1), 0)]).tolist() == [0]


def test_white_space_alone_belongs_to_the_text_around_it() -> None:
    tokens = tokens_of("a\n\nb", "a", "\n\n", "b")
    assert tokens.owners([(Span(0, 4), 0)]).tolist() == [0, 0, 0]
    assert tokens.owners([(Span(0, 1), 0)]).tolist() == [0, NOBODY, NOBODY]


def test_a_character_of_several_tokens_gives_them_all_to_its_owner() -> None:
    text = "a🦉b"
    tokens = TokenizedText(text, (1, 2, 3, 4), np.array([0, 1, 1, 2]), np.array([1, 2, 2, 3]))
    assert tokens.owners([(Span(0, 1), 0), (Span(1, 2), 1), (Span(2, 3), 2)]).tolist() == [
        0, 1, 1, 2,
    ]  # fmt: skip


def test_a_target_smaller_than_a_token_is_the_token_it_touches() -> None:
    tokens = tokens_of("refund", "refund")
    assert tokens.touching([Span(0, 1)]).tolist() == [0]


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "naïve café —",
        "🦉🏳️‍🌈 emoji",
        "日本語のテキスト",
        "a\ud83d lone half",
        "",
    ],
)
def test_offsets_cover_the_text_and_nothing_is_added(embedded: LoadedModel, text: str) -> None:
    tokens = tokenize(embedded.tokenizer, text)
    assert len(tokens.ids) == len(tokens.starts) == len(tokens.ends)
    if text:
        assert tokens.starts[0] == 0
        assert tokens.ends[-1] == len(text)
    assert embedded.tokenizer.bos_token_id not in tokens.ids


@settings(max_examples=40)
@example(texts=["\x06"])
@given(texts=st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4))
def test_every_token_of_a_turn_has_one_source(embedded: LoadedModel, texts: list[str]) -> None:
    turns = tuple(Turn(i, Role.USER, text) for i, text in enumerate(texts))
    transcript = Transcript(turns)
    rendering = render_plain(transcript)
    tokens = tokenize(embedded.tokenizer, rendering.text)
    sources = segment(transcript, Granularity.SENTENCE)
    owners = source_owners(tokens, rendering, sources)
    for owner in set(owners.tolist()) - {NOBODY}:
        place = rendering.places(sources[owner].turn, sources[owner].span)[0]
        held = np.flatnonzero(owners == owner)
        assert (tokens.ends[held] > place.start).all()
        assert (tokens.starts[held] < place.end).all()
    for turn in turns:
        # A vocabulary may lack a control character, and then a text of it alone has no token.
        if tokenize(embedded.tokenizer, turn.text.strip()).ids:
            assert target_tokens(tokens, rendering, Target.whole(turn)).size
