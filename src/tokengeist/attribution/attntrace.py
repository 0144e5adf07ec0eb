"""`attntrace`: attention in many thinned-out copies of the context (Wang et al., 2025).

In a long context attention is spread thin over much that is alike. So the target is read again and
again behind a random 40% of the sources, the rest being taken out and the gaps closed; a source's
value in one draw is the mean of its five most attended tokens, and its score the mean over the
draws that it was in. With so few sources that 40% is less than one, they are all read once.

Unlike the reference: seeded, in float32, and the transcript's own markup and tokens are kept where
the reference tokenizes every source afresh and cuts off what it takes for a BOS.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from tokengeist.attribution.cached import cached, load_for
from tokengeist.attribution.protocol import Attributor, AttributorSpec, OptionValue
from tokengeist.attribution.rendered import text_up_to
from tokengeist.errors import ModelError, TokengeistWarning
from tokengeist.models.loading import LoadedModel
from tokengeist.progress import report
from tokengeist.segmentation import Source
from tokengeist.transcript import Target, Transcript

if TYPE_CHECKING:
    from tokengeist.attribution.registry import BackendOptions
    from tokengeist.models.alignment import Indices
    from tokengeist.models.tables import Matrix, RenderedText


@dataclass(frozen=True, slots=True)
class AttnTraceOptions:
    """The constants of the reference implementation."""

    draws: int = 30
    share: float = 0.4
    top_tokens: int = 5
    seed: int = 0
    batch_tokens: int | None = None
    """Most tokens read at once; None for one draw on a CPU, which that keeps busy, else 4,096."""


class AttnTraceAttributor:
    """Scores by attention, averaged over random parts of the context."""

    def __init__(
        self,
        model: LoadedModel,
        *,
        render: str | None = None,
        options: AttnTraceOptions | None = None,
    ) -> None:
        self.model = model
        self.render = render
        self.options = options or AttnTraceOptions()

    @property
    def spec(self) -> AttributorSpec:
        return AttributorSpec("attntrace", self.model.name, _said(self.render, self.options))

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> AttnTraceReading:
        return AttnTraceReading(self, transcript, sources)


class AttnTraceReading:
    """Reads when it is asked: every target needs passes of its own. Answers are remembered."""

    def __init__(
        self, attributor: AttnTraceAttributor, transcript: Transcript, sources: Sequence[Source]
    ) -> None:
        self._attributor = attributor
        self._transcript = transcript
        self._sources = tuple(sources)
        self._texts: dict[int, RenderedText] = {}
        self._scores: dict[Target, list[float]] = {}

    def score(self, target: Target) -> Sequence[float]:
        if target not in self._scores:
            self._scores[target] = self._score(target)
        return self._scores[target]

    def _text(self, turn: int) -> RenderedText:
        if turn not in self._texts:
            self._texts[turn] = text_up_to(
                self._attributor.model,
                self._transcript,
                self._sources,
                turn=turn,
                render=self._attributor.render,
            )
        return self._texts[turn]

    def _score(self, target: Target) -> list[float]:
        text = self._text(target.turn)
        count = len(text.sources)
        wanted = text.tokens_of(target)
        wanted = wanted[wanted > 0]
        if not count or not wanted.size:
            return [0.0] * count
        draws = self._draw(text, int(wanted[-1]) + 1)
        totals, drawn = np.zeros(count), np.zeros(count)
        most = self._attributor.options.batch_tokens
        if most is None:
            most = 1 if self._attributor.model.device.type == "cpu" else 4096
        size = max(1, most // max(map(len, draws)))
        for start in range(0, len(draws), size):
            report("reading", start, len(draws))
            batch = draws[start : start + size]
            for kept, means in zip(batch, self._token_means(text, batch, wanted), strict=True):
                owners = text.owners[kept[: len(means)]]
                for source in np.unique(owners[owners >= 0]).tolist():
                    best = np.sort(means[owners == source])[-self._attributor.options.top_tokens :]
                    totals[source] += best.mean()
                    drawn[source] += 1
        report("reading", len(draws), len(draws))
        return [float(score) for score in totals / np.maximum(drawn, 1)]

    def _draw(self, text: RenderedText, end: int) -> list[Indices]:
        """For every draw, which tokens before `end` stay."""
        options = self._attributor.options
        owners = text.owners[:end]
        count = len(text.sources)
        if int(count * options.share) < 1:
            return [np.arange(end, dtype=np.int64)]
        sizes = np.bincount(owners[owners >= 0], minlength=count)
        room = self._attributor.model.window - int((owners < 0).sum())
        if room <= 0:
            raise ModelError(
                f"turn {text.sources[-1].turn + 1} and the markup before it are longer than the "
                f"{self._attributor.model.window} tokens that the model reads at once"
            )
        if sizes.sum() * options.share > room:
            warnings.warn(
                f"{options.share:.0%} of the context does not fit into the "
                f"{self._attributor.model.window} tokens that '{self._attributor.model.name}' "
                "reads at once: each draw holds as many sources as fit",
                TokengeistWarning,
                stacklevel=4,
            )
        random = np.random.default_rng(options.seed)
        draws = []
        for _ in range(options.draws):
            chosen = random.permutation(count)[: int(count * options.share)]
            chosen = chosen[np.cumsum(sizes[chosen]) <= room]
            draws.append(np.flatnonzero((owners < 0) | np.isin(owners, chosen)))
        return draws

    def _token_means(
        self, text: RenderedText, batch: Sequence[Indices], wanted: Indices
    ) -> list[Matrix]:
        """For every draw, the attention that each token of the context gets.

        The mean over all layers and heads, and over the rows that predict the target and the row
        of its last token, as in the reference.
        """
        from tokengeist.models.capture import Rows, TokenMeans, capture

        context = int(np.flatnonzero(text.owners >= 0)[-1]) + 1
        blocks = []
        for item, kept in enumerate(batch):
            first = int(np.searchsorted(kept, wanted[0]))
            columns = int(np.searchsorted(kept, context))
            blocks.append(Rows(first - 1, len(kept), min(columns, first), item=item))
        weights = []
        for kept, block in zip(batch, blocks, strict=True):
            rows = np.isin(kept[block.start + 1 :], wanted)
            weights.append(np.append(rows, True))
        ids = [[text.tokens.ids[position] for position in kept.tolist()] for kept in batch]
        sink = TokenMeans(blocks, weights)
        capture(self._attributor.model.model, ids, blocks=blocks, sink=sink)
        return sink.results()


def _said(render: str | None, options: AttnTraceOptions) -> dict[str, OptionValue]:
    """What a score depends on; how many tokens are read at once makes no difference."""
    said = asdict(options)
    del said["batch_tokens"]
    return {"render": render, **said}


def create(options: BackendOptions) -> Attributor:
    """The backend as the registry makes it."""
    return cached(
        "attntrace", options, _said(options.render, AttnTraceOptions(seed=options.seed)), _load
    )


def _load(options: BackendOptions) -> AttnTraceAttributor:
    return AttnTraceAttributor(
        load_for(options), render=options.render, options=AttnTraceOptions(seed=options.seed)
    )
