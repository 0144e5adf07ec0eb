"""Benchmark folders: reading them, and gold in both of its forms."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tokengeist.bench.dataset import (
    Conversation,
    Dataset,
    GoldForm,
    gold_json,
    parse_gold,
    write_gold,
)
from tokengeist.errors import DatasetError, TokengeistError
from tokengeist.transcript import Role, Span, Transcript, Turn


def test_a_folder_is_read_one_conversation_at_a_time(dataset: Dataset) -> None:
    conversations = iter(dataset)
    dataset.conversation_path("c1").write_text("not JSON")  # nobody has looked at it yet
    first = next(conversations)
    assert first.id == "c0"
    assert [target.name for target in first.targets] == ["hall", "two_people", "order_argument"]
    with pytest.raises(TokengeistError, match="not JSON"):
        next(conversations)


def test_a_gold_graph_knows_its_leaves_and_depths(dataset: Dataset) -> None:
    hall, two_people, argument = dataset.conversation("c0").targets
    assert (hall.depth, two_people.depth, argument.depth) == (5, 3, 1)
    assert two_people.leaves == {0, 1}
    assert two_people.distances == {6: 0, 3: 1, 0: 1, 2: 2, 1: 3}
    assert hall.sources[4] == (3,)


def test_a_folder_without_conversations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no benchmark folder"):
        Dataset(tmp_path)


def test_a_conversation_under_another_name_is_refused(dataset: Dataset) -> None:
    path = dataset.conversation_path("c0")
    path.write_text(path.read_text().replace('"c0"', '"c9"'))
    with pytest.raises(DatasetError, match="'c0'; it holds 'c9'"):
        dataset.conversation("c0")


def test_a_missing_gold_file_is_named(dataset: Dataset) -> None:
    dataset.gold_path("c3").unlink()
    with pytest.raises(DatasetError, match=r"c3\.json cannot be read: No such file"):
        dataset.conversation("c3")


def test_offsets_quote_nothing_and_lose_only_comments(dataset: Dataset, tmp_path: Path) -> None:
    assert write_gold(dataset, tmp_path / "offsets", GoldForm.OFFSETS) == 6
    text = (tmp_path / "offsets" / "c0.json").read_text()
    for secret in ("K-700", "north", "two people", "B0"):
        assert secret not in text
    for path in (tmp_path / "offsets").glob("*.json"):
        path.rename(dataset.folder / "gold" / path.name)
    there = [replace(target, comment="") for target in _fresh("c0", tmp_path).targets]
    assert list(dataset.conversation("c0").targets) == there


def _fresh(id: str, tmp_path: Path) -> Conversation:
    from tests.bench.worlds import make_dataset

    return Dataset(make_dataset(tmp_path / "again", [id])).conversation(id)


@pytest.mark.parametrize("form", list(GoldForm))
def test_every_real_graph_survives_both_forms(mtca_dev: Dataset, form: GoldForm) -> None:
    for conversation in mtca_dev:
        data = json.dumps(gold_json(conversation, form)).encode()
        again = parse_gold(data, conversation.transcript, file="x.json")
        comments = [t.comment if form is GoldForm.QUOTED else "" for t in conversation.targets]
        expected = [
            replace(target, comment=comment)
            for target, comment in zip(conversation.targets, comments, strict=True)
        ]
        assert list(again.targets) == expected


def test_a_later_occurrence_keeps_its_place_in_the_quoted_form(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    (target, *_) = conversation.targets
    text = conversation.transcript.turns[target.turn].text
    moved = replace(target, span=Span(text.rindex("e"), text.rindex("e") + 1))
    raw = gold_json(Conversation(conversation.transcript, (moved,)))
    assert raw["targets"][0]["target_text"] == "e"
    again = parse_gold(json.dumps(raw).encode(), conversation.transcript, file="x.json")
    assert again.targets == (moved,)


def test_offsets_into_a_changed_conversation_are_refused(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    data = json.dumps(gold_json(conversation, GoldForm.OFFSETS)).encode()
    turns = conversation.transcript.turns
    longer = (*turns[:-1], Turn(6, Role.ASSISTANT, turns[6].content + "!"))
    with pytest.raises(DatasetError, match="another version"):
        parse_gold(data, Transcript(longer, id="c0"), file="x.json")


def test_the_digest_follows_the_content(dataset: Dataset) -> None:
    before = dataset.digest()
    assert Dataset(dataset.folder).digest() == before
    path = dataset.gold_path("c5")
    path.write_text(path.read_text() + " ")
    assert dataset.digest() != before
