"""Turns, canonical text, which call a result answers, and finding the span to trace."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.strategies import transcripts
from tokengeist.errors import AmbiguousSpanError, SpanNotFoundError, TargetError, TranscriptError
from tokengeist.transcript import (
    CallSite,
    Role,
    Span,
    Target,
    ToolCall,
    Transcript,
    Turn,
    locate_target,
    merge_spans,
)


def calling(index: int, *calls: ToolCall, content: str = "") -> Turn:
    return Turn(index, Role.ASSISTANT, content, calls)


@given(transcripts())
def test_call_spans_are_the_calls(transcript: Transcript) -> None:
    for turn in transcript.turns:
        assert [span.of(turn.text) for span in turn.call_spans] == [c.text for c in turn.calls]
        assert turn.text.startswith(turn.content)


@given(transcripts())
def test_every_result_is_linked_to_an_earlier_call(transcript: Transcript) -> None:
    results = {turn.index for turn in transcript.turns if turn.role is Role.TOOL}
    assert set(transcript.call_sites) == results
    assert all(site.turn < index for index, site in transcript.call_sites.items())


def test_parallel_calls_are_answered_by_id_in_any_order() -> None:
    call_turn = calling(0, ToolCall("f", "1", "a"), ToolCall("f", "2", "b"), content="Both:")
    transcript = Transcript(
        (
            call_turn,
            Turn(1, Role.TOOL, "two", call_id="b"),
            Turn(2, Role.TOOL, "one", call_id="a"),
        )
    )
    assert transcript.call_sites[1] == CallSite(0, call_turn.call_spans[1])
    assert transcript.call_sites[2].span.of(call_turn.text) == "f(1)"


def test_results_without_ids_take_the_nearest_calls_by_name_then_in_order() -> None:
    call_turn = calling(0, ToolCall("f", "1"), ToolCall("g", "2"), ToolCall("f", "3"))
    transcript = Transcript(
        (
            call_turn,
            Turn(1, Role.TOOL, "x", name="g"),
            Turn(2, Role.TOOL, "y", name="f"),
            Turn(3, Role.TOOL, "z"),
        )
    )
    answered = [transcript.call_sites[i].span.of(call_turn.text) for i in (1, 2, 3)]
    assert answered == ["g(2)", "f(1)", "f(3)"]


def test_an_id_may_return_once_its_call_was_answered() -> None:
    transcript = Transcript(
        (
            calling(0, ToolCall("f", "1", "a")),
            Turn(1, Role.TOOL, "x", call_id="a"),
            calling(2, ToolCall("f", "2", "a")),
            Turn(3, Role.TOOL, "y", call_id="a"),
        )
    )
    assert (transcript.call_sites[1].turn, transcript.call_sites[3].turn) == (0, 2)


def test_an_id_used_twice_while_open_is_refused() -> None:
    with pytest.raises(TranscriptError, match="turn 1 reuses tool call id 'a' of turn 0"):
        Transcript((calling(0, ToolCall("f", "1", "a")), calling(1, ToolCall("f", "2", "a"))))


def test_a_result_that_names_an_unknown_call_is_refused() -> None:
    with pytest.raises(TranscriptError, match="turn 0 answers tool call 'a', which no earlier"):
        Transcript((Turn(0, Role.TOOL, "x", call_id="a"),))


def test_a_user_can_call_a_tool() -> None:
    user = Turn(0, Role.USER, "", (ToolCall("toggle", "{}", "a"),))
    transcript = Transcript((user, Turn(1, Role.TOOL, "ok", call_id="a")))
    assert transcript.call_sites[1].turn == 0
    assert user.is_exogenous


def test_a_summary_is_not_exogenous_whatever_its_role() -> None:
    assert not Turn(0, Role.USER, "So far: …", is_summary=True).is_exogenous


def test_gaps_in_the_numbering_are_refused() -> None:
    with pytest.raises(TranscriptError, match="turn 2 stands at position 1"):
        Transcript((Turn(0, Role.USER, "a"), Turn(2, Role.USER, "b")))


def test_fingerprint_follows_content_not_origin() -> None:
    turns = (Turn(0, Role.USER, "hi"),)
    assert Transcript(turns, origin="a").fingerprint == Transcript(turns, origin="b").fingerprint
    other = (Turn(0, Role.SYSTEM, "hi"),)
    assert Transcript(turns).fingerprint != Transcript(other).fingerprint


def test_merging_spans_keeps_the_characters() -> None:
    assert merge_spans((Span(5, 7), Span(1, 3), Span(2, 4))) == (Span(1, 4), Span(5, 7))


class TestLocating:
    def test_by_text(self, refund: Transcript) -> None:
        target = locate_target(refund, "on its way")
        assert target.turn == 4
        assert target.spans[0].of(refund.turns[4].text) == "on its way"

    def test_default_is_the_whole_last_assistant_turn(self, refund: Transcript) -> None:
        assert locate_target(refund) == Target.whole(refund.turns[4])

    def test_in_an_argument(self, refund: Transcript) -> None:
        target = locate_target(refund, "QX-4471", turn=1)
        assert target.spans[0].of(refund.turns[1].text) == "QX-4471"

    def test_several_turns(self, refund: Transcript) -> None:
        with pytest.raises(AmbiguousSpanError, match="occurs in 2 turns; say which one") as caught:
            locate_target(refund, "full refund")
        assert caught.value.turns == (3, 4)
        assert locate_target(refund, "full refund", turn=3).turn == 3

    def test_nowhere_shows_the_nearest_text(self, refund: Transcript) -> None:
        with pytest.raises(SpanNotFoundError, match=r"the nearest is in turn 4: 'Done\. Your full"):
            locate_target(refund, "Done. The full refund is on the way")

    def test_only_in_a_user_turn(self, refund: Transcript) -> None:
        with pytest.raises(TargetError, match="only in turn 0, a user turn; only assistant turns"):
            locate_target(refund, "My trip is off")

    def test_a_turn_that_is_not_the_assistants(self, refund: Transcript) -> None:
        with pytest.raises(TargetError, match="turn 2 is a tool turn; only assistant turns"):
            locate_target(refund, "yes", turn=2)

    def test_no_such_turn(self, refund: Transcript) -> None:
        with pytest.raises(TargetError, match=r"there is no turn 9; .* has turns 0 to 4"):
            locate_target(refund, turn=9)

    def test_an_assistant_turn_without_text(self) -> None:
        transcript = Transcript((Turn(0, Role.USER, "hi"), Turn(1, Role.ASSISTANT, "  ")))
        with pytest.raises(TargetError, match="turn 1 has no text"):
            locate_target(transcript, turn=1)
        with pytest.raises(TargetError, match="has no assistant turn with text"):
            locate_target(transcript)

    def test_by_characters(self, refund: Transcript) -> None:
        assert locate_target(refund, turn=4, chars=Span(0, 4)).spans == (Span(0, 4),)
        with pytest.raises(TargetError, match="needs the turn"):
            locate_target(refund, chars=Span(0, 4))
        length = len(refund.turns[4].text)
        with pytest.raises(TargetError, match=f"turn 4 has {length} characters"):
            locate_target(refund, turn=4, chars=Span(0, 4000))
        with pytest.raises(TargetError, match="characters 5:6 of turn 4 hold no text"):
            locate_target(refund, turn=4, chars=Span(5, 6))
        with pytest.raises(TargetError, match="read 'Done', not 'Your'"):
            locate_target(refund, "Your", turn=4, chars=Span(0, 4))

    def test_a_huge_line_does_not_stall_the_message(self) -> None:
        turn = Turn(0, Role.ASSISTANT, "x" * 5_000_000)
        with pytest.raises(SpanNotFoundError, match="the nearest is in turn 0"):
            locate_target(Transcript((turn,)), "something else")
