"""Redaction: nothing gets out, the same value reads the same, and evidence stays in its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import growth
from tests.strategies import traceable_transcripts
from tokengeist.api import open_tracer
from tokengeist.attribution.protocol import AttributorSpec, Unit, Verdict
from tokengeist.errors import TokengeistError
from tokengeist.export.redaction import Redaction, redacted_text
from tokengeist.formats import example_path, load
from tokengeist.graph import Node, ProvenanceGraph
from tokengeist.tracer import collect
from tokengeist.transcript import Role, Span, Target, ToolCall, Transcript, Turn, locate_target

MAIL = "ilse.brandt@example.org"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"write to {MAIL}.", "write to [email-1]."),
        ("card 4111 1111 1111 1111 please", "card [card-1] please"),
        ("card 4111-1111-1111-1111", "card [card-1]"),
        ("order 4111111111111112", "order 4111111111111112"),  # no check digit, no card
        ("key sk-abcdefghijklmnopqrstuvwx", "key [key-1]"),
        ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer [key-1]"),
        ('{"password": "hunter2"}', '{"password": "[key-1]"}'),
        ('{"password":"hunter2","user":"ann"}', '{"password":"[key-1]","user":"ann"}'),
        ('{"db_password" :\n"hunter2"}', '{"db_password" :\n"[key-1]"}'),
        ("{'password': 'hunter2', 'n': 1}", "{'password': '[key-1]', 'n': 1}"),
        ('login(password="hunter2", n=1)', 'login(password="[key-1]", n=1)'),
        ('{"apiKey":"abcd1234efgh"}', '{"apiKey":"[key-1]"}'),
        (r'{"password":"a\"b\\","user":"ann"}', r'{"password":"[key-1]\\","user":"ann"}'),
        (r'"{\"password\":\"a b\",\"n\":1}"', r'"{\"password\":\"[key-1]\",\"n\":1}"'),
        (r'"{\"password\":\"a\\\"b\",\"n\":1}"', r'"{\"password\":\"[key-1]\",\"n\":1}"'),
        ('{"password":"","user":"ann"}', '{"password":"","user":"ann"}'),
        ('{"password":"cut off he', '{"password":"[key-1]'),
        (r'{"text":"key:\nsk-abcdefghijklmnopqrst"}', r'{"text":"key:\n[key-1]"}'),
        (r'{"text":"card:\n4111 1111 1111 1111"}', r'{"text":"card:\n[card-1]"}'),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "[key-1]"),
        ("nothing to see, 12 CHF on 2031-03-15", "nothing to see, 12 CHF on 2031-03-15"),
    ],
)
def test_what_is_found(text: str, redacted: str) -> None:
    """The kinds that are known without being told."""
    assert redacted_text(text, Redaction()) == redacted


@pytest.mark.parametrize("run", ["0a", "a.", "eyJ-", "sk-", "1-", 'password="', "password\\\\"])
def test_work_grows_with_the_text(run: str) -> None:
    def finding(count: int) -> Callable[[], object]:
        text = run * count
        return lambda: Redaction().found(text)

    assert growth(finding(4000), finding(20_000)) < 12


def test_given_patterns() -> None:
    """Whatever else a user wants out."""
    assert redacted_text("booking OB-7314", Redaction((r"OB-\d+",))) == "booking [redacted-1]"


def test_values_that_overlap_go_together() -> None:
    """The end of the second is no less secret than that of the first."""
    redaction = Redaction((r"Mia \w+", r"\w+ Brandt"))
    assert redacted_text("for Mia Ilse Brandt, Zug", redaction) == "for [redacted-1], Zug"


def test_a_pattern_that_is_none() -> None:
    """A typing error is named."""
    with pytest.raises(TokengeistError, match="no regular expression"):
        Redaction(("(",))


def test_one_value_has_one_placeholder_in_content_and_calls() -> None:
    """A chain that carries an address can still be followed."""
    transcript = Transcript(
        (
            Turn(0, Role.USER, f"I am {MAIL}."),
            Turn(1, Role.ASSISTANT, "", (ToolCall("find", f'{{"mail": "{MAIL}"}}', "c"),)),
            Turn(2, Role.TOOL, f'{{"mail": "{MAIL}", "other": "x@y.example"}}', call_id="c"),
        )
    )
    redacted = Redaction().apply(transcript).transcript
    assert [turn.text for turn in redacted.turns] == [
        "I am [email-1].",
        'find({"mail": "[email-1]"})',
        '{"mail": "[email-1]", "other": "[email-2]"}',
    ]


def test_names_are_texts_as_well() -> None:
    """Of who speaks and of what is called; a result still finds the call of the same name."""
    calls = (ToolCall("look_up", "{}"), ToolCall(f"ask {MAIL}", f'{{"to":"{MAIL}","n":"x@y.eu"}}'))
    transcript = Transcript(
        (
            Turn(0, Role.USER, "Ask her.", name=MAIL),
            Turn(1, Role.ASSISTANT, "I do.", calls),
            Turn(2, Role.TOOL, "yes", name=f"ask {MAIL}"),
        )
    )
    redacted = Redaction().apply(transcript)
    turns = redacted.transcript.turns
    assert [turn.name for turn in turns] == ["[email-1]", None, "ask [email-1]"]
    assert turns[1].text == 'I do.\nlook_up({})\nask [email-1]({"to":"[email-1]","n":"[email-2]"})'
    (called,) = redacted.spans(1, transcript.turns[1].call_spans[1:])
    assert called == turns[1].call_spans[1]
    assert redacted.transcript.call_sites[2].span == called
    n = transcript.turns[1].text.index('"n"')
    assert redacted.spans(1, (Span(n, n + 3),))[0].of(turns[1].text) == '"n"'


def test_spans_move_with_the_text() -> None:
    """Before, at, inside, across and after a replaced value."""
    text = f"mail {MAIL} or call 555"
    transcript = Transcript((Turn(0, Role.USER, text), Turn(1, Role.ASSISTANT, "call 555")))
    tracer = open_tracer(transcript, backend="lexical")
    graph = tracer.trace(Target(1, (Span(0, 8),)))
    redacted = Redaction().apply(transcript)
    moved = redacted.graph(graph)
    shown = redacted.transcript.turns[0].text
    assert shown == "mail [email-1] or call 555"
    assert [span.of(shown) for span in moved.nodes[-1].spans] == [shown]
    (moves,) = redacted._moves[:1]
    at = text.index(MAIL)
    for span, expected in [
        (Span(0, 4), "mail"),
        (Span(at, at + len(MAIL)), "[email-1]"),
        (Span(at + 3, at + 9), "[email-1]"),
        (Span(0, at + 2), "mail [email-1]"),
        (Span(text.index("call"), len(text)), "call 555"),
        (Span(at + len(MAIL), len(text)), " or call 555"),
    ]:
        assert moves.span(span).of(shown) == expected


@given(traceable_transcripts(), st.sampled_from(["a", "[0-9]+", r"\w+@\w+", " "]))
def test_a_graph_survives_redaction(transcript: Transcript, pattern: str) -> None:
    """Whatever is replaced, spans stay inside their turns and no edge is lost."""
    target = Target.whole(transcript.turns[-1])
    tracer = open_tracer(transcript, backend="lexical")
    steps = tuple(tracer.steps(target))
    graph = collect(tracer, target, steps)
    redacted = Redaction((pattern,)).apply(transcript)
    moved = redacted.graph(graph)
    assert [(e.dependent, e.source, e.score) for e in moved.edges] == [
        (e.dependent, e.source, e.score) for e in graph.edges
    ]
    for node in moved.nodes:
        assert all(s.end <= len(redacted.transcript.turns[node.turn].text) for s in node.spans)
    assert len(redacted.steps(steps)) == len(steps)


def test_what_goes_with_a_graph_is_rewritten() -> None:
    """The method's paths, and a note that quotes more than the texts that it is about."""
    transcript = Transcript((Turn(0, Role.USER, f"I am {MAIL}."), Turn(1, Role.ASSISTANT, "Hi.")))
    target = Target.whole(transcript.turns[1])
    graph = ProvenanceGraph(
        target,
        (Node(1, Role.ASSISTANT, 0, target.spans),),
        (),
        AttributorSpec("at2", f"/home/{MAIL}/model", {"probe": f"/home/{MAIL}/probe", "seed": 1}),
        units=(Unit(1, Span(0, 2), Verdict.DERIVED, note=f"said to {MAIL}"),),
    )
    moved = Redaction().apply(transcript).graph(graph)
    assert moved.spec.model == "/home/[email-1]/model"
    assert moved.spec.options == {"probe": "/home/[email-1]/probe", "seed": 1}
    assert moved.units[0].note == "said to [email-1]"


def test_notes_do_not_quote_what_was_taken_out() -> None:
    """A verdict's note shows the sum; of amounts that were taken out, there is nothing to show."""
    transcript = load(example_path("observatory"))
    tracer = open_tracer(transcript)
    target = locate_target(transcript, "48 CHF remain")
    graph = collect(tracer, target, tuple(tracer.steps(target)))
    assert "144 - 96" in [unit.note for unit in graph.units]
    untouched = Redaction().apply(transcript).graph(graph)
    assert [unit.note for unit in untouched.units] == [unit.note for unit in graph.units]
    redacted = Redaction((r"\d+(?:\.\d+)?",)).apply(transcript).graph(graph)
    assert [unit.note for unit in redacted.units if unit.note] == []
