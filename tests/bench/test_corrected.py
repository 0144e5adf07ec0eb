"""Hallucinations put right: patches, the folder that comes of them, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.annotation.servers import RECORDED
from tokengeist.bench.corrected import (
    TargetPatch,
    corrected,
    propose_patches,
    read_patches,
    write_corrected,
    write_patches,
)
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.validation import validate
from tokengeist.errors import DatasetError

BEFORE = "Your full refund is on its way"
AFTER = "You qualify for a full refund, which has not been made yet"
PATCH = TargetPatch("refund", "refund_on_its_way", BEFORE, AFTER, "no refund was made")


@pytest.fixture
def recorded() -> Dataset:
    return Dataset(RECORDED)


def test_every_hallucination_is_proposed_and_only_filled_in_ones_are_applied(
    recorded: Dataset, tmp_path: Path
) -> None:
    found = list(propose_patches(recorded))
    assert [(p.conversation, p.target, p.before) for p in found] == [
        ("refund", "refund_on_its_way", BEFORE)
    ]
    write_patches(found, tmp_path / "patches.json")
    assert read_patches(tmp_path / "patches.json") == found
    assert list(corrected(recorded, found)) == []


def test_a_corrected_target_stands_in_its_conversation(recorded: Dataset, tmp_path: Path) -> None:
    assert write_corrected(corrected(recorded, [PATCH]), tmp_path) == 1
    made = Dataset(tmp_path)
    assert made.ids == ("refund--refund_on_its_way",)
    assert not [p for p in validate(made) if not p.is_advice]
    conversation = made.conversation(made.ids[0])
    (target,) = conversation.targets
    old = recorded.transcript("refund")
    assert target.corrected_from == BEFORE
    assert target.span.of(conversation.transcript.turns[4].text) == AFTER
    assert target.tags == ("chained",)
    texts = [turn.text for turn in conversation.transcript.turns]
    assert texts[:4] == [turn.text for turn in old.turns[:4]]
    assert texts[4] == old.turns[4].text.replace(BEFORE, AFTER)
    assert BEFORE in recorded.transcript("refund").turns[4].text  # the original is untouched


def test_a_patch_may_say_where_the_right_value_comes_from(recorded: Dataset) -> None:
    deps = {
        "4": {"depends_on": [0], "spans": {"0": "order QX-4471"}},
        "0": {"depends_on": [], "spans": {}},
    }
    (made,) = corrected(recorded, [replace(PATCH, ground_truth_deps=deps)])
    assert made.targets[0].tags == ("direct",)
    assert made.targets[0].nodes == (4, 0)


def test_an_argument_can_be_corrected(recorded: Dataset) -> None:
    patch = TargetPatch("observatory", "charge_argument", "60.0", "72.5")
    (made,) = corrected(recorded, [patch])
    turn = made.transcript.turns[10]
    assert json.loads(turn.calls[0].arguments)["charge"] == 72.5


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (replace(PATCH, before="something else"), "not what its correction says"),
        (replace(PATCH, after=" "), "cannot be replaced"),
        (replace(PATCH, ground_truth_deps={}), "missing from 'ground_truth_deps'"),
        (
            replace(PATCH, ground_truth_deps={"4": {"depends_on": [], "spans": {}}}),
            "depends on nothing",
        ),
    ],
)
def test_patches_that_do_not_fit_are_refused(
    recorded: Dataset, patch: TargetPatch, message: str
) -> None:
    with pytest.raises(DatasetError, match=message):
        list(corrected(recorded, [patch]))


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "patches.json").write_text('[{"x": 1}]', "utf-8")
    with pytest.raises(DatasetError, match="no list of corrected targets"):
        read_patches(tmp_path / "patches.json")
