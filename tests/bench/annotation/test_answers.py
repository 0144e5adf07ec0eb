"""Reading what models write."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokengeist.bench.annotation.answers import AnswerError, parse_answer
from tokengeist.bench.annotation.graphs import read_graph
from tokengeist.bench.annotation.targets import MOST, Choice, read_choices
from tokengeist.formats import example_path, load

REFUND = load(example_path("refund"))
CHOICE = Choice("qualifies", 3, "you qualify for a full refund")

KEYS = [
    "targets",
    "nodes",
    "turn",
    "depends_on",
    "span",
    "spans",
    "0",
    "1",
    "2",
    "3",
    "ground_truth_deps",
    "dep_type_tags",
    "corrective_turns",
    "comment",
    "name",
    "target_turn_idx",
    "target_text",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": [1]}',
        '```json\n{"nodes": [1]}\n```',
        'Of course! Here it is:\n\n{"nodes": [1]}\n\nI hope that helps {you}.',
        '<think>{"nodes": [2]} or not?</think>{"nodes": [1]}',
        '{"nodes": [1,],}',
        '{"reasoning": "hm"}\n{"nodes": [1]}',
        '[see below] {"nodes": [1]}',
    ],
)
def test_the_object_is_found_wherever_it_stands(text: str) -> None:
    assert parse_answer(text, "nodes") == {"nodes": [1]}


def test_commas_inside_strings_stay() -> None:
    assert parse_answer('{"nodes": [",]", "a,}",],}', "nodes") == {"nodes": [",]", "a,}"]}


def test_a_raw_line_break_inside_a_string_is_taken_as_meant() -> None:
    assert parse_answer('{"nodes": "a\nb"}', "nodes") == {"nodes": "a\nb"}


def test_a_bare_list_is_the_value_of_the_first_key() -> None:
    assert parse_answer('[{"name": "a"}]', "targets") == {"targets": [{"name": "a"}]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("<think>hm</think>", "empty"),
        ("no idea", "holds no JSON object"),
        ('{"nodes": [{"turn": 1, "depends_on": []}', "not valid JSON"),
        ('{"answer": 1}', "has no 'nodes'"),
        ('{"nodes": ' + "[" * 100_000, "nested too deeply|not valid JSON"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        parse_answer(text, "nodes")


@given(st.text() | JSON.map(json.dumps))
def test_no_answer_breaks_the_reading(text: str) -> None:
    choices = read_choices(text, REFUND)
    assert choices.good or choices.complaints
    graph = read_graph(text, CHOICE, REFUND)
    assert (graph.target is None) == bool(graph.complaints)


@given(JSON, JSON, JSON, JSON)
def test_no_parts_of_a_graph_break_the_reading(
    nodes: Any, tags: Any, comment: Any, corrective: Any
) -> None:
    parts = {"dep_type_tags": tags, "comment": comment, "corrective_turns": corrective}
    for key in ("nodes", "ground_truth_deps"):
        graph = read_graph(json.dumps({key: nodes} | parts), CHOICE, REFUND)
        assert (graph.target is None) == bool(graph.complaints)


def test_a_quotation_that_is_not_verbatim_is_answered_with_the_nearest_text() -> None:
    answer = {
        "comment": "",
        "dep_type_tags": ["direct"],
        "nodes": [
            {"turn": 3, "depends_on": [{"turn": 0, "span": "money back for the order QX-4471"}]},
            {"turn": 0, "depends_on": []},
        ],
    }
    (complaint,) = read_graph(json.dumps(answer), CHOICE, REFUND).complaints
    assert complaint.startswith("turn 3: the span of turn 0 is not verbatim")
    assert "the nearest text there is" in complaint
    assert "QX-4471" in complaint.split("nearest")[1]


def choice(name: str, turn: int, text: str) -> dict[str, Any]:
    return {"name": name, "target_turn_idx": turn, "target_text": text}


def test_good_spans_survive_bad_neighbours() -> None:
    raw = [
        choice("Order Id!", 1, "QX-4471"),
        choice("order id", 3, "economy"),
        choice("same_again", 1, "QX-4471"),
        choice("a_tool_turn", 2, "286.40"),
        choice("elsewhere", 9, "x"),
        choice("invented", 4, "the moon"),
        {"name": "no_text", "target_turn_idx": 1},
    ]
    found = read_choices(json.dumps({"targets": raw}), REFUND)
    assert [c.name for c in found.good] == ["order_id"]
    reasons = [r.reason for r in found.refused]
    assert "is taken" in reasons[0]
    assert "picked already" in reasons[1]
    assert "only assistant turns" in reasons[2]
    assert "no turn 9" in reasons[3]
    assert "occurs in no assistant turn" in reasons[4]
    assert "'target_text' is missing" in reasons[5]
    assert not found.is_usable


def test_too_many_spans_are_cut_and_too_few_are_only_complained_of() -> None:
    words = REFUND.turns[3].text.split()[: MOST + 1]
    many = [choice(f"w{n}", 3, word) for n, word in enumerate(dict.fromkeys(words))]
    found = read_choices(json.dumps({"targets": many}), REFUND)
    assert len(found.good) == MOST
    assert len(found.refused) == len(many) - MOST
    few = read_choices(json.dumps({"targets": many[:2]}), REFUND)
    assert few.is_usable
    assert few.complaints == ("there are 2 spans; pick 5 to 8",)
