"""A model's name → a model and its tokenizer, ready to read.

A GGUF file takes transformers a quarter of a minute to open, most of it for the tokenizer, so it is
converted once into the cache and loaded from there in seconds.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokengeist.errors import ModelError, missing_extra
from tokengeist.models.cache import build_directory, sampled_digest
from tokengeist.models.hub import NotOnHubError, fetch
from tokengeist.models.store import (
    EMBEDDED,
    SENTENCES,
    Kind,
    ModelPlace,
    install,
    locate,
    unknown_model,
)

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_PACKAGES = ("accelerate", "gguf", "numpy", "safetensors", "torch", "transformers")

_HUB_FILES = ["*.json", "*.safetensors", "*.model", "*.jinja", "*.txt", "*.py"]


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """A causal language model in evaluation mode, with its tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    window: int
    """Most tokens that it can read at once."""
    fingerprint: str
    """Equal for equal weights, tokenizer and dtype; part of every cache key."""

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def has_chat_template(self) -> bool:
        return bool(self.tokenizer.chat_template)


def load_model(
    name: str | None = None,
    *,
    device: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
) -> LoadedModel:
    """Load the embedded model (`None` or "smollm2"), a directory, a `.gguf` file or a hub id.

    Left out, `device` is the first GPU, or the CPU, and `dtype` is float16 on a GPU, as in the
    paper; the CPU always means float32.

    Raises `ModelError`, and `MissingExtraError` where torch or transformers is not installed.
    """
    place = locate(name)  # a wrong name is said at once, before the imports that take seconds
    if place.kind is Kind.SENTENCES:
        raise ModelError(
            f"'{place.name}' is a sentence model, and this needs a language model. Give a "
            "directory, a .gguf file or a hub id, or leave the model out to use the embedded one"
        )
    require_models_extra()
    torch_device = _device(device)
    torch_dtype = _dtype(dtype, torch_device)
    with quiet():
        directory = _loadable_directory(place)
        model, tokenizer = _load_directory(directory, place.name, torch_dtype, trust_remote_code)
    model.train(False)
    model.requires_grad_(False)
    if torch_device.type != "cpu":
        model.to(torch_device)  # type: ignore[arg-type]
    return LoadedModel(
        model=model,
        tokenizer=tokenizer,
        name=place.name,
        window=_window(model, tokenizer),
        fingerprint=f"{directory_fingerprint(directory)}-{torch_dtype}",
    )


def pull_model(name: str | None = None) -> ModelPlace:
    """Bring a model onto this machine and into the form that loads fast.

    Installs the package of one of our own models into the running interpreter where it is missing,
    or downloads a hub model.
    """
    if name in (None, EMBEDDED, SENTENCES):
        install(name or EMBEDDED)
    place = locate(name)
    require_models_extra()
    with quiet():
        _loadable_directory(place)
    return locate(name)


def require_models_extra() -> None:
    """Raise `MissingExtraError` where reading with a model is impossible for want of packages."""
    if not all(importlib.util.find_spec(package) for package in _PACKAGES):
        raise missing_extra("reading with a model", "models")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence the progress bars and notices of transformers and the hub while they load."""
    from transformers.utils import logging

    verbosity, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()  # and the hub's with it
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if had_bars:
            logging.enable_progress_bar()


def _device(name: str | None) -> torch.device:
    import torch

    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"the device '{name}' cannot be used here: {reason}") from error
    return device


def _dtype(name: str | None, device: torch.device) -> torch.dtype:
    import torch

    known = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
    if name is None:
        return torch.float32 if device.type == "cpu" else torch.float16
    if name not in known:
        raise ModelError(f"no dtype '{name}'; available: {', '.join(known)}")
    if device.type == "cpu" and name != "float32":
        raise ModelError(
            f"the CPU reads in float32, not {name}: half precision is slower there and some "
            "processors cannot do it at all. Leave the dtype out, or choose a GPU"
        )
    return known[name]


def _loadable_directory(place: ModelPlace) -> Path:
    """The directory that `from_pretrained` reads, made or downloaded where that is needed."""
    if place.converted is not None:
        gguf = place.path
        assert gguf is not None
        return build_directory(place.converted, lambda into: _convert(gguf, into))
    return place.path or _download(place.name)


def _convert(gguf: Path, into: Path) -> None:
    """Write a GGUF file's weights as safetensors and its tokenizer as tokenizer.json."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where: dict[str, Any] = {
        "pretrained_model_name_or_path": str(gguf.parent),
        "gguf_file": gguf.name,
    }
    try:
        # The conversion draws a progress bar that no setting of transformers turns off.
        with contextlib.redirect_stderr(io.StringIO()):
            tokenizer = AutoTokenizer.from_pretrained(**where)
            model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    except (OSError, ValueError, KeyError, NotImplementedError) as error:
        raise ModelError(f"transformers cannot read the GGUF file {gguf}: {error}") from error
    # save_pretrained refuses a model that still calls itself quantised, although these weights
    # have been expanded to float32.
    setattr(model, "hf_quantizer", None)  # noqa: B010  (its type has no such attribute)
    del model.config.quantization_config
    model.save_pretrained(into)
    tokenizer.save_pretrained(into)


def _download(name: str) -> Path:
    try:
        return fetch(name, _HUB_FILES)
    except NotOnHubError as error:
        raise unknown_model(name, f"and {error}") from None


def _load_directory(
    directory: Path, name: str, dtype: torch.dtype, trust_remote_code: bool
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": trust_remote_code}
    try:
        tokenizer = AutoTokenizer.from_pretrained(directory, **options)
        model = AutoModelForCausalLM.from_pretrained(directory, dtype=dtype, **options)
    except Exception as error:  # transformers raises anything at all for a directory it dislikes
        if "trust_remote_code" in str(error):
            raise ModelError(
                f"the model '{name}' brings its own code, which runs on this machine when it is "
                "loaded. If you trust it, pass --trust-remote-code (trust_remote_code=True)"
            ) from error
        reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise ModelError(
            f"transformers cannot load '{name}' from {directory} as a causal language model: "
            f"{reason}"
        ) from error
    if not tokenizer.is_fast:
        raise ModelError(
            f"the tokenizer of '{name}' cannot say which characters a token stands for; "
            "a model with a fast tokenizer (tokenizer.json) is needed"
        )
    return model, tokenizer


def _window(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int:
    config = model.config.get_text_config(decoder=True)
    limits = [
        limit
        for limit in (
            getattr(config, "max_position_embeddings", None),
            tokenizer.model_max_length,  # an astronomically large number where it is unset
        )
        if isinstance(limit, int) and limit > 0
    ]
    return min(limits, default=2048)


def directory_fingerprint(directory: Path) -> str:
    """A digest of a model's files that needs neither the model nor torch."""
    digest = hashlib.sha256()
    for path in sorted(directory.iterdir()):
        if path.suffix in (".json", ".safetensors", ".bin", ".jinja", ".model"):
            digest.update(f"{path.name}:{sampled_digest(path)}\n".encode())
    return digest.hexdigest()
