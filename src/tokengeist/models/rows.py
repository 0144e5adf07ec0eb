"""A rendered transcript → for every assistant turn, attention from its tokens to earlier sources.

This is where one forward pass (or, beyond the window, several) becomes a small table per turn, from
which every later question is answered without the model.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import partial

import numpy as np
import torch

from tokengeist.errors import TokengeistWarning
from tokengeist.models.capture import Beginning, OnLayer, Rows, SourceSums, capture
from tokengeist.models.loading import LoadedModel
from tokengeist.models.tables import Matrix, RenderedText, TurnRows
from tokengeist.models.windows import Stretch, Window, plan_windows
from tokengeist.progress import report
from tokengeist.transcript import Role, Target, Transcript


def read_rows(
    model: LoadedModel,
    text: RenderedText,
    transcript: Transcript,
    turns: Iterable[int],
    *,
    head_weights: torch.Tensor | None = None,
) -> dict[int, TurnRows]:
    """Attention rows of `turns`; a turn without text, or with nothing before it, has none.

    The row of token t is t - 1, the position that predicts it: that is where AT2 looks, whose
    probes were trained on it, and it never depends on the token itself.
    """
    stretches: dict[int, Stretch] = {}
    for turn in turns:
        tokens = text.tokens_of(Target.whole(transcript.turns[turn]))
        tokens = tokens[tokens > 0]  # nothing predicts the very first token
        if tokens.size and _sources_before(text, turn):
            stretches[turn] = Stretch(int(tokens[0]), int(tokens[-1]) + 1)
    windows = plan_windows(
        text.tokens.ids,
        size=model.window,
        cuts=_cuts(text),
        head=_head(text, transcript),
        wanted=list(stretches.values()),
    )
    if len(windows) > 1:
        warnings.warn(
            f"{transcript.label} is {len(text.tokens)} tokens long and '{model.name}' reads "
            f"{model.window} at once: it is read in {len(windows)} overlapping windows. Text that "
            "a window leaves out is read in another one, so late turns take longer and their "
            "scores are approximate",
            TokengeistWarning,
            stacklevel=2,
        )
    reader = _WindowReader(model, text, stretches, head_weights)
    # All windows begin alike, and the later ones go on from what the first one made of that.
    keep = max((window.common for window in windows[1:]), default=0)
    for number, window in enumerate(windows):
        on_layer = partial(_report_layer, number, len(windows))
        reader.read(window, on_layer, keep=0 if number else keep)
    return {turn: TurnRows(stretches[turn].start, reader.tables[turn]) for turn in stretches}


def _report_layer(window: int, windows: int, done: int, layers: int) -> None:
    report("reading", window * layers + done, windows * layers)


class _WindowReader:
    """Reads windows, and adds up what they show."""

    def __init__(
        self,
        model: LoadedModel,
        text: RenderedText,
        stretches: dict[int, Stretch],
        head_weights: torch.Tensor | None,
    ) -> None:
        self.tables: dict[int, Matrix] = {
            turn: np.zeros((len(stretch), _sources_before(text, turn)), dtype=np.float32)
            for turn, stretch in stretches.items()
        }
        self._model = model
        self._text = text
        self._stretches = stretches
        self._head_weights = None if head_weights is None else head_weights.to(model.device)
        self._beginning: Beginning | None = None

    def read(self, window: Window, on_layer: OnLayer, *, keep: int) -> None:
        """Add what one window shows to the tables; `keep` its beginning for later ones."""
        blocks: list[Rows] = []
        parts: list[tuple[int, Stretch]] = []
        for turn, stretch in self._stretches.items():
            start = max(stretch.start, window.explained.start)
            stop = min(stretch.stop, window.explained.stop)
            if start >= stop:
                continue
            first = int(np.searchsorted(window.positions, start))
            before = self._text.owners[window.positions[:first]]
            columns = np.flatnonzero((before >= 0) & (before < _sources_before(self._text, turn)))
            if columns.size:
                blocks.append(Rows(first - 1, first - 1 + stop - start, int(columns[-1]) + 1))
                parts.append((turn, Stretch(start, stop)))
        if not blocks:
            return
        device = self._model.device
        sink = SourceSums(
            blocks,
            torch.from_numpy(self._text.owners[window.positions]).to(device),
            sources=len(self._text.sources),
            token_weight=None
            if (window.share == 1).all()
            else torch.from_numpy(1 / window.share).float().to(device),
            head_weights=self._head_weights,
        )
        after = None
        known = min(window.common, *(block.start for block in blocks))
        if known and self._beginning is not None:
            after = self._beginning.shortened(known)
        ids = [self._text.tokens.ids[position] for position in window.positions.tolist()]
        kept = capture(
            self._model.model,
            [ids],
            blocks=blocks,
            sink=sink,
            on_layer=on_layer,
            keep=keep,
            after=after,
        )
        self._beginning = self._beginning or kept
        for (turn, part), sums in zip(parts, sink.results(), strict=True):
            table, offset = self.tables[turn], self._stretches[turn].start
            table[part.start - offset : part.stop - offset] += sums[:, : table.shape[1]].numpy()


def _sources_before(text: RenderedText, turn: int) -> int:
    return sum(source.turn < turn for source in text.sources)


def _cuts(text: RenderedText) -> list[int]:
    """Where the text may be cut: after each turn's text, and after each source.

    A cut after a turn's own text leaves its closing markup to the next unit, which begins with it
    whichever turn it follows, and so the markup stays well-formed when units are left out.
    """
    ends = [piece.place.end for piece in text.rendering.pieces]
    changes = np.flatnonzero(np.diff(text.owners)) + 1
    return [*np.searchsorted(text.tokens.starts, ends).tolist(), *changes.tolist()]


def _head(text: RenderedText, transcript: Transcript) -> int:
    """How many tokens the leading system turns take."""
    end = 0
    leading = 0
    while leading < len(transcript.turns) and transcript.turns[leading].role is Role.SYSTEM:
        leading += 1
    for piece in text.rendering.pieces:
        if piece.turn < leading:
            end = max(end, piece.place.end)
    return int(np.searchsorted(text.tokens.starts, end)) if end else 0
