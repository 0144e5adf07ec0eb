"""Probe files: AT2's and our own, and everything that is not one."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
import torch

from tokengeist.errors import ModelError
from tokengeist.models.probe import (
    Probe,
    heads_of,
    load_probe,
    released_probe,
    save_probe,
    uniform_probe,
)
from tokengeist.models.shipped import shipped_probe
from tokengeist.models.store import locate

if TYPE_CHECKING:
    from tokengeist.models.loading import LoadedModel

RELEASED = Path(__file__).parents[1] / "fixtures" / "at2-toy-score_estimator.pt"


def released(**changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(RELEASED, weights_only=True)
    content.update(changes)
    return content


def test_a_file_as_at2_writes_it(embedded: LoadedModel) -> None:
    probe = load_probe(str(RELEASED), embedded)
    assert probe.weights.shape == heads_of(embedded) == (30, 9)
    assert probe.weights.abs().sum().item() == pytest.approx(1.0, abs=1e-5)
    # Features are layer by layer: the second layer's first weight is the tenth of the file.
    flat = torch.load(RELEASED, weights_only=True)["state_dict"]["linear.weight"][0]
    assert probe.weights[1, 0] == flat[9]


def test_a_file_that_at2_loaded_and_saved_again(embedded: LoadedModel, tmp_path: Path) -> None:
    again = released(kwargs={"normalize": True, "non_negative": False, "bias": False, "extras": {}})
    torch.save(again, tmp_path / "score_estimator.pt")
    assert load_probe(str(tmp_path), embedded).weights.shape == (30, 9)


def test_our_own_form_round_trips(embedded: LoadedModel, tmp_path: Path) -> None:
    probe = Probe(torch.randn(30, 9), {"trained_on": "letters"})
    save_probe(probe, tmp_path / "probe")
    loaded = load_probe(str(tmp_path / "probe"), embedded)
    assert torch.equal(loaded.weights, probe.weights)
    assert loaded.about["trained_on"] == "letters"


def test_a_pickle_with_code_in_it_is_not_run(embedded: LoadedModel, tmp_path: Path) -> None:
    class Attack:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    torch.save(released(extras=Attack()), tmp_path / "score_estimator.pt")
    with pytest.raises(ModelError, match="loaded safely"):
        load_probe(str(tmp_path / "score_estimator.pt"), embedded)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"class": "Something"}, "not an AT2 probe"),
        ([1, 2], "not an AT2 probe"),
        (released(**{"class": "TreeScoreEstimator"}), "only linear weights"),
        (released(state_dict={"linear.weight": torch.ones(1, 9)}), "9 weights for 30 layers"),
        (
            released(state_dict={"linear.weight": torch.full((1, 270), torch.nan)}),
            "infinite, not a number",
        ),
        (
            released(
                state_dict={"linear.weight": torch.ones(1, 8)},
                feature_extractor={"kwargs": {"num_layers": 4, "num_heads": 2}},
            ),
            "belongs to another model",
        ),
    ],
)
def test_what_is_no_probe_for_this_model(
    embedded: LoadedModel, tmp_path: Path, content: object, message: str
) -> None:
    torch.save(content, tmp_path / "probe.pt")
    with pytest.raises(ModelError, match=message):
        load_probe(str(tmp_path / "probe.pt"), embedded)


def test_what_is_not_there(embedded: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file or directory"):
        load_probe("nothing at all", embedded)
    with pytest.raises(ModelError, match="there is no probe in"):
        load_probe(str(tmp_path), embedded)
    (tmp_path / "probe.safetensors").write_bytes(b"no")
    with pytest.raises(ModelError, match="not a probe that can be read"):
        load_probe(str(tmp_path), embedded)


def test_a_hub_that_cannot_be_reached_is_asked_once(
    embedded: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it hangs up on every request, so that they can be counted."""
    from huggingface_hub import constants

    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as hub:

        def hang_up() -> None:
            with suppress(OSError):  # the server is closed at the end
                while True:
                    with hub.accept()[0] as connection:
                        asked.append(connection.recv(4096))

        Thread(target=hang_up, daemon=True).start()
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{hub.getsockname()[1]}")
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
        with pytest.raises(ModelError, match=r"there is no probe for 'smollm2'.*cannot be reached"):
            released_probe(embedded)
    assert sum(b"madrylab/at2-smollm2" in request for request in asked) == 1


def test_a_probe_of_the_hub_that_is_already_here(
    embedded: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "models--madrylab--at2-smollm2"
    snapshot = repository / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc")
    (snapshot / "score_estimator.pt").write_bytes(RELEASED.read_bytes())
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert released_probe(embedded).weights.shape == (30, 9)


def test_the_uniform_probe_is_the_mean(embedded: LoadedModel) -> None:
    assert uniform_probe(embedded).weights.sum().item() == pytest.approx(1.0)


def test_the_embedded_model_has_a_probe_with_a_card(embedded: LoadedModel) -> None:
    directory = shipped_probe(locate(None))
    assert directory is not None
    probe = load_probe(str(directory), embedded)
    assert probe.weights.abs().sum().item() == pytest.approx(1.0, abs=1e-5)
    assert not torch.allclose(probe.weights, uniform_probe(embedded).weights)
    said = probe.about
    assert said["correlation"]["held_out"] > said["correlation"]["held_out_uniform"]
    assert {"commands", "transcripts", "masks", "versions"} <= set(said)


def test_another_model_has_none(tmp_path: Path) -> None:
    """Not even one in a file of the same name."""
    embedded_file = locate(None).path
    assert embedded_file is not None
    other = tmp_path / embedded_file.name
    other.write_bytes(b"GGUF, but not that one")
    assert shipped_probe(locate(str(other))) is None
    link = tmp_path / "the-same.gguf"
    link.symlink_to(embedded_file)
    assert shipped_probe(locate(str(link))) == shipped_probe(locate(None))
