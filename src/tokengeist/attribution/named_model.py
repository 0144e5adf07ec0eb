"""Who would read with what a user has said of a model: no choice is passed over in silence."""

from __future__ import annotations

from tokengeist.attribution.registry import BackendOptions, create_attributor, find_backend
from tokengeist.errors import ModelError
from tokengeist.models.store import SENTENCES


def reads_with_it(backend: str, options: BackendOptions) -> bool:
    """Whether a backend would read with the named model.

    Where the registry does not say that it needs one, the backend itself is made and asked.
    """
    if find_backend(backend).needs_model:
        return not is_sentence_model(options)
    return create_attributor(backend, options).spec.model is not None


def is_sentence_model(options: BackendOptions) -> bool:
    """Whether the named model can only tell how alike two texts are, and judge nothing."""
    return options.model == SENTENCES


def require_a_reader(backend: str, options: BackendOptions, *, is_judged: bool = False) -> None:
    """Raise `ModelError` where a model is named and nothing would read with it.

    `is_judged`: the model also puts the outcome to the test, which takes a language model.
    """
    judges = is_judged and not is_sentence_model(options)
    if options.model is None or judges or reads_with_it(backend, options):
        return
    raise ModelError(
        f"{backend} does not read with the model '{options.model}', so naming it would do nothing. "
        "Leave the model out, or choose a backend that reads with it (see `tokengeist backends`); "
        "any language model can put a trace to the test (`tokengeist trace --verify`)"
    )


def refuse_idle_options(backend: str, options: BackendOptions, *, is_judged: bool = False) -> None:
    """Raise `ModelError` where options say how a model reads, and none would.

    Apart from `require_a_reader`, because the backends of a sweep share such options.
    """
    idle = [name for name in _ABOUT_READING if getattr(options, name) is not None]
    if not idle or is_judged or reads_with_it(backend, options):
        return
    raise ModelError(
        f"{backend} reads without a model, so --{idle[0]} would do nothing. Leave it out, or "
        "choose a backend that reads with a model (see `tokengeist backends`)"
    )


_ABOUT_READING = ("device", "dtype", "render", "probe")
