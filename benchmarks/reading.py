"""Figures 1 to 3: a reading against a bare pass, a further span, and the paper's pass per hop."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.protocol import AttributorSpec, Reading
from tokengeist.attribution.rendered import render_for, up_to
from tokengeist.bench.dataset import Conversation
from tokengeist.models.alignment import tokenize
from tokengeist.models.loading import LoadedModel
from tokengeist.segmentation import Source, segment
from tokengeist.tracer import Tracer
from tokengeist.transcript import Target, Transcript

Clock = Callable[[], float]


@dataclass(frozen=True)
class CloseLook:
    """What takes too long to be measured on every conversation."""

    bare_without_head: float
    """A bare pass without the language-model head, which a reading has no use for either."""
    hops: int
    """How many passes the paper's procedure makes."""
    per_hop: float
    """What those passes cost."""


@dataclass(frozen=True)
class ReadingFigures:
    """What one conversation cost, in seconds."""

    id: str
    tokens: int
    targets: int
    read_and_trace: float
    bare: float
    """The whole causal model, logits included: what calling the model once costs."""
    slowest_span: float
    """Of spans that were not asked about before; always on the clock."""
    closely: CloseLook | None = None


def measure(
    model: LoadedModel, conversation: Conversation, *, closely: bool, clock: Clock
) -> ReadingFigures:
    """Read one conversation and trace all its targets, with the passes to compare with."""
    transcript = conversation.transcript
    targets = [gold.target for gold in conversation.targets]
    attributor = AttentionAttributor(model)
    sources = segment(transcript)

    start = clock()
    tokens = bare_pass(model, transcript, head=True)
    bare = clock() - start

    start = clock()
    reading = attributor.read(transcript, sources)
    tracer = Tracer(transcript, reading, sources=sources, spec=attributor.spec)
    for target in targets:
        tracer.trace(target)
    read_and_trace = clock() - start

    slowest = 0.0
    for target in targets:
        shorter = replace(target, spans=tuple(replace(s, end=s.end - 1) for s in target.spans))
        begun = time.perf_counter()
        tracer.trace(shorter)
        slowest = max(slowest, time.perf_counter() - begun)

    look = None
    if closely:
        start = clock()
        bare_pass(model, transcript, head=False)
        bare_without_head = clock() - start
        hops = hops_by_turn(transcript, targets, reading, sources, attributor.spec)
        look = CloseLook(
            bare_without_head=bare_without_head,
            hops=hops.total(),
            per_hop=seconds_of_hops(model, transcript, hops, clock),
        )
    return ReadingFigures(
        id=conversation.id,
        tokens=tokens,
        targets=len(targets),
        read_and_trace=read_and_trace,
        bare=bare,
        slowest_span=slowest,
        closely=look,
    )


def bare_pass(model: LoadedModel, transcript: Transcript, *, head: bool) -> int:
    """One forward pass with SDPA and nothing else; returns the number of tokens."""
    ids = tokenize(model.tokenizer, render_for(model, transcript, None).text).ids
    network = model.model if head else model.model.base_model
    with torch.inference_mode():
        network(input_ids=torch.tensor([ids], device=model.device), use_cache=False)
    return len(ids)


def hops_by_turn(
    transcript: Transcript,
    targets: Sequence[Target],
    reading: Reading,
    sources: Sequence[Source],
    spec: AttributorSpec,
) -> Counter[int]:
    """How often the recursion asks about each turn: one pass each in the paper's procedure."""
    counted = _CountedReading(reading)
    tracer = Tracer(transcript, counted, sources=sources, spec=spec)
    for target in targets:
        tracer.trace(target)
    return counted.hops


def seconds_of_hops(
    model: LoadedModel, transcript: Transcript, hops: Counter[int], clock: Clock
) -> float:
    """What the passes of the paper's procedure cost, without its arithmetic: a lower bound.

    Every hop at a turn is the same pass over the transcript up to that turn. It is timed once, and
    counts as often as it would be made.
    """
    total = 0.0
    for turn, count in sorted(hops.items()):
        start = clock()
        bare_pass(model, up_to(transcript, turn), head=True)
        total += count * (clock() - start)
    return total


class _CountedReading:
    """A reading that counts what it is asked about."""

    def __init__(self, reading: Reading) -> None:
        self.hops: Counter[int] = Counter()
        self._reading = reading

    def score(self, target: Target) -> Sequence[float]:
        self.hops[target.turn] += 1
        return self._reading.score(target)
