"""Which backends there are, without importing any of them.

To add one to Tokengeist: write a file beside this one, add a line to `BUILTIN`, and a page to
docs/. An outside package registers through the entry-point group `tokengeist.attributors`, with a
callable that takes a `BackendOptions` and returns an `Attributor`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points

from tokengeist.attribution.protocol import Attributor
from tokengeist.errors import TokengeistError, unknown_name
from tokengeist.rendering import check_style

ENTRY_POINT_GROUP = "tokengeist.attributors"


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """What a user can say about a backend from the outside; each backend takes what it needs."""

    model: str | None = None
    """A directory, a hub id or a GGUF file, or for `blend` `minilm` or `none`; None for the
    backend's own default: the embedded model, for `blend` the sentence model if it is there."""
    device: str | None = None
    dtype: str | None = None
    render: str | None = None
    """`plain` or `chat`; None for the backend's own default."""
    trust_remote_code: bool = False
    seed: int = 0
    probe: str | None = None
    """For `at2`: a probe's path or hub id, or `uniform`; None for the one that fits the model."""
    cache: bool = True
    """Whether readings may come from the disk and are kept there."""

    def __post_init__(self) -> None:
        check_style(self.render)


AttributorFactory = Callable[[BackendOptions], Attributor]


@dataclass(frozen=True, slots=True)
class Backend:
    """An entry of the registry: a factory that is imported when it is first wanted."""

    name: str
    summary: str
    factory: str
    """`module:callable`."""
    needs_model: bool = False

    def load(self) -> AttributorFactory:
        module, _, attribute = self.factory.partition(":")
        factory: AttributorFactory = getattr(import_module(module), attribute)
        return factory


BUILTIN = (
    Backend(
        "blend",
        "where every value, word and decision came from, as probabilities; with minilm or no model",
        "tokengeist.attribution.blend.attributor:create",
    ),
    Backend(
        "lexical",
        "overlap of words and values, rare ones counting more; no model, instant",
        "tokengeist.attribution.lexical:create",
    ),
    Backend(
        "attention",
        "the paper's Avg. Attention, from one forward pass over the transcript",
        "tokengeist.attribution.attention:create",
        needs_model=True,
    ),
    Backend(
        "at2",
        "attention weighted head by head by a learned probe, from the same one pass",
        "tokengeist.attribution.at2:create",
        needs_model=True,
    ),
    Backend(
        "attntrace",
        "attention in thirty random parts of the context, the best tokens of each source",
        "tokengeist.attribution.attntrace:create",
        needs_model=True,
    ),
    Backend(
        "ablation",
        "what the target's probability loses when turns and sentences are taken away",
        "tokengeist.attribution.ablation:create",
        needs_model=True,
    ),
)


def backends() -> dict[str, Backend]:
    """Every backend by name: the built-in ones, then those of installed packages."""
    found = {backend.name: backend for backend in BUILTIN}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name in found:
            raise TokengeistError(
                f"two backends are called '{point.name}'; one of them is {point.value}"
            )
        found[point.name] = Backend(point.name, f"from {point.module}", point.value)
    return found


def find_backend(name: str) -> Backend:
    """The backend called `name`. Raises `UnknownNameError` with the nearest name.

    For a built-in one no installed package is looked at: that would take longer than many a trace.
    """
    for backend in BUILTIN:
        if backend.name == name:
            return backend
    known = backends()
    if name not in known:
        raise unknown_name("attributor", name, known)
    return known[name]


def create_attributor(name: str, options: BackendOptions | None = None) -> Attributor:
    """The backend called `name`, ready to read.

    Raises `UnknownNameError` with the nearest name, or `MissingExtraError` with what to install.
    """
    return find_backend(name).load()(options or BackendOptions())
