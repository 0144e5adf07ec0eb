"""Figures 1 to 3: a reading against a bare pass, a further span, and the paper's pass per hop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.protocol import Reading
from tokengeist.attribution.rendered import render_for, up_to
from tokengeist.models.alignment import tokenize
from tokengeist.models.loading import LoadedModel
from tokengeist.segmentation import Source, segment
from tokengeist.tracer import Tracer
from tokengeist.transcript import Target, Transcript

Clock = Callable[[], float]


@dataclass
class ReadingFigures:
    """Seconds, summed over conversations."""

    tokens: int = 0
    targets: int = 0
    hops: int = 0
    read_and_trace: float = 0.0
    bare: float = 0.0
    """The whole causal model, logits included: what calling the model once costs."""
    bare_without_head: float = 0.0
    """The same without the language-model head, which a reading has no use for either."""
    slowest_span: float = 0.0
    per_hop: float = 0.0
    """The paper's procedure: a pass over the prefix for every hop of every target."""
    read_and_trace_same_targets: float = 0.0


class PassPerHop:
    """The paper's procedure as a lower bound: the bare passes alone, without its arithmetic."""

    def __init__(self, model: LoadedModel, transcript: Transcript, reading: Reading):
        self.hops = 0
        self._model = model
        self._transcript = transcript
        self._reading = reading

    def score(self, target: Target) -> Sequence[float]:
        self.hops += 1
        bare_pass(self._model, up_to(self._transcript, target.turn), head=True)
        return self._reading.score(target)


def bare_pass(model: LoadedModel, transcript: Transcript, *, head: bool) -> int:
    """One forward pass with SDPA and nothing else; returns the number of tokens."""
    ids = tokenize(model.tokenizer, render_for(model, transcript, None).text).ids
    network = model.model if head else model.model.base_model
    with torch.inference_mode():
        network(input_ids=torch.tensor([ids], device=model.device), use_cache=False)
    return len(ids)


def measure(
    model: LoadedModel,
    transcript: Transcript,
    targets: Sequence[Target],
    *,
    figures: ReadingFigures,
    per_hop: bool,
    clock: Clock,
) -> None:
    """Add one conversation to `figures`."""
    attributor = AttentionAttributor(model)
    sources = segment(transcript)

    start = clock()
    figures.tokens += bare_pass(model, transcript, head=True)
    figures.bare += clock() - start

    start = clock()
    tracer = Tracer.reading(transcript, attributor, sources=sources)
    for target in targets:
        tracer.trace(target)
    spent = clock() - start
    figures.read_and_trace += spent
    figures.targets += len(targets)

    start = clock()
    bare_pass(model, transcript, head=False)
    figures.bare_without_head += clock() - start

    for target in targets:
        shorter = replace(target, spans=tuple(replace(s, end=s.end - 1) for s in target.spans))
        begun = time.perf_counter()
        tracer.trace(shorter)
        figures.slowest_span = max(figures.slowest_span, time.perf_counter() - begun)

    if per_hop:
        _measure_per_hop(model, transcript, targets, sources, attributor, figures, clock)
        figures.read_and_trace_same_targets += spent


def _measure_per_hop(
    model: LoadedModel,
    transcript: Transcript,
    targets: Sequence[Target],
    sources: Sequence[Source],
    attributor: AttentionAttributor,
    figures: ReadingFigures,
    clock: Clock,
) -> None:
    reading = PassPerHop(model, transcript, attributor.read(transcript, sources))
    tracer = Tracer(transcript, reading, sources=sources, spec=attributor.spec)
    start = clock()
    for target in targets:
        tracer.trace(target)
    figures.per_hop += clock() - start
    figures.hops += reading.hops
