"""Transcripts of any format become benchmark conversations without losing a character."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from tests.strategies import transcripts
from tokengeist.bench.annotation.gather import gather
from tokengeist.bench.dataset import parse_conversation
from tokengeist.bench.messages import messages
from tokengeist.errors import FormatError, RunError, TokengeistWarning
from tokengeist.formats import dumps, example_path, load
from tokengeist.transcript import Role, Transcript, Turn


@given(transcripts())
def test_messages_say_what_the_transcript_says(transcript: Transcript) -> None:
    data = json.dumps({"id": "x", "messages": messages(transcript)}).encode()
    try:
        again = parse_conversation(data, id="x", origin="x")
    except FormatError:
        return  # results without a call: `gather` leaves such transcripts out and says so
    same = [(turn.role, turn.text, turn.name) for turn in again.turns]
    assert same == [(turn.role, turn.text, turn.name) for turn in transcript.turns]
    assert again.call_sites == transcript.call_sites


def test_a_folder_of_transcripts_becomes_a_benchmark_folder(tmp_path: Path) -> None:
    source = tmp_path / "in"
    (source / "deeper").mkdir(parents=True)
    refund = load(example_path("refund"))
    (source / "one.json").write_text(dumps(Transcript(refund.turns, id="a/b:c")), "utf-8")
    (source / "deeper" / "two.json").write_text(
        dumps(Transcript(refund.turns, id="a b c")), "utf-8"
    )
    (source / "broken.json").write_text("{", "utf-8")
    (source / "notes.txt").write_text("hello", "utf-8")
    with pytest.warns(TokengeistWarning, match=r"left out: .*broken\.json"):
        dataset = gather(source, tmp_path / "out")
    assert dataset.ids == ("a-b-c", "a-b-c-2")
    assert dataset.transcript("a-b-c-2").turns[4].text == refund.turns[4].text
    with pytest.warns(TokengeistWarning):
        assert gather(source, tmp_path / "out").ids == dataset.ids


def test_what_chat_messages_cannot_say_is_left_out(tmp_path: Path) -> None:
    turns = (Turn(0, Role.USER, "so far: …", is_summary=True), Turn(1, Role.ASSISTANT, "yes"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.json").write_text(dumps(Transcript(turns, id="t")), "utf-8")
    good = load(example_path("refund"))
    (tmp_path / "in" / "u.json").write_text(dumps(good), "utf-8")
    with pytest.warns(TokengeistWarning, match="compaction summaries"):
        dataset = gather(tmp_path / "in", tmp_path / "out")
    assert dataset.ids == ("refund",)


def test_a_transcript_that_changed_is_not_mixed_with_old_annotations(tmp_path: Path) -> None:
    source = tmp_path / "t.json"
    refund = load(example_path("refund"))
    source.write_text(dumps(refund), "utf-8")
    gather(source, tmp_path / "out")
    source.write_text(dumps(Transcript(refund.turns[:4], id="refund")), "utf-8")
    with pytest.raises(RunError, match="another version"):
        gather(source, tmp_path / "out")


def test_places_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="--out"):
        gather(tmp_path, None)
    with pytest.raises(RunError, match="there is no"):
        gather(tmp_path / "nowhere", tmp_path / "out")
    with pytest.raises(RunError, match="holds no transcript"):
        gather(tmp_path, tmp_path / "out")
    (tmp_path / "conversations").mkdir()
    with pytest.raises(RunError, match="annotated where it is"):
        gather(tmp_path, tmp_path / "out")
