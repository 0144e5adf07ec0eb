"""Who would read with what a user has said of a model: no choice is passed over in silence."""

from __future__ import annotations

from tokengeist.attribution.registry import BackendOptions, create_attributor, find_backend
from tokengeist.errors import ModelError
from tokengeist.models.store import NONE, SENTENCES


def reads_with_it(backend: str, options: BackendOptions) -> bool:
    """Whether a backend would read with the named model.

    Where the registry does not say that it needs one, the backend itself is made and asked.
    """
    if find_backend(backend).needs_model:
        return is_language_model(options.model)
    return create_attributor(backend, options).spec.model is not None


def is_language_model(name: str | None) -> bool:
    """Whether a model of that name can judge texts; left out, it is the embedded one.

    The sentence model can only tell how alike two of them are.
    """
    return name not in (SENTENCES, NONE)


def require_a_reader(backend: str, options: BackendOptions, *, is_judged: bool = False) -> None:
    """Raise `ModelError` where a model is named and nothing would read with it.

    `is_judged`: the model also puts the outcome to the test, which takes a language model.
    """
    judges = is_judged and is_language_model(options.model)
    idle = options.model == NONE and not find_backend(backend).needs_model
    if options.model is None or idle or judges or reads_with_it(backend, options):
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
    if not idle or is_judged or _reads_with_language_model(backend, options):
        return
    raise ModelError(
        f"{backend} reads without a language model, so --{idle[0]} would do nothing. Leave it out, "
        "or choose a backend that reads with one (see `tokengeist backends`)"
    )


def _reads_with_language_model(backend: str, options: BackendOptions) -> bool:
    if find_backend(backend).needs_model:
        return True
    model = create_attributor(backend, options).spec.model
    return model is not None and is_language_model(model)


_ABOUT_READING = ("device", "dtype", "render", "probe")
