"""Readings from the disk: the same answers, no model, and nothing trusted that is damaged."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tokengeist.attribution.ablation import AblationAttributor
from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.attntrace import AttnTraceAttributor
from tokengeist.attribution.cached import (
    CachedAttributor,
    cache_size,
    clear_cache,
    readings_directory,
)
from tokengeist.attribution.protocol import Attributor, AttributorSpec
from tokengeist.attribution.registry import BackendOptions, create_attributor
from tokengeist.segmentation import Granularity, segment
from tokengeist.transcript import Role, Span, Target, Transcript, Turn, locate_target

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKENGEIST_CACHE", str(tmp_path))


class Counting:
    """Makes the backend, and counts how often it had to."""

    def __init__(
        self, model: LoadedModel, backend: Callable[[LoadedModel], Attributor] = AttentionAttributor
    ) -> None:
        self.model = model
        self.backend = backend
        self.loads = 0

    def __call__(self) -> Attributor:
        self.loads += 1
        return self.backend(self.model)

    def attributor(self, key: str = "key") -> CachedAttributor:
        return CachedAttributor(AttributorSpec("attention", "tiny"), key=key, load=self)


def test_a_second_reading_needs_no_model(tiny: LoadedModel, refund: Transcript) -> None:
    load = Counting(tiny)
    sources = segment(refund)
    first = load.attributor().read(refund, sources)
    second = load.attributor().read(refund, sources)
    assert load.loads == 1
    for target in (locate_target(refund), Target(4, (Span(3, 17),)), Target(1, (Span(0, 4),))):
        assert list(second.score(target)) == list(first.score(target))
    assert cache_size().readings == 1
    assert clear_cache().readings == 1
    assert cache_size().bytes == 0


@pytest.mark.parametrize("damage", ["truncated", "changed", "empty"])
def test_a_damaged_file_is_made_again(tiny: LoadedModel, refund: Transcript, damage: str) -> None:
    load = Counting(tiny)
    sources, target = segment(refund), locate_target(refund)
    expected = list(load.attributor().read(refund, sources).score(target))
    (path,) = readings_directory().glob("*.reading")
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "truncated": content[:middle],
            "changed": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "empty": b"",
        }[damage]
    )
    assert list(load.attributor().read(refund, sources).score(target)) == expected
    assert load.loads == 2
    assert path.read_bytes() == content


@pytest.mark.parametrize("backend", [AttnTraceAttributor, AblationAttributor])
def test_answers_that_took_passes_of_their_own_are_remembered(
    tiny: LoadedModel, refund: Transcript, backend: Callable[[LoadedModel], Attributor]
) -> None:
    load = Counting(tiny, backend)
    sources = segment(refund)
    known, new = locate_target(refund), Target(4, (Span(3, 17),))
    first = load.attributor().read(refund, sources)
    expected = list(first.score(known))
    again = load.attributor().read(refund, sources)
    assert list(again.score(known)) == expected
    assert load.loads == 1
    assert list(again.score(new)) == list(first.score(new))
    assert load.loads == 2, "what was not asked before needs the model"
    assert cache_size().readings == 1
    (path,) = readings_directory().glob("*.answers")
    path.write_bytes(path.read_bytes().replace(b"[4,", b"[3,"))
    assert list(load.attributor().read(refund, sources).score(known)) == expected
    assert load.loads == 3, "a file that was tampered with is not trusted"


@pytest.mark.parametrize("name", ["attntrace", "ablation"])
def test_a_seed_has_answers_of_its_own(
    tiny: LoadedModel, refund: Transcript, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[BackendOptions] = []

    def load(options: BackendOptions) -> LoadedModel:
        loads.append(options)
        return tiny

    monkeypatch.setattr("tokengeist.attribution.cached._fingerprint", lambda _: "tiny")
    monkeypatch.setattr(f"tokengeist.attribution.{name}.load_for", load)
    scores = [
        list(
            create_attributor(name, BackendOptions(seed=seed))
            .read(refund, segment(refund))
            .score(locate_target(refund))
        )
        for seed in (1, 2, 1)
    ]
    assert [options.seed for options in loads] == [1, 2]
    assert scores[0] == scores[2]


def test_the_reading_that_converts_the_model_is_kept(
    tiny: LoadedModel, refund: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[str] = []

    def load(_: BackendOptions) -> LoadedModel:
        files.append("converted")
        return tiny

    monkeypatch.setattr("tokengeist.attribution.attention.load_for", load)
    monkeypatch.setattr(
        "tokengeist.attribution.cached._fingerprint", lambda _: files[0] if files else None
    )
    for _ in range(2):
        create_attributor("attention").read(refund, segment(refund))
    assert len(files) == 1


def test_whatever_changes_the_answer_changes_the_key(tiny: LoadedModel, refund: Transcript) -> None:
    load = Counting(tiny)
    load.attributor().read(refund, segment(refund))
    load.attributor("another model").read(refund, segment(refund))
    load.attributor().read(refund, segment(refund, Granularity.WORD))
    changed = Transcript((*refund.turns[:-1], Turn(4, Role.ASSISTANT, "No refund.")))
    load.attributor().read(changed, segment(changed))
    assert load.loads == 4


def test_text_that_is_not_proper_unicode_survives(tiny: LoadedModel) -> None:
    turns = (Turn(0, Role.USER, "half \ud83d a pair"), Turn(1, Role.ASSISTANT, "🦉 \ud83d yes"))
    transcript = Transcript(turns)
    load = Counting(tiny)
    sources, target = segment(transcript), Target.whole(turns[1])
    first = list(load.attributor().read(transcript, sources).score(target))
    assert list(load.attributor().read(transcript, sources).score(target)) == first
    assert load.loads == 1


@pytest.mark.usefixtures("embedded")
def test_a_repeated_trace_imports_no_torch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # The converted model is in the user's cache; only the readings are this test's own.
    monkeypatch.delenv("TOKENGEIST_CACHE")
    script = f"""
import sys
from pathlib import Path
import tokengeist.attribution.cached as cached
cached.readings_directory = lambda: Path({str(tmp_path)!r})
from tokengeist.attribution.registry import create_attributor
from tokengeist.formats import example_path, load
from tokengeist.segmentation import segment
from tokengeist.transcript import locate_target
transcript = load(example_path("refund"))
reading = create_attributor("attention").read(transcript, segment(transcript))
print(list(reading.score(locate_target(transcript))))
print("torch" in sys.modules)
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert [output[1] for output in outputs] == ["True", "False"]
    assert outputs[0][0] == outputs[1][0]
