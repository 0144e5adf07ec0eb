"""One model in memory, and the last transcript that it read.

Loading a model takes seconds and gigabytes, reading a transcript takes seconds; tracing over a
reading takes neither. So the attributor stays until another one is wanted or its model's files have
changed, and then goes first.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from tokengeist.api import Settings, settings_for
from tokengeist.attribution.cached import answers_key, load_judge
from tokengeist.attribution.named_model import reads_with_it
from tokengeist.attribution.protocol import Attributor
from tokengeist.attribution.registry import BackendOptions, create_attributor
from tokengeist.segmentation import segment
from tokengeist.tracer import Tracer
from tokengeist.transcript import Transcript

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

_READINGS = 4


class Reader:
    """Gives tracers, from the reading at hand where there is one. For one thread."""

    def __init__(self, options: BackendOptions | None = None) -> None:
        self._options = options or BackendOptions()
        self._key: str | None = None
        self._attributor: Attributor | None = None
        self._tracers: OrderedDict[str, Tracer] = OrderedDict()
        self._model: LoadedModel | None = None

    def tracer(self, transcript: Transcript, backend: str) -> Tracer:
        """A tracer over a reading of `transcript`; this is where a model does its work."""
        if self._attributor is None or self._key != answers_key(backend, self._options):
            self._forget()
            self._attributor = create_attributor(backend, self._options_for(backend))
            # Only now: making it may have brought the model's files here.
            self._key = answers_key(backend, self._options)
        found = self._tracers.pop(transcript.fingerprint, None)
        if found is None:
            settings: Settings = settings_for(backend)
            found = Tracer.reading(
                transcript,
                self._attributor,
                sources=segment(transcript, settings.granularity),
                options=settings.trace,
            )
        self._tracers[transcript.fingerprint] = found
        while len(self._tracers) > _READINGS:
            self._tracers.popitem(last=False)
        return found

    def model(self) -> LoadedModel:
        """The model by itself, for putting a finished graph to the test."""
        if self._model is None:
            self._forget()
            self._model = load_judge(self._options)
        return self._model

    def _options_for(self, backend: str) -> BackendOptions:
        """Without the named model where the backend cannot read with it: the page offers others."""
        options = self._options
        if options.model is None or reads_with_it(backend, options):
            return options
        return replace(options, model=None)

    def _forget(self) -> None:
        """Free the model before the next one is loaded, not after."""
        self._model = None
        self._tracers.clear()
        self._attributor = None
        self._key = None
        gc.collect()
