"""A transcript as a given model reads it: what the model backends have in common."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokengeist.errors import ModelError, RenderingError, TokengeistWarning
from tokengeist.models.loading import LoadedModel
from tokengeist.rendering import Message, Rendering, check_style, render_chat, render_plain
from tokengeist.segmentation import Source
from tokengeist.transcript import Transcript

if TYPE_CHECKING:
    from tokengeist.models.tables import RenderedText


def render_for(model: LoadedModel, transcript: Transcript, style: str | None) -> Rendering:
    """Render for a model: as asked for, or in its chat format where it has one that works.

    Raises `RenderingError` where `chat` was asked for and the template cannot do it.
    """
    check_style(style)
    if style == "plain" or (style is None and not model.has_chat_template):
        return render_plain(transcript)
    if not model.has_chat_template:
        raise ModelError(f"'{model.name}' has no chat template; use the plain rendering")

    def template(messages: list[Message]) -> str:
        return str(model.tokenizer.apply_chat_template(messages, tokenize=False))

    try:
        return render_chat(transcript, template)
    except RenderingError as error:
        if style == "chat":
            raise
        warnings.warn(
            f"the plain rendering is used instead of the chat template of '{model.name}': {error}",
            TokengeistWarning,
            stacklevel=3,
        )
        return render_plain(transcript)


def up_to(transcript: Transcript, turn: int) -> Transcript:
    """The transcript as it was when `turn` had just been written."""
    return Transcript(transcript.turns[: turn + 1], transcript.id, transcript.origin)


def text_up_to(
    model: LoadedModel,
    transcript: Transcript,
    sources: Sequence[Source],
    *,
    turn: int,
    render: str | None,
) -> RenderedText:
    """The text up to and including `turn`, with those of `sources` that stand before it."""
    from tokengeist.models.tables import RenderedText

    rendering = render_for(model, up_to(transcript, turn), render)
    earlier = [source for source in sources if source.turn < turn]
    return RenderedText.make(model, rendering, earlier)
