"""The `attention` backend: at2's figures, hop by hop, templates, and texts beyond the window."""

from __future__ import annotations

import copy
import json
import statistics
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.rendered import render_for
from tokengeist.errors import ModelError, RenderingError, TokengeistWarning
from tokengeist.models.windows import Window
from tokengeist.progress import watching
from tokengeist.segmentation import Source, segment
from tokengeist.tracer import Tracer
from tokengeist.transcript import Role, Span, Target, Transcript, Turn, locate_target

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

PARITY = Path(__file__).parents[1] / "fixtures" / "parity-library.json"


def prefix(transcript: Transcript, turn: int) -> Transcript:
    return Transcript(transcript.turns[: turn + 1])


def assistant_turns(transcript: Transcript) -> list[int]:
    return [turn.index for turn in transcript.turns if turn.role is Role.ASSISTANT]


def with_template(model: LoadedModel, template: str | None) -> LoadedModel:
    tokenizer = copy.copy(model.tokenizer)
    tokenizer.chat_template = template
    return replace(model, tokenizer=tokenizer)


def test_scores_are_those_of_at2_with_equal_weights(embedded: LoadedModel) -> None:
    case: dict[str, Any] = json.loads(PARITY.read_text())
    text: str = case["text"]
    user = text.index("Context: ")
    answer = Span(*case["response_chars"])
    turns = (
        Turn(0, Role.SYSTEM, text[text.index("You are") : text.index("<|im_end|>")]),
        Turn(1, Role.USER, text[user : text.index("<|im_end|>", user)]),
        Turn(2, Role.ASSISTANT, answer.of(text)),
    )
    transcript = Transcript(turns)
    assert render_for(embedded, transcript, "chat").text.strip() == text
    places = [Span(*source["chars"]).shifted(-user) for source in case["sources"]]
    sources = [Source(1, place, place) for place in places]
    reading = AttentionAttributor(embedded).read(transcript, sources)
    whole = reading.score(Target.whole(turns[2]))
    assert whole == pytest.approx(case["at2_uniform_whole_response"], abs=1e-5)
    span = Span(*case["at2_uniform_span"]["chars"]).shifted(-answer.start)
    part = reading.score(Target(2, (span,)))
    assert part == pytest.approx(case["at2_uniform_span"]["scores"], abs=1e-5)


@pytest.mark.parametrize("render", ["plain", "chat"])
def test_one_pass_is_as_good_as_a_pass_for_every_hop(
    embedded: LoadedModel, refund: Transcript, render: str
) -> None:
    attributor = AttentionAttributor(embedded, render=render)
    sources = segment(refund)
    reading = attributor.read(refund, sources)
    for turn in assistant_turns(refund):
        shorter = prefix(refund, turn)
        target = Target.whole(refund.turns[turn])
        hop = attributor.read(shorter, segment(shorter)).score(target)
        assert reading.score(target) == pytest.approx(hop, abs=1e-6)
        assert len(hop) == sum(source.turn < turn for source in sources)


def test_the_refund_is_traced_back_to_the_user(embedded: LoadedModel, refund: Transcript) -> None:
    tracer = Tracer.reading(refund, AttentionAttributor(embedded), sources=segment(refund))
    graph = tracer.trace(locate_target(refund))
    assert {node.turn for node in graph.nodes} == {0, 1, 2, 3, 4}
    assert (2, 1) in {(edge.dependent, edge.source) for edge in graph.edges}


def test_a_span_costs_no_pass(
    tiny: LoadedModel, refund: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = AttentionAttributor(tiny).read(refund, segment(refund))
    monkeypatch.setattr(tiny.model, "forward", None)
    last = refund.turns[-1]
    halves = Span(0, len(last.text) // 2), Span(len(last.text) // 2, len(last.text))
    first, second = (reading.score(Target(last.index, (half,))) for half in halves)
    both = reading.score(Target(last.index, halves))
    for a, b, mean in zip(first, second, both, strict=True):
        assert min(a, b) - 1e-6 <= mean <= max(a, b) + 1e-6


def test_the_first_turn_has_no_sources(tiny: LoadedModel) -> None:
    transcript = Transcript((Turn(0, Role.ASSISTANT, "Hello."), Turn(1, Role.USER, "Hi.")))
    reading = AttentionAttributor(tiny).read(transcript, segment(transcript))
    assert list(reading.score(Target.whole(transcript.turns[0]))) == []


def test_a_summary_is_read_like_any_turn_that_a_model_wrote(tiny: LoadedModel) -> None:
    transcript = Transcript(
        (
            Turn(0, Role.USER, "Refund order 7, I am member M-208."),
            Turn(1, Role.USER, "Summary: M-208 wants order 7 refunded.", is_summary=True),
            Turn(2, Role.ASSISTANT, "Order 7 is refunded."),
        )
    )
    tracer = Tracer.reading(transcript, AttentionAttributor(tiny), sources=segment(transcript))
    graph = tracer.trace(Target.whole(transcript.turns[2]))
    assert (1, 0) in {(edge.dependent, edge.source) for edge in graph.edges}


UNSTABLE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}{{ ' (last)' if loop.last }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
)


def test_a_template_that_is_not_prefix_stable_is_read_hop_by_hop(
    tiny: LoadedModel, refund: Transcript
) -> None:
    attributor = AttentionAttributor(with_template(tiny, UNSTABLE), render="chat")
    with pytest.warns(TokengeistWarning, match=r"chat template of 'tiny'.*turn 1.*slower"):
        reading = attributor.read(refund, segment(refund))
    for turn in assistant_turns(refund):
        shorter = prefix(refund, turn)
        target = Target.whole(refund.turns[turn])
        with pytest.warns(TokengeistWarning) if turn > 1 else nullcontext():
            hop = attributor.read(shorter, segment(shorter)).score(target)
        assert reading.score(target) == pytest.approx(hop, abs=1e-6)


def test_a_template_that_fails_gives_way_unless_it_was_asked_for(
    tiny: LoadedModel, refund: Transcript
) -> None:
    model = with_template(tiny, "{{ raise_exception('no tools here') }}")
    with pytest.warns(TokengeistWarning, match="plain rendering is used instead"):
        assert render_for(model, refund, None).style == "plain"
    with pytest.raises(RenderingError):
        render_for(model, refund, "chat")
    bare = with_template(tiny, None)
    assert render_for(bare, refund, None).style == "plain"
    with pytest.raises(ModelError, match="'tiny' has no chat template"):
        render_for(bare, refund, "chat")


def long_transcript(words: int) -> Transcript:
    """Many exchanges about numbered shelves, a code said at the start and asked for at the end."""
    turns = [
        Turn(0, Role.SYSTEM, "You are a librarian."),
        Turn(1, Role.USER, "The vault code is zebra-quartz-19. Keep it in mind."),
        Turn(2, Role.ASSISTANT, "I will keep it in mind."),
    ]
    while sum(len(turn.text.split()) for turn in turns) < words:
        shelf = len(turns)
        turns.append(Turn(shelf, Role.USER, f"What is on shelf {shelf}? " + "Look again. " * 20))
        answer = f"Shelf {shelf} has {shelf * 7} volumes. " * 9
        turns.append(Turn(shelf + 1, Role.ASSISTANT, answer))
    turns.append(Turn(len(turns), Role.USER, "What was the vault code?"))
    turns.append(Turn(len(turns), Role.ASSISTANT, "The vault code is zebra-quartz-19."))
    return Transcript(tuple(turns))


def test_a_transcript_beyond_the_window_is_read_and_said_to_be(tiny: LoadedModel) -> None:
    transcript = long_transcript(5800)
    sources = segment(transcript)
    attributor = AttentionAttributor(tiny)
    expected = r"'tiny' reads 8192 at once.*overlapping windows"
    with pytest.warns(TokengeistWarning, match=expected) as seen:
        reading = attributor.read(transcript, sources)
    length = int(str(seen[0].message).split(" tokens long")[0].split()[-1])
    assert length > 9000
    scores = reading.score(Target.whole(transcript.turns[-1]))
    assert len(scores) == sum(source.turn < len(transcript.turns) - 1 for source in sources)
    assert all(score > 0 for score in scores), "a source was never seen"
    # What ends inside the first window is exact.
    early = assistant_turns(transcript)[5]
    shorter = prefix(transcript, early)
    exact = attributor.read(shorter, segment(shorter)).score(Target.whole(shorter.turns[-1]))
    assert reading.score(Target.whole(transcript.turns[early])) == pytest.approx(exact, abs=1e-6)


def test_what_windows_have_in_common_is_read_once(
    tiny: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = long_transcript(170)
    sources = segment(transcript)
    narrow = AttentionAttributor(replace(tiny, window=200))
    target = Target.whole(transcript.turns[-1])
    read: list[int] = []
    hook = tiny.model.get_input_embeddings().register_forward_pre_hook(
        lambda _, inputs: read.append(inputs[0].shape[-1])
    )
    try:
        with pytest.warns(TokengeistWarning, match="reads 200 at once"):
            together = narrow.read(transcript, sources).score(target)
        tokens, read = sum(read), []
        monkeypatch.setattr(Window, "common", 0)
        with pytest.warns(TokengeistWarning, match="reads 200 at once"):
            alone = narrow.read(transcript, sources).score(target)
    finally:
        hook.remove()
    assert together == pytest.approx(alone, abs=1e-6)
    assert tokens < 0.9 * sum(read)


def test_windows_are_close_to_the_whole(embedded: LoadedModel) -> None:
    spoken = long_transcript(170).turns
    # One voice until the end, so that only the end is explained and few windows are needed.
    transcript = Transcript((*(replace(t, role=Role.USER) for t in spoken[:-1]), spoken[-1]))
    sources = segment(transcript)
    target = Target.whole(transcript.turns[-1])
    whole = AttentionAttributor(embedded).read(transcript, sources).score(target)
    with pytest.warns(TokengeistWarning, match="reads 200 at once"):
        reading = AttentionAttributor(replace(embedded, window=200)).read(transcript, sources)
    windowed = reading.score(target)
    code = next(
        i
        for i, source in enumerate(sources)
        if "zebra" in source.span.of(transcript.turns[source.turn].text)
    )
    shelves = [i for i, source in enumerate(sources) if 2 < source.turn < len(transcript.turns) - 2]
    # The old mention stands out against what lies between, in the windows as in the whole.
    assert windowed[code] == pytest.approx(whole[code], rel=0.5)
    for scores in (whole, windowed):
        assert scores[code] > 10 * statistics.median(scores[i] for i in shelves)


def test_a_reading_reports_every_layer_and_can_be_cancelled(
    tiny: LoadedModel, refund: Transcript
) -> None:
    seen: list[tuple[int, int]] = []
    with watching(lambda what, done, total: seen.append((done, total))):
        AttentionAttributor(tiny).read(refund, segment(refund))
    layers = tiny.model.config.num_hidden_layers
    assert seen == [(done, layers) for done in range(1, layers + 1)]

    def cancel(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watching(cancel):
        AttentionAttributor(tiny).read(refund, segment(refund))
    assert AttentionAttributor(tiny).read(refund, segment(refund)).score(locate_target(refund))
