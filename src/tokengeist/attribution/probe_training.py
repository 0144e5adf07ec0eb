"""`tokengeist probe train`: transcripts → a probe for `at2`, with checkpoints that survive a stop.

Every assistant turn's examples are written as soon as they are made, under a name that covers the
model, the transcript and the options. A run that was stopped goes on where it was when it is
started again, and another folder of transcripts adds to what is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tokengeist.attribution.rendered import text_up_to
from tokengeist.errors import TranscriptError
from tokengeist.models.loading import LoadedModel
from tokengeist.progress import report
from tokengeist.segmentation import segment, segment_turn
from tokengeist.transcript import Role, Target, Transcript

if TYPE_CHECKING:
    from tokengeist.models.probe import Probe
    from tokengeist.models.probe_examples import TurnExamples
    from tokengeist.models.probe_training import FitOptions, FitScores


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What to learn from. The defaults for masks are AT2's."""

    masks: int = 32
    keep: float = 0.5
    held_out: float = 0.2
    """Share of the transcripts that are only scored; chosen by their content."""
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
    from tokengeist.models.probe_training import fit_probe

    chosen = options or TrainingOptions()
    checkpoints.mkdir(parents=True, exist_ok=True)
    everything = sorted(transcripts, key=lambda transcript: transcript.fingerprint)
    held = round(len(everything) * chosen.held_out) if len(everything) > 1 else 0
    groups: list[list[TurnExamples]] = [[], []]
    for number, transcript in enumerate(everything):
        report("making examples", number, len(everything))
        groups[number < held] += _of_transcript(model, transcript, checkpoints, chosen)
    train, held_out = groups
    if not train:
        raise TranscriptError(
            f"the {len(everything)} transcripts have no assistant turn with sources before it that "
            f"ends within {chosen.max_tokens} tokens: there is nothing to learn from"
        )
    layers, heads = heads_of(model)
    probe, scores = fit_probe(train, held_out, layers=layers, heads=heads, options=chosen.fit)
    about = {
        "model": model.name,
        "model_fingerprint": model.fingerprint,
        "transcripts": len(everything),
        "train_sentences": sum(len(e.outcomes) for e in train),
        "held_out_sentences": sum(len(e.outcomes) for e in held_out),
        "masks": chosen.masks,
        "correlation": {k: v for k, v in asdict(scores).items() if v == v},  # no NaN in JSON
    }
    return Probe(probe.weights, about), scores


def _of_transcript(
    model: LoadedModel, transcript: Transcript, checkpoints: Path, options: TrainingOptions
) -> Sequence[TurnExamples]:
    from tokengeist.models.probe_examples import TurnExamples, turn_examples

    sources = segment(transcript)
    found = []
    for turn in transcript.turns:
        if turn.role is not Role.ASSISTANT or sum(s.turn < turn.index for s in sources) < 2:
            continue
        said = f"{model.fingerprint} {transcript.fingerprint} {turn.index} {options.masks}"
        name = hashlib.sha256(f"{said} {options.keep} {options.render}".encode()).hexdigest()
        path = checkpoints / f"{name[:32]}.npz"
        examples = TurnExamples.load(path)
        if examples is None:
            text = text_up_to(model, transcript, sources, turn=turn.index, render=options.render)
            targets = [Target(turn.index, (s.span,)) for s in segment_turn(turn)]
            sentences = [tokens for t in targets if (tokens := text.tokens_of(t)).size]
            limit = min(options.max_tokens, model.window)
            if not sentences or max(int(tokens[-1]) for tokens in sentences) >= limit:
                continue
            examples = turn_examples(model, text, sentences, masks=options.masks, keep=options.keep)
            examples.save(path)
        found.append(examples)
    return found
