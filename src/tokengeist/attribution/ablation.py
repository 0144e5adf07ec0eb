"""`ablation`: what the target's probability loses when earlier text is taken away.

Attention says where a model looked; this says what it needed. Random halves of the context are
removed, the target's log-odds measured behind what is left, and a sparse linear model fitted to
them (ContextCite). To stay affordable on long transcripts it works in two stages: whole turns
first, and then the sentences of the turns that mattered most, with everything else in place. All
spans of a turn share the passes.

A score is the change in the log-odds of the target when the source is present, as the linear model
predicts it; a source whose presence makes the target less likely scores 0. Sources of turns that
did not reach the second stage score 0 too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from tokengeist.attribution.cached import cached, load_for
from tokengeist.attribution.protocol import Attributor, AttributorSpec, OptionValue
from tokengeist.attribution.rendered import text_up_to
from tokengeist.models.loading import LoadedModel
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

if TYPE_CHECKING:
    from tokengeist.attribution.registry import BackendOptions
    from tokengeist.models.ablations import Ablations, Masks
    from tokengeist.models.alignment import Indices
    from tokengeist.models.scoring import Floats
    from tokengeist.models.tables import RenderedText


@dataclass(frozen=True, slots=True)
class AblationOptions:
    """How many passes, and for what."""

    turn_ablations: int = 32
    source_ablations: int = 64
    """ContextCite's default."""
    best_turns: int = 4
    """How many turns are looked at sentence by sentence: one more than the paper's top_k."""
    keep: float = 0.5
    seed: int = 0


class AblationAttributor:
    """Scores by counterfactuals."""

    def __init__(
        self,
        model: LoadedModel,
        *,
        render: str | None = None,
        options: AblationOptions | None = None,
    ) -> None:
        self.model = model
        self.render = render
        self.options = options or AblationOptions()

    @property
    def spec(self) -> AttributorSpec:
        return AttributorSpec("ablation", self.model.name, _said(self.render, self.options))

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> AblationReading:
        return AblationReading(self, transcript, sources)


class AblationReading:
    """Reads when it is first asked about a turn, and remembers the passes."""

    def __init__(
        self, attributor: AblationAttributor, transcript: Transcript, sources: Sequence[Source]
    ) -> None:
        self._attributor = attributor
        self._transcript = transcript
        self._sources = tuple(sources)
        self._turns: dict[int, _TurnAblations] = {}

    def score(self, target: Target) -> Sequence[float]:
        if target.turn not in self._turns:
            text = text_up_to(
                self._attributor.model,
                self._transcript,
                self._sources,
                turn=target.turn,
                render=self._attributor.render,
            )
            whole = text.tokens_of(Target.whole(self._transcript.turns[target.turn]))
            self._turns[target.turn] = _TurnAblations(self._attributor, text, whole)
        return self._turns[target.turn].score(target)


class _TurnAblations:
    """The two stages for one turn; the masks and their outcomes serve every span of it."""

    def __init__(self, attributor: AblationAttributor, text: RenderedText, tokens: Indices) -> None:
        from tokengeist.models.ablations import Ablations

        self._options = attributor.options
        self._text = text
        self._turn_of = np.array([source.turn for source in text.sources], dtype=np.int64)
        self._ablations: Ablations | None = None
        if len(text.sources) and tokens[tokens > 0].size:
            self._ablations = Ablations(
                attributor.model,
                text.tokens.ids,
                text.owners,
                sources=len(text.sources),
                tokens=tokens,
            )
        self._outcome: tuple[Indices, Masks, Floats] | None = None

    def score(self, target: Target) -> list[float]:
        from tokengeist.models.surrogate import surrogate_weights

        scores = np.zeros(len(self._text.sources))
        if self._ablations is not None:
            wanted = np.isin(self._ablations.tokens, self._text.tokens_of(target))
            if wanted.any():
                chosen, masks, log_odds = self._second_stage(self._ablations)
                y = _of_span(log_odds, wanted)
                scores[chosen] = surrogate_weights(masks, y, int(wanted.sum()))
        return [max(0.0, score) for score in scores.tolist()]

    def _second_stage(self, ablations: Ablations) -> tuple[Indices, Masks, Floats]:
        """The sources looked at one by one, which of them were kept, and the log-odds then."""
        if self._outcome is None:
            from tokengeist.models.ablations import random_masks

            options = self._options
            chosen = np.flatnonzero(np.isin(self._turn_of, self._best_turns(ablations)))
            random = np.random.default_rng([options.seed, 2])
            masks = random_masks(
                options.source_ablations, len(chosen), keep=options.keep, random=random
            )
            kept = np.ones((len(masks), ablations.sources), dtype=bool)
            kept[:, chosen] = masks
            self._outcome = chosen, masks, ablations.log_odds(kept)
        return self._outcome

    def _best_turns(self, ablations: Ablations) -> Indices:
        """The turns whose removal costs the whole target turn most."""
        from tokengeist.models.ablations import random_masks
        from tokengeist.models.surrogate import surrogate_weights

        options = self._options
        turns = np.unique(self._turn_of)
        if len(turns) <= options.best_turns:
            return turns
        random = np.random.default_rng([options.seed, 1])
        masks = random_masks(options.turn_ablations, len(turns), keep=options.keep, random=random)
        log_odds = ablations.log_odds(masks[:, np.searchsorted(turns, self._turn_of)])
        everything = np.ones(log_odds.shape[1], dtype=bool)
        effect = surrogate_weights(masks, _of_span(log_odds, everything), log_odds.shape[1])
        # Among equals the later turn: the nearer mention is what was on the page.
        best = np.lexsort((turns, effect))[-options.best_turns :]
        return np.sort(turns[best])


def _of_span(log_odds: Floats, wanted: Masks) -> Floats:
    from tokengeist.models.scoring import sequence_log_odds

    return sequence_log_odds(log_odds[:, wanted])


def _said(render: str | None, options: AblationOptions) -> dict[str, OptionValue]:
    return {"render": render, **asdict(options)}


def create(options: BackendOptions) -> Attributor:
    """The backend as the registry makes it."""
    return cached(
        "ablation", options, _said(options.render, AblationOptions(seed=options.seed)), _load
    )


def _load(options: BackendOptions) -> AblationAttributor:
    return AblationAttributor(
        load_for(options), render=options.render, options=AblationOptions(seed=options.seed)
    )
