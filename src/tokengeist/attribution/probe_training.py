"""`tokengeist probe train`: transcripts → a probe for `at2`, with checkpoints that survive a stop.

Every transcript's examples are written as soon as they are made, under a name that covers the
model, the transcript and the options. A run that was stopped goes on where it was when it is
started again, and another folder of transcripts adds to what is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tokengeist.attribution.rendered import render_for
from tokengeist.errors import TranscriptError
from tokengeist.models.loading import LoadedModel
from tokengeist.progress import report
from tokengeist.segmentation import segment, segment_turn
from tokengeist.transcript import Role, Target, Transcript

if TYPE_CHECKING:
    from tokengeist.models.alignment import Indices
    from tokengeist.models.probe import Probe
    from tokengeist.models.probe_examples import Examples
    from tokengeist.models.probe_training import FitOptions, FitScores
    from tokengeist.models.tables import RenderedText


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What to learn from. The defaults for masks are AT2's."""

    masks: int = 32
    keep: float = 0.5
    held_out: float = 0.2
    """Share of the transcripts that are only scored, and of those that say when to stop; chosen by
    their content."""
    max_tokens: int = 2048
    """Turns that end later than this are passed over: every mask is a pass over the whole."""
    render: str | None = None
    fit: FitOptions | None = field(default=None)


def train_probe(
    model: LoadedModel,
    transcripts: Iterable[Transcript],
    checkpoints: Path,
    *,
    options: TrainingOptions | None = None,
) -> tuple[Probe, FitScores]:
    """Learn a probe for `model`; `checkpoints` is a folder that may hold an earlier run's work.

    Raises `TranscriptError` where the transcripts have no turn to learn from.
    """
    from tokengeist.models.probe import Probe, heads_of
    from tokengeist.models.probe_training import FitOptions, fit_probe

    chosen = options or TrainingOptions()
    checkpoints.mkdir(parents=True, exist_ok=True)
    everything = sorted(transcripts, key=lambda transcript: transcript.fingerprint)
    held = min(round(len(everything) * chosen.held_out), (len(everything) - 1) // 2)
    held_out: list[Examples] = []
    choice: list[Examples] = []
    train: list[Examples] = []
    groups = [held_out] * held + [choice] * held + [train] * len(everything)
    for number, (transcript, group) in enumerate(zip(everything, groups, strict=False)):
        report("making examples", number, len(everything))
        if (examples := _of_transcript(model, transcript, checkpoints, chosen)) is not None:
            group.append(examples)
    if not train:
        raise TranscriptError(
            f"the {len(everything)} transcripts have no assistant turn with sources before it that "
            f"ends within {chosen.max_tokens} tokens: there is nothing to learn from"
        )
    layers, heads = heads_of(model)
    probe, scores = fit_probe(
        train, held_out, choice=choice, layers=layers, heads=heads, options=chosen.fit
    )
    about = {
        "model": model.name,
        "model_fingerprint": model.fingerprint,
        "transcripts": {"train": len(train), "choice": len(choice), "held_out": len(held_out)},
        "train_sentences": sum(len(e.outcomes) for e in train),
        "held_out_sentences": sum(len(e.outcomes) for e in held_out),
        "masks": chosen.masks,
        "max_tokens": chosen.max_tokens,
        "fit": {**asdict(chosen.fit or FitOptions()), **probe.about},
        "versions": {name: version(name) for name in ("tokengeist", "torch", "transformers")},
        "correlation": {k: v for k, v in asdict(scores).items() if v == v},  # no NaN in JSON
    }
    return Probe(probe.weights, about), scores


def _of_transcript(
    model: LoadedModel, transcript: Transcript, checkpoints: Path, options: TrainingOptions
) -> Examples | None:
    """What there is to learn from a transcript; None where that is nothing."""
    from tokengeist.models.probe_examples import Examples, make_examples
    from tokengeist.models.tables import RenderedText

    said = f"{model.fingerprint} {transcript.fingerprint} {options.masks} {options.keep}"
    name = hashlib.sha256(f"{said} {options.max_tokens} {options.render}".encode()).hexdigest()
    path = checkpoints / f"{name[:32]}.npz"
    examples = Examples.load(path)
    if examples is None:
        rendering = render_for(model, transcript, options.render)
        text = RenderedText.make(model, rendering, segment(transcript))
        turns = _sentences(text, transcript, limit=min(options.max_tokens, model.window))
        if not turns:
            return None
        examples = make_examples(model, text, turns, masks=options.masks, keep=options.keep)
        examples.save(path)
    return examples


def _sentences(text: RenderedText, transcript: Transcript, *, limit: int) -> list[list[Indices]]:
    """For every assistant turn that ends within `limit` tokens and has two sources before it, the
    tokens of its sentences."""
    turns = []
    for turn in transcript.turns:
        if turn.role is not Role.ASSISTANT or sum(s.turn < turn.index for s in text.sources) < 2:
            continue
        targets = [Target(turn.index, (s.span,)) for s in segment_turn(turn)]
        sentences = [tokens for t in targets if (tokens := text.tokens_of(t)).size]
        if sentences and int(sentences[-1][-1]) < limit:
            turns.append(sentences)
    return turns
