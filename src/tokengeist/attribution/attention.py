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

from tokengeist.attribution.cached import cached, load_for
from tokengeist.attribution.protocol import Attributor, AttributorSpec, Reading
from tokengeist.attribution.rendered import render_for, up_to
from tokengeist.errors import TokengeistWarning
from tokengeist.models.loading import LoadedModel
from tokengeist.rendering import Rendering
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

if TYPE_CHECKING:
    import torch

    from tokengeist.attribution.registry import BackendOptions
    from tokengeist.models.tables import AttentionTables


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

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> Reading:
        """Read the transcript in one pass, if its rendering allows it."""
        rendering = render_for(self.model, transcript, self.render)
        if rendering.unstable_turn is None:
            written = [t.index for t in transcript.turns if t.is_generated and t.text]
            return self.tables(transcript, sources, rendering=rendering, turns=written)
        warnings.warn(
            f"the chat template of '{self.model.name}' renders {transcript.label} up to turn "
            f"{rendering.unstable_turn} differently from how that part stands in the whole, so "
            "one pass cannot answer for every turn: each turn is read by a pass of its own, which "
            "is slower. The plain rendering needs one pass",
            TokengeistWarning,
            stacklevel=2,
        )
        return _HopByHop(self, transcript, sources)

    def tables(
        self,
        transcript: Transcript,
        sources: Sequence[Source],
        *,
        rendering: Rendering,
        turns: Sequence[int],
    ) -> AttentionTables:
        """Read some turns of a rendered transcript."""
        from tokengeist.models.rows import read_rows
        from tokengeist.models.tables import AttentionTables, RenderedText

        known = [source for source in sources if source.turn < len(transcript.turns)]
        text = RenderedText.make(self.model, rendering, known)
        rows = read_rows(self.model, text, transcript, turns, head_weights=self.head_weights)
        return AttentionTables(text, rows)


class _HopByHop:
    """Reads every turn from the transcript as it was then, when it is first asked about."""

    def __init__(
        self, attributor: AttentionAttributor, transcript: Transcript, sources: Sequence[Source]
    ) -> None:
        self._attributor = attributor
        self._transcript = transcript
        self._sources = tuple(sources)
        self._turns: dict[int, AttentionTables] = {}

    def score(self, target: Target) -> Sequence[float]:
        turn = target.turn
        if turn not in self._turns:
            prefix = up_to(self._transcript, turn)
            rendering = render_for(self._attributor.model, prefix, self._attributor.render)
            self._turns[turn] = self._attributor.tables(
                prefix, self._sources, rendering=rendering, turns=[turn]
            )
        return self._turns[turn].score(target)


def create(options: BackendOptions) -> Attributor:
    """The backend as the registry makes it."""
    return cached("attention", options, {"render": options.render}, _load)


def _load(options: BackendOptions) -> AttentionAttributor:
    return AttentionAttributor(load_for(options), render=options.render)
