"""Sources tile a turn, and read like evidence."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.strategies import transcripts
from tokengeist import segmentation
from tokengeist.segmentation import Granularity, segment, segment_turn
from tokengeist.transcript import Role, ToolCall, Transcript, Turn


@pytest.mark.parametrize("granularity", list(Granularity))
@given(transcript=transcripts())
def test_sources_are_ordered_disjoint_and_cover_every_visible_character(
    granularity: Granularity, transcript: Transcript
) -> None:
    sources = segment(transcript, granularity)
    assert [s.turn for s in sources] == sorted(s.turn for s in sources)
    for turn in transcript.turns:
        end = 0
        for source in (s for s in sources if s.turn == turn.index):
            assert source.span.start >= end
            assert not turn.text[end : source.span.start].strip()
            assert source.span.start <= source.core.start < source.core.end <= source.span.end
            end = source.span.end
        assert not turn.text[end:].strip()


def cores(
    content: str, *calls: ToolCall, granularity: Granularity = Granularity.SENTENCE
) -> list[str]:
    turn = Turn(0, Role.ASSISTANT, content, calls)
    return [source.core.of(turn.text) for source in segment_turn(turn, granularity)]


def test_abbreviations_do_not_end_sentences() -> None:
    assert cores("Dr. Vale paid $3.50 at 5 p.m. today. Good.") == [
        "Dr. Vale paid $3.50 at 5 p.m. today.",
        "Good.",
    ]


def test_lists_and_headings_are_cut_at_lines() -> None:
    markdown = "# Fees\n\n- Moving: 12 CHF. Always.\n- Cancelling: free\n1. First\n2) Second"
    assert cores(markdown) == [
        "# Fees",
        "- Moving: 12 CHF.",
        "Always.",
        "- Cancelling: free",
        "1. First",
        "2) Second",
    ]


def test_other_scripts() -> None:
    assert cores("今日は晴れです。明日は雨でしょう。") == ["今日は晴れです。", "明日は雨でしょう。"]
    assert cores("यह एक है। दूसरा।") == ["यह एक है।", "दूसरा।"]


def test_json_is_cut_at_its_fields() -> None:
    content = (
        '{"id": 7, "buyer": {"name": "Mia", "vip": true}, "tags": ["a", "b"], "items": [{"n": 1}]}'
    )
    assert cores(content) == [
        '"id": 7',
        '"name": "Mia"',
        '"vip": true',
        '"tags": ["a", "b"]',
        '"n": 1',
    ]


def test_json_that_stands_on_a_line_of_its_own() -> None:
    assert cores('Result:\n{"a": 1, "b": 2}\nDone.') == ["Result:", '"a": 1', '"b": 2', "Done."]


def test_a_long_list_is_cut_at_its_elements_and_a_long_string_at_its_sentences() -> None:
    elements = ", ".join(f'"element number {i}"' for i in range(12))
    assert len(cores(f'{{"all": [{elements}]}}')) == 12
    prose = "A sentence of some length that says a thing. " * 8
    assert len(cores(f'{{"text": "{prose}"}}')) == 8


def test_calls_are_cut_at_their_arguments() -> None:
    call = ToolCall("book", '{"id": 7, "night": "2026-03-15"}', "a")
    assert cores("One moment.", call) == ["One moment.", '"id": 7', '"night": "2026-03-15"']
    assert cores("", ToolCall("look_up", '{"id": 7}', "a")) == ['look_up({"id": 7})']
    assert cores("", ToolCall("look_up", "", "a")) == ["look_up()"]


def test_words() -> None:
    assert cores("Two words", granularity=Granularity.WORD) == ["Two", "words"]
    assert cores("晴れ ok", granularity=Granularity.WORD) == ["晴", "れ", "ok"]


def test_a_lone_surrogate_does_not_end_the_work() -> None:
    assert cores("broken \ud800 text. Next.") == ["broken \ud800 text.", "Next."]


def test_sources_that_nobody_asks_for_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript((Turn(0, Role.USER, "One. Two."),))
    monkeypatch.delattr(segmentation, "segment_turn")
    sources = segment(transcript)
    monkeypatch.undo()
    assert len(sources) == 2
