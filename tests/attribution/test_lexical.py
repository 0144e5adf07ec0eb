"""Overlap: rare words decide, and no model is needed for it."""

from __future__ import annotations

import time

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


def test_sixty_turns_are_no_work_at_all() -> None:
    """Not a benchmark: only a guard against doing something quadratic by mistake."""
    turns: list[Turn] = []
    for index in range(0, 60, 3):
        call = ToolCall("look_up", f'{{"id": "K-{index}"}}', f"c{index}")
        turns += [
            Turn(index, Role.USER, f"Tell me about K-{index}. " * 10),
            Turn(index + 1, Role.ASSISTANT, "One moment.", (call,)),
            Turn(index + 2, Role.TOOL, f'{{"id": "K-{index}", "v": {index}}}', call_id=f"c{index}"),
        ]
    turns.append(Turn(60, Role.ASSISTANT, "K-57 has the value 57, K-0 has 0."))
    transcript = Transcript(tuple(turns))
    start = time.process_time()
    graph = open_tracer(transcript, backend="lexical").trace(locate_target(transcript))
    assert graph.edges
    assert time.process_time() - start < 2
