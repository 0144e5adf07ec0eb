"""A probe: one weight for every attention head, learned once for a model (AT2).

Two forms are read. The released ones are pickles (`score_estimator.pt`), opened with torch's safe
loader, which builds tensors and plain containers and nothing else. Our own is a pair of files,
`probe.safetensors` and `probe.json`, that no reading can turn into code.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from tokengeist.errors import ModelError
from tokengeist.models.hub import NotOnHubError, fetch
from tokengeist.models.loading import LoadedModel
from tokengeist.models.store import hub_cache

RELEASED = "score_estimator.pt"
WEIGHTS = "probe.safetensors"
ABOUT = "probe.json"
UNIFORM = "uniform"

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """Head weights, and what is known of how they came about."""

    weights: torch.Tensor  # (layers, heads), float32
    about: Mapping[str, Any] = field(default_factory=dict)


def uniform_probe(model: LoadedModel) -> Probe:
    """The mean over all heads, where AT2's training starts; it makes `at2` equal `attention`."""
    layers, heads = heads_of(model)
    return Probe(torch.full((layers, heads), 1 / (layers * heads)), {"trained_on": "nothing"})


def heads_of(model: LoadedModel) -> tuple[int, int]:
    """How many layers a model has, and how many heads each."""
    config = model.model.config.get_text_config(decoder=True)
    return int(config.num_hidden_layers), int(config.num_attention_heads)


def load_probe(name: str, model: LoadedModel) -> Probe:
    """Load a probe for `model`: "uniform", a file, a directory with either form, or a hub id.

    Raises `ModelError` for one that is not there, not a probe, or not for this model.
    """
    if name == UNIFORM:
        return uniform_probe(model)
    path = Path(name).expanduser()
    if path.is_dir():
        found = [path / file for file in (WEIGHTS, RELEASED) if (path / file).is_file()]
        if not found:
            raise ModelError(f"there is no probe in {path}: neither {WEIGHTS} nor {RELEASED}")
        path = found[0]
    elif not path.is_file():
        path = _download(name)
    probe = _read_own(path) if path.suffix == ".safetensors" else _read_released(path)
    return _checked(probe, path, model)


def released_probe(model: LoadedModel) -> Probe:
    """The probe that AT2's authors released for the model of that hub name.

    Raises `ModelError` where there is none.
    """
    basename = model.name.rstrip("/").rsplit("/", 1)[-1].lower()
    try:
        return load_probe(f"madrylab/at2-{basename}", model)
    except ModelError as error:
        raise ModelError(
            f"there is no probe for '{model.name}'. Give one by path or hub id, train one "
            f"(tokengeist probe train), or use the probe '{UNIFORM}' ({error})"
        ) from error


def save_probe(probe: Probe, directory: Path) -> None:
    """Write a probe in the safe form."""
    directory.mkdir(parents=True, exist_ok=True)
    save_file({"weights": probe.weights.float().contiguous()}, directory / WEIGHTS)
    layers, heads = probe.weights.shape
    about = {"format": "tokengeist-probe", "version": 1, "layers": layers, "heads": heads}
    text = json.dumps({**about, **probe.about}, indent=1, ensure_ascii=False)
    (directory / ABOUT).write_text(text + "\n", "utf-8")


def _read_own(path: Path) -> Probe:
    try:
        tensors = load_file(path)
        about = json.loads(path.with_name(ABOUT).read_text("utf-8"))
    except (OSError, ValueError, SafetensorError) as error:
        raise ModelError(f"{path} is not a probe that can be read: {error}") from error
    if "weights" not in tensors or not isinstance(about, dict):
        raise ModelError(f"{path} is not a probe: it has no weights or {ABOUT} is not an object")
    return Probe(tensors["weights"].float(), about)


def _read_released(path: Path) -> Probe:
    """AT2's own file: a linear layer over heads, layer by layer, as a pickled dictionary."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ModelError(
            f"{path} is not an AT2 probe that can be loaded safely: {str(error).splitlines()[0]}"
        ) from error
    try:
        kind = content["class"]
        weight = content["state_dict"]["linear.weight"]
        shape = content["feature_extractor"]["kwargs"]
        layers, heads = int(shape["num_layers"]), int(shape["num_heads"])
        # Files that were loaded and saved again by AT2 repeat `extras` here; it says nothing.
        settings = {k: v for k, v in content.get("kwargs", {}).items() if k != "extras"}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ModelError(f"{path} is not an AT2 probe: {error!r} is missing or wrong") from error
    if kind != "LinearScoreEstimator" or "linear.bias" in content["state_dict"]:
        raise ModelError(f"{path} holds a '{kind}' with a bias; only linear weights can be used")
    if weight.numel() != layers * heads:
        raise ModelError(
            f"{path} has {weight.numel()} weights for {layers} layers of {heads} heads"
        )
    return Probe(weight.float().view(layers, heads), {"form": "at2", **settings})


def _checked(probe: Probe, path: Path, model: LoadedModel) -> Probe:
    expected = heads_of(model)
    if tuple(probe.weights.shape) != expected:
        layers, heads = probe.weights.shape if probe.weights.dim() == 2 else (0, 0)
        raise ModelError(
            f"{path} is a probe for {layers} layers of {heads} heads, and '{model.name}' has "
            f"{expected[0]} of {expected[1]}: it belongs to another model"
        )
    if not torch.isfinite(probe.weights).all() or not probe.weights.any():
        raise ModelError(f"{path} has weights that are infinite, not a number, or all zero")
    return probe


def _download(name: str) -> Path:
    if not _HUB_ID.fullmatch(name):
        raise ModelError(f"there is no probe '{name}': no such file or directory")
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(name, RELEASED, cache_dir=hub_cache())
    if isinstance(cached, str):
        return Path(cached)
    reason = f"the hub repository of that name has no {RELEASED}"
    try:
        if (path := fetch(name, [RELEASED]) / RELEASED).is_file():
            return path
    except NotOnHubError as error:
        reason = str(error)
    raise ModelError(f"there is no probe '{name}': no such file or directory, and {reason}")
