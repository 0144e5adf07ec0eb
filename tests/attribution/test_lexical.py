"""Overlap: rare words decide, and no model is needed for it."""

from __future__ import annotations

from tests.attribution.conversations import tracing
from tests.growth import growth
from tokengeist.api import open_tracer
from tokengeist.attribution.lexical import LexicalAttributor
from tokengeist.segmentation import segment
from tokengeist.transcript import Role, Target, ToolCall, Transcript, Turn, locate_target


def test_rare_words_outweigh_common_ones() -> None:
    chatter = [Turn(i, Role.USER, "the trip is the best") for i in range(20)]
    value = Turn(20, Role.USER, "number QX-4471")
    claim = Turn(21, Role.ASSISTANT, "the number is QX-4471")
    transcript = Transcript((*chatter, value, claim))
    scores = LexicalAttributor().read(transcript, segment(transcript)).score(Target.whole(claim))
    assert scores[20] > scores[0] > 0
    assert all(0 <= score <= 1 for score in scores)


def test_unrelated_text_scores_nothing() -> None:
    transcript = Transcript((Turn(0, Role.USER, "apples"), Turn(1, Role.ASSISTANT, "oranges")))
    reading = LexicalAttributor().read(transcript, segment(transcript))
    assert reading.score(Target.whole(transcript.turns[1])) == [0.0]


def test_the_refund_chain_is_found_without_a_model(refund: Transcript) -> None:
    target = locate_target(refund, "full refund", turn=4)
    graph = open_tracer(refund, backend="lexical").trace(target)
    best = {node.turn: graph.sources_of(node.turn)[:1] for node in graph.nodes}
    assert [best[turn][0].source for turn in (4, 3, 2, 1)] == [3, 2, 1, 0]


def _many_look_ups(count: int) -> Transcript:
    turns: list[Turn] = []
    for number in range(count):
        call = ToolCall("look_up", f'{{"id": "K-{number}"}}', f"c{number}")
        found = f'{{"id": "K-{number}", "v": {number}}}'
        turns += [
            Turn(3 * number, Role.USER, f"Tell me about K-{number}. " * 10),
            Turn(3 * number + 1, Role.ASSISTANT, "One moment.", (call,)),
            Turn(3 * number + 2, Role.TOOL, found, call_id=f"c{number}"),
        ]
    turns.append(Turn(3 * count, Role.ASSISTANT, "K-7 has the value 7, K-0 has 0."))
    return Transcript(tuple(turns))


def test_work_grows_with_the_transcript_and_not_with_its_square() -> None:
    small, large = (tracing("lexical", _many_look_ups(n), "K-7 has the value 7") for n in (20, 80))
    assert growth(small, large) < 10
