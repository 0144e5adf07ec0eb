"""Chat templates in the forms that the paper's models publish: where every turn stands in each.

The files under tests/fixtures/templates are of our own making.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tokengeist.attribution.rendered import render_for, up_to
from tokengeist.rendering import Rendering
from tokengeist.transcript import Role, ToolCall, Transcript, Turn

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

TEMPLATES = sorted((Path(__file__).parents[1] / "fixtures" / "templates").glob("*.jinja"))

PARALLEL = Transcript(
    (
        Turn(0, Role.SYSTEM, "You book trains."),
        Turn(1, Role.USER, "  Two prices, please: Graz and Linz. "),
        Turn(
            2,
            Role.ASSISTANT,
            "Let me look both up.",
            calls=(
                ToolCall("price", '{"to": "Graz"}', "a"),
                ToolCall("price", '{"to": "Linz",  "class": 2}', "b"),
            ),
        ),
        Turn(3, Role.TOOL, '{"eur": 41.5}', call_id="a", name="price"),
        Turn(4, Role.TOOL, '{"eur": 19}', call_id="b", name="price"),
        Turn(5, Role.ASSISTANT, "Graz is €41.50 and Linz €19."),
    )
)
ONE_CALL = Transcript(
    (
        Turn(0, Role.USER, "Is order 7 paid?"),
        Turn(1, Role.ASSISTANT, calls=(ToolCall("order", '{"id": 7}', "a"),)),
        Turn(2, Role.TOOL, '{"paid": true}', call_id="a", name="order"),
        Turn(3, Role.ASSISTANT, "Yes, it is paid."),
    )
)
CALL_MARKUP = {
    "deepseek-r1-distill": "<｜tool▁sep｜>order\n```json\n",
    "llama-3.1": '{"name": "order", "parameters": {"id": 7}}',
    "phi-4-mini": 'order({"id": 7})',
    "qwen2.5": '<tool_call>\n{"name": "order", "arguments": {"id": 7}}\n</tool_call>',
    "smollm2": 'order({"id": 7})',
}


@pytest.fixture(params=TEMPLATES, ids=lambda path: path.stem)
def template(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def render(model: LoadedModel, template: Path, transcript: Transcript) -> Rendering:
    tokenizer = copy.copy(model.tokenizer)
    tokenizer.chat_template = template.read_text("utf-8")
    return render_for(replace(model, tokenizer=tokenizer), transcript, "chat")


@pytest.mark.parametrize("transcript", [PARALLEL, ONE_CALL], ids=["parallel", "one call"])
def test_every_turn_stands_verbatim_where_it_is_said_to(
    tiny: LoadedModel, template: Path, transcript: Transcript
) -> None:
    rendering = render(tiny, template, transcript)
    for piece in rendering.pieces:
        own = piece.span.of(transcript.turns[piece.turn].text)
        assert piece.place.of(rendering.text) == own
    for turn in transcript.turns:
        places = rendering.places(turn.index, turn.whole)
        said = "".join(place.of(rendering.text) for place in places)
        # A template writes a call's brackets in its own way, and nothing else of a turn.
        assert said.replace("(", "").replace(")", "").replace("\n", "") == turn.text.replace(
            "(", ""
        ).replace(")", "").replace("\n", "")


def test_calls_stand_between_the_models_own_delimiters(tiny: LoadedModel, template: Path) -> None:
    assert CALL_MARKUP[template.stem] in render(tiny, template, ONE_CALL).text


def test_one_pass_is_enough_for_each_of_them(tiny: LoadedModel, template: Path) -> None:
    for transcript in (PARALLEL, ONE_CALL):
        whole = render(tiny, template, transcript)
        assert whole.unstable_turn is None
        for turn in transcript.turns:
            if turn.role is Role.ASSISTANT:
                part = render(tiny, template, up_to(transcript, turn.index))
                end = part.pieces[-1].place.end
                assert whole.text.startswith(part.text[:end])
