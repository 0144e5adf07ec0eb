"""Backends that read as slowly as a test wants and count how many of them are in memory."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence

from tokengeist.attribution.lexical import LexicalAttributor, LexicalReading
from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.attribution.registry import BackendOptions
from tokengeist.progress import report
from tokengeist.segmentation import Source
from tokengeist.transcript import Transcript

PARTS = 200


class Brake:
    """Holds readings up until they are let go."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.release = threading.Event()
        self.reading = threading.Event()
        self.readings = 0
        self.alive: weakref.WeakSet[SlowAttributor] = weakref.WeakSet()
        self.most_alive = 0


BRAKE = Brake()


class SlowAttributor(LexicalAttributor):
    """Lexical overlap behind a brake; each instance stands for a model in memory."""

    def __init__(self, name: str) -> None:
        self.name = name
        BRAKE.alive.add(self)
        BRAKE.most_alive = max(BRAKE.most_alive, len(BRAKE.alive))

    @property
    def spec(self) -> AttributorSpec:
        return AttributorSpec(self.name, "a-model-for-tests")

    def read(self, transcript: Transcript, sources: Sequence[Source]) -> LexicalReading:
        BRAKE.readings += 1
        for part in range(PARTS):
            report("reading", part, PARTS)
            if part == PARTS // 2:
                BRAKE.reading.set()
                while not BRAKE.release.wait(0.02):
                    report("reading", part, PARTS)
        return super().read(transcript, sources)


def create(options: BackendOptions) -> SlowAttributor:
    """The backend `slow`."""
    return SlowAttributor("slow")


def create_another(options: BackendOptions) -> SlowAttributor:
    """The backend `slow-too`."""
    return SlowAttributor("slow-too")
