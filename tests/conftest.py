"""What many tests share: the refund example of the paper's walk-through."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tokengeist.formats import example_path, load
from tokengeist.transcript import Transcript

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

# Whoever starts this in the background has Ctrl-C ignored, by this process and its children; the
# tests that press it need it heard.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The machines that run this are shared: a slow moment is no failure.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def refund() -> Transcript:
    """Five turns: a user's request, a look-up, its result, a finding and the final claim."""
    return load(example_path("refund"))


@pytest.fixture
def shared_data() -> Path:
    """Real conversations that lie beside the repository where it is developed."""
    if not SHARED_DATA.is_dir():
        pytest.skip("../shared/data is not on this machine")
    return SHARED_DATA


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "COLUMNS", "120")


@pytest.fixture(scope="session")
def embedded() -> LoadedModel:
    """The embedded model; converted when it is first loaded on a machine, then quick."""
    from tokengeist.models.loading import load_model

    return load_model()


@pytest.fixture(scope="session")
def tiny(embedded: LoadedModel) -> LoadedModel:
    """A tiny random model that shares the embedded model's tokenizer."""
    from dataclasses import replace

    from tests.models.tiny import ARCHITECTURES, tiny_model

    changes = {
        "vocab_size": 49152,
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 8192,
    }
    model = tiny_model(replace(ARCHITECTURES[0], changes=changes))
    return replace(embedded, model=model, name="tiny", fingerprint="tiny")
