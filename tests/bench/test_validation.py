"""Every rule of the annotation protocol, broken on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.gold import Problem
from tokengeist.bench.validation import validate

Gold = dict[str, Any]
HANDWRITTEN = Path(__file__).parents[2] / "benchmarks" / "handwritten"


def deps(gold: Gold, target: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = gold["targets"][target]["ground_truth_deps"]
    return found


def problems(dataset: Dataset, spoil: Callable[[Gold], object]) -> list[Problem]:
    path = dataset.gold_path("c2")
    gold = json.loads(path.read_text())
    spoil(gold)
    path.write_text(json.dumps(gold))
    return [problem for problem in validate(dataset) if not problem.is_advice]


def test_annotated_conversations_pass(dataset: Dataset) -> None:
    assert [problem for problem in validate(dataset) if not problem.is_advice] == []


def test_real_annotations_pass(mtca_dev: Dataset) -> None:
    assert list(validate(mtca_dev)) == []


@pytest.mark.parametrize(
    ("name", "conversations"),
    [("eight", 8), ("nine", 9), ("twelve", 12)]
    + [(name, 10) for name in ("ten", "fifth", "sixth", "service", "mixed", "desks", "tasks")],
)
def test_handwritten_annotations_pass(name: str, conversations: int) -> None:
    dataset = Dataset(HANDWRITTEN / name)

    assert len(dataset.ids) == conversations
    assert list(validate(dataset)) == []


def drop_root(gold: Gold) -> None:
    del deps(gold)["6"]


def forward_edge(gold: Gold) -> None:
    deps(gold)["2"] = {"depends_on": [4], "spans": {"4": "find_shelf"}}


def flattened_tool_chain(gold: Gold) -> None:
    deps(gold)["5"] = {"depends_on": [4, 1], "spans": {"4": "find_shelf", "1": "order"}}


def stops_at_the_call(gold: Gold) -> None:
    deps(gold)["2"] = {"depends_on": [], "spans": {}}
    del deps(gold)["1"]


def user_depends_on_something(gold: Gold) -> None:
    deps(gold)["1"] = {"depends_on": [0], "spans": {"0": "warehouse"}}
    deps(gold)["0"] = {"depends_on": [], "spans": {}}


def unreachable_turn(gold: Gold) -> None:
    deps(gold, 2)["0"] = {"depends_on": [], "spans": {}}


def not_verbatim(gold: Gold) -> None:
    deps(gold)["5"]["spans"]["4"] = "find shelf"


def no_span(gold: Gold) -> None:
    deps(gold)["5"]["spans"] = {}


def span_of_a_stranger(gold: Gold) -> None:
    deps(gold)["5"]["spans"]["1"] = "order"


def no_entry(gold: Gold) -> None:
    del deps(gold)["1"]


def wrong_target_text(gold: Gold) -> None:
    gold["targets"][0]["target_text"] = "south hall"


def target_in_a_tool_turn(gold: Gold) -> None:
    gold["targets"][0] |= {"target_turn_idx": 5, "target_text": "north"}
    del deps(gold)["6"]


def target_beyond_the_end(gold: Gold) -> None:
    gold["targets"][0]["target_turn_idx"] = 7


def both_base_tags(gold: Gold) -> None:
    gold["targets"][0]["dep_type_tags"] = ["direct", "chained"]


def base_tag_against_depth(gold: Gold) -> None:
    gold["targets"][0]["dep_type_tags"] = ["direct"]


def multi_source_without(gold: Gold) -> None:
    gold["targets"][0]["dep_type_tags"].append("multi_source")


def multi_source_left_out(gold: Gold) -> None:
    gold["targets"][1]["dep_type_tags"].remove("multi_source")


def diamond_without(gold: Gold) -> None:
    gold["targets"][0]["dep_type_tags"].append("diamond")


def unknown_tag(gold: Gold) -> None:
    gold["targets"][0]["dep_type_tags"].append("triangle")


def same_name(gold: Gold) -> None:
    gold["targets"][1]["name"] = "hall"


def repeated_dependency(gold: Gold) -> None:
    deps(gold)["5"]["depends_on"] = [4, 4]


def rests_on_nothing(gold: Gold) -> None:
    gold["targets"][2]["ground_truth_deps"] = {"2": {"depends_on": [], "spans": {}}}


@pytest.mark.parametrize(
    ("spoil", "rule", "target", "turn"),
    [
        (drop_root, "root", "hall", None),
        (forward_edge, "backward", "hall", 2),
        (flattened_tool_chain, "tool", "hall", 5),
        (stops_at_the_call, "leaf", "hall", 2),
        (user_depends_on_something, "leaf", "hall", 1),
        (unreachable_turn, "reachable", "order_argument", 0),
        (not_verbatim, "span", "hall", 5),
        (no_span, "span", "hall", 5),
        (span_of_a_stranger, "span", "hall", 5),
        (no_entry, "node", "hall", 2),
        (wrong_target_text, "target", "hall", 6),
        (target_in_a_tool_turn, "target", "hall", 5),
        (target_beyond_the_end, "target", "hall", None),
        (both_base_tags, "base tag", "hall", None),
        (base_tag_against_depth, "base tag", "hall", None),
        (multi_source_without, "multi_source", "hall", None),
        (multi_source_left_out, "multi_source", "two_people", None),
        (diamond_without, "diamond", "hall", None),
        (unknown_tag, "tags", "hall", None),
        (same_name, "form", "hall", None),
        (repeated_dependency, "form", "hall", 5),
        (rests_on_nothing, "root", "order_argument", 2),
    ],
)
def test_a_broken_rule_is_named_with_file_target_and_turn(
    dataset: Dataset, spoil: Callable[[Gold], object], rule: str, target: str, turn: int | None
) -> None:
    found = problems(dataset, spoil)
    assert (rule, target, turn) in [(p.rule, p.target, p.turn) for p in found]
    assert {p.file for p in found} == {str(dataset.gold_path("c2"))}
    said = str(found[0])
    assert "c2.json" in said
    assert f"target '{target}'" in said


def test_an_invention_may_rest_on_nothing(dataset: Dataset) -> None:
    def spoil(gold: Gold) -> None:
        rests_on_nothing(gold)
        gold["targets"][2]["dep_type_tags"].append("hallucination")

    assert problems(dataset, spoil) == []


def test_every_mistake_of_a_target_is_reported_at_once(dataset: Dataset) -> None:
    def spoil(gold: Gold) -> None:
        not_verbatim(gold)
        deps(gold)["4"]["spans"]["3"] = "nowhere"

    assert [(p.rule, p.turn) for p in problems(dataset, spoil)] == [("span", 5), ("span", 4)]


def test_files_come_in_pairs(dataset: Dataset) -> None:
    dataset.gold_path("c0").unlink()
    dataset.conversation_path("c5").unlink()
    found = list(validate(Dataset(dataset.folder)))
    assert [(p.rule, p.file.rsplit("/", 1)[1]) for p in found if not p.is_advice] == [
        ("pair", "c0.json"),
        ("pair", "c5.json"),
    ]


def test_a_file_that_is_no_json_is_a_problem_and_not_a_crash(dataset: Dataset) -> None:
    dataset.gold_path("c0").write_text("{")
    dataset.conversation_path("c1").write_bytes(b"\xff\xfe\x00")
    found = [p for p in validate(dataset) if not p.is_advice]
    assert [p.rule for p in found] == ["form", "form"]
    assert "c0.json" in found[0].file
    assert "c1.json" in found[1].file


def test_a_diamond_needs_two_ways_that_share_nothing(dataset: Dataset) -> None:
    def spoil(gold: Gold) -> None:
        # 6 rests on 5 (by way of 4) and on 3; both lead to turn 1, but both through turn 3.
        deps(gold)["6"] = {"depends_on": [5, 3], "spans": {"5": "north", "3": "55"}}

    assert problems(dataset, spoil) == []

    def spread(gold: Gold) -> None:
        # Now turn 4 takes its argument from the user as well: 6-5-4-1 and 6-3-2-1 are separate.
        deps(gold)["4"] = {"depends_on": [3, 1], "spans": {"3": "B2", "1": "order"}}

    assert [p.rule for p in problems(dataset, spread)] == ["diamond"]


def test_recommendations_are_advice_only(dataset: Dataset) -> None:
    advice = [problem for problem in validate(dataset) if problem.is_advice]
    assert len(advice) == len(dataset)
    assert "3 targets; the protocol asks for 5 to 8" in advice[0].message
