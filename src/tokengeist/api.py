"""One call from a transcript to a graph, for those who do not need the parts.

Each backend comes with settings that suit it. The paper's hold for every backend that does not say
otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tokengeist.attribution.registry import BackendOptions, create_attributor
from tokengeist.extraction import View
from tokengeist.graph import ProvenanceGraph
from tokengeist.segmentation import Granularity, segment
from tokengeist.tracer import Recurse, TraceOptions, Tracer
from tokengeist.transcript import Span, Transcript, locate_target

DEFAULT_BACKEND = "blend"


@dataclass(frozen=True, slots=True)
class Settings:
    """How to search and what of the result to show."""

    trace: TraceOptions = field(default_factory=TraceOptions)
    view: View = field(default_factory=View)
    granularity: Granularity = Granularity.SENTENCE


PAPER = Settings()
"""The paper's: top_k 3, max_depth 8, alpha 0.85, sentences."""
PAPER_BACKEND = "attention"
_SETTINGS: dict[str, Settings] = {
    # Probabilities: what is likely enough counts, however many sources and hops there are.
    "blend": Settings(
        TraceOptions(top_k=None, max_depth=64, min_score=0.2, recurse=Recurse.EVIDENCE),
        View(alpha=0.0),
    ),
}


def settings_for(backend: str) -> Settings:
    """The settings that a backend is meant to be used with."""
    return _SETTINGS.get(backend, PAPER)


def open_tracer(
    transcript: Transcript,
    *,
    backend: str = DEFAULT_BACKEND,
    options: BackendOptions | None = None,
    settings: Settings | None = None,
) -> Tracer:
    """Read a transcript with a backend; any number of targets can be traced over the result."""
    chosen = settings or settings_for(backend)
    attributor = create_attributor(backend, options)
    sources = segment(transcript, chosen.granularity)
    return Tracer.reading(transcript, attributor, sources=sources, options=chosen.trace)


def trace(
    transcript: Transcript,
    text: str | None = None,
    *,
    turn: int | None = None,
    chars: Span | None = None,
    backend: str = DEFAULT_BACKEND,
    options: BackendOptions | None = None,
    settings: Settings | None = None,
) -> ProvenanceGraph:
    """Where a span came from, as an unpruned graph; see `locate_target` for how it is found.

    To show it, look through the backend's view: `settings_for(backend).view.of(graph)`.
    """
    target = locate_target(transcript, text, turn=turn, chars=chars)
    tracer = open_tracer(transcript, backend=backend, options=options, settings=settings)
    return tracer.trace(target)
