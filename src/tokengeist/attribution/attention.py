"""`attention`: the paper's Avg. Attention, from one forward pass over the transcript.

The score of a source is its share of the model's attention: summed over the source's tokens and
averaged over the target's tokens and over all layers and heads (Eq. 1). The softmax runs over
everything a token can see, markup and the target's own turn included, so scores do not sum to one.

A causal model's attention from a turn depends only on what precedes it, so the pass over the whole
transcript already holds the rows of every hop of every trace. That needs a *prefix-stable*
rendering: the transcript up to a turn must render to a prefix of the whole. Where a chat template
breaks that, every turn is read by a pass of its own, when it is first asked about.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.attribution.rendered import render_for, up_to
from tokengeist.errors import TokengeistWarning
from tokengeist.models.loading import LoadedModel, load_model
from tokengeist.rendering import Rendering
from tokengeist.segmentation import Source
from tokengeist.transcript import Role, Target, Transcript

if TYPE_CHECKING:
    import torch

    from tokengeist.attribution.registry import BackendOptions
    from tokengeist.models.rows import RenderedText, TurnRows


class AttentionAttributor:
    """Scores by attention: the mean over all heads, or the given weight of each head."""

    def __init__(
        self,
        model: LoadedModel,
        *,
        render: str | None = None,
        head_weights: torch.Tensor | None = None,
        spec: AttributorSpec | None = None,
    ) -> None:
        self.model = model
        self.render = render
        self.head_weights = head_weights  # (layers, heads)
        self._spec = spec or AttributorSpec("attention", model.name, {"render": render})

    @property
    def spec(self) -> AttributorSpec:
        return self._spec

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> AttentionReading:
        """Read the transcript in one pass, if its rendering allows it."""
        rendering = render_for(self.model, transcript, self.render)
        if rendering.unstable_turn is None:
            return AttentionReading(self, transcript, sources, rendering)
        warnings.warn(
            f"the chat template of '{self.model.name}' renders {transcript.label} up to turn "
            f"{rendering.unstable_turn} differently from how that part stands in the whole, so "
            "one pass cannot answer for every turn: each turn is read by a pass of its own, which "
            "is slower. The plain rendering needs one pass",
            TokengeistWarning,
            stacklevel=2,
        )
        return AttentionReading(self, transcript, sources, None)


class AttentionReading:
    """Tables of attention from the tokens of assistant turns to the sources before them."""

    def __init__(
        self,
        attributor: AttentionAttributor,
        transcript: Transcript,
        sources: Sequence[Source],
        rendering: Rendering | None,
    ) -> None:
        """Read all turns at once from `rendering`, or each on demand where it is None."""
        self._attributor = attributor
        self._transcript = transcript
        self._sources = tuple(sources)
        self._turns: dict[int, tuple[RenderedText, TurnRows | None]] = {}
        if rendering is not None:
            written = [t.index for t in transcript.turns if t.role is Role.ASSISTANT and t.text]
            self._read(transcript, rendering, written)

    def score(self, target: Target) -> Sequence[float]:
        """Attention from the target to every source of an earlier turn; only arithmetic."""
        if target.turn not in self._turns:
            prefix = up_to(self._transcript, target.turn)
            model, render = self._attributor.model, self._attributor.render
            self._read(prefix, render_for(model, prefix, render), [target.turn])
        text, rows = self._turns[target.turn]
        earlier = sum(source.turn < target.turn for source in self._sources)
        tokens = text.tokens_of(target)
        if rows is None or not (tokens := tokens[tokens > 0]).size:
            return [0.0] * earlier
        # A probe may weigh heads negatively. A source below zero speaks against the target, which
        # is no support: it scores 0, and so does a turn all of whose sources do.
        return [max(0.0, float(score)) for score in rows.mean(tokens)]

    def _read(self, transcript: Transcript, rendering: Rendering, turns: Sequence[int]) -> None:
        from tokengeist.models.rows import RenderedText, read_rows

        known = [source for source in self._sources if source.turn < len(transcript.turns)]
        text = RenderedText.make(self._attributor.model, rendering, known)
        rows = read_rows(
            self._attributor.model,
            text,
            transcript,
            turns,
            head_weights=self._attributor.head_weights,
        )
        self._turns.update({turn: (text, rows.get(turn)) for turn in turns})


def create(options: BackendOptions) -> AttentionAttributor:
    """The backend as the registry makes it."""
    model = load_model(
        options.model,
        device=options.device,
        dtype=options.dtype,
        trust_remote_code=options.trust_remote_code,
    )
    return AttentionAttributor(model, render=options.render)
