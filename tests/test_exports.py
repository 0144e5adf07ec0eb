"""What people and other programs see of a graph."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given

from tests.strategies import texts
from tests.test_tracer import REFUND_SCORES, trace
from tokengeist.attribution.protocol import Unit, Verdict
from tokengeist.export.dot import to_dot
from tokengeist.export.mermaid import to_mermaid
from tokengeist.export.terminal import excerpt, printable, summary, tree, verdicts
from tokengeist.extraction import prune
from tokengeist.tracer import TraceOptions
from tokengeist.transcript import Role, Span, ToolCall, Transcript, Turn


def test_the_tree_reads_from_claim_to_source(refund: Transcript) -> None:
    drawn = tree(prune(trace(refund, REFUND_SCORES)), refund, width=120).plain.splitlines()
    assert drawn == [
        "turn 4 · assistant  “Done. Your full refund is on its way, and there is nothing else you "
        "need to do.”",
        "└── 0.60 turn 3 · assistant  “Your economy fare is refundable only with insurance.”",
        '    └── 0.50 turn 2 · tool look_up_order  “"order_id": "QX-4471"”',
        '        └╌╌ call turn 1 · assistant  “look_up_order({"order_id": "QX-4471"})”',
        "            └── 0.70 turn 0 · user ■ source  “My trip is off.”",
    ]


def test_a_turn_reached_twice_is_spelled_out_once(refund: Transcript) -> None:
    scores = {4: {3: 1.0, 2: 1.0}, 3: {2: 1.0}, 1: {0: 1.0}}
    drawn = tree(trace(refund, scores), refund).plain
    assert drawn.count("turn 2") == 2
    assert drawn.count("turn 1") == 1
    assert drawn.count("↑ above") == 1


def test_ends_are_named(refund: Transcript) -> None:
    assert "✗ unsupported" in tree(trace(refund, {}), refund).plain
    flat = trace(refund, REFUND_SCORES, TraceOptions(max_depth=1))
    assert "… depth limit" in tree(flat, refund).plain


def test_verdicts_say_what_each_value_rests_on(refund: Transcript) -> None:
    graph = replace(
        trace(refund, {}),
        units=(
            Unit(4, Span(11, 22), Verdict.DERIVED, ((2, Span(1, 22)),), "as insured"),
            Unit(4, Span(0, 4), Verdict.UNSUPPORTED),
        ),
    )
    assert verdicts(graph, refund).plain.splitlines() == [
        '≈ derived “full refund”  as insured: turn 2 “"order_id": "QX-4471"”',
        "✗ unsupported “Done”",
    ]


def test_the_summary_names_the_method_and_says_it_is_no_proof(refund: Transcript) -> None:
    assert summary(trace(refund, {})) == (
        "scripted, no model. Scores say what the attribution method finds salient; "
        "they are not proof."
    )


@given(texts)
def test_nothing_printable_commands_a_terminal(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert all(c in "\n\t" or c.isprintable() for c in shown)


def test_bidirectional_controls_are_made_visible() -> None:
    assert printable("a\u202eb\u2066c\x9bd\u00a0e") == "a�b�c�d e"


def test_excerpts_are_short_even_of_long_text() -> None:
    assert excerpt("word " * 1_000_000, 20) == "word word word word…"
    assert excerpt("short", 20) == "short"


HOSTILE = Transcript(
    (
        Turn(0, Role.USER, 'a"]; click t0 "javascript:alert(1)" <script>\x1b[31m\\'),
        Turn(1, Role.ASSISTANT, "", (ToolCall('f"x', '{"k": "]]-->"}', "a"),)),
        Turn(2, Role.ASSISTANT, 'end "quoted" \\'),
    )
)
HOSTILE_SCORES = {2: {1: 1.0, 0: 1.0}, 1: {0: 0.5}}


def test_mermaid_escapes_whatever_is_markup() -> None:
    drawn = to_mermaid(trace(HOSTILE, HOSTILE_SCORES), HOSTILE)
    labels = [line for line in drawn.splitlines() if "<br/>" in line]
    assert len(labels) == 3
    for label in labels:
        inside = label.split('"')[1].replace("<br/>", "")
        assert not set(inside) & set('<>"[](){}\\\x1b')
    assert "t2 -->|1.00| t1" in drawn


def test_mermaid_dots_structural_edges(refund: Transcript) -> None:
    assert "t2 -.-> t1" in to_mermaid(trace(refund, REFUND_SCORES), refund)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_dot_is_understood_by_graphviz() -> None:
    source = to_dot(trace(HOSTILE, HOSTILE_SCORES), HOSTILE)
    drawn = subprocess.run(
        ["dot", "-Tplain"], input=source, capture_output=True, text=True, check=True
    )
    assert drawn.stdout.count("\nedge ") == 3


def test_dot_dashes_structural_edges_and_quotes(refund: Transcript) -> None:
    drawn = to_dot(trace(refund, REFUND_SCORES), refund)
    assert "t2 -> t1 [style=dashed];" in drawn
    hostile = to_dot(trace(HOSTILE, HOSTILE_SCORES), HOSTILE)
    assert r"end \"quoted\" \\" in hostile
