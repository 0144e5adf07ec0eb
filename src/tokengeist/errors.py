"""Every exception that Tokengeist raises on purpose.

    TokengeistError
    ├── TranscriptError (ValueError)      the transcript itself is at fault
    │   ├── FormatError                   a file that no reader understands, or a reader refuses
    │   │   └── SeveralConversationsError one of a file's conversations must be chosen; carries ids
    │   └── RenderingError                a chat template lost, trimmed or reordered a turn
    ├── TargetError (ValueError)          the span to trace is at fault
    │   ├── SpanNotFoundError             it occurs nowhere; carries the nearest text
    │   └── AmbiguousSpanError            it occurs in several turns; carries them
    ├── OptionError (ValueError)          a setting outside what it can be
    ├── UnknownNameError (LookupError)    a backend, model, format or conversation nobody has
    ├── ModelError (RuntimeError)         a model that cannot be loaded or captured
    ├── MissingExtraError (ImportError)   an optional dependency; carries the install command
    ├── AttributionError (RuntimeError)   a backend broke its contract
    ├── GraphError (ValueError)           a graph, or a graph file, that breaks an invariant
    ├── DatasetError (ValueError)         a benchmark folder that is not one, or breaks its rules
    └── RunError (RuntimeError)           a benchmark run that cannot start, go on or be read

    TokengeistWarning                     the work goes on, but the user should know

What is no error but must not pass in silence is a `TokengeistWarning`.

Messages are whole sentences that carry the values and, where there is one, the remedy. They hold
no markup, and nothing in the library prints them: `cli/main.py` alone turns an error into an
exit code.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TokengeistError(Exception):
    """The root of all errors that a user of Tokengeist can cause or must be told about."""


class TokengeistWarning(UserWarning):
    """Something the user should know though the work goes on: a slower way, a longer text."""


class TranscriptError(TokengeistError, ValueError):
    """A transcript that contradicts itself or holds something unusable."""


class FormatError(TranscriptError):
    """A file that is not a transcript in any known format, or not in the one asked for."""


class SeveralConversationsError(FormatError):
    """A file of several conversations, where one was wanted."""

    def __init__(self, message: str, ids: tuple[str, ...]) -> None:
        super().__init__(message)
        self.ids = ids


class RenderingError(TranscriptError):
    """A rendering in which a turn is not where, or not what, it should be."""


class TargetError(TokengeistError, ValueError):
    """A target that cannot be traced."""


class SpanNotFoundError(TargetError):
    """The text to trace occurs in no assistant turn."""


class AmbiguousSpanError(TargetError):
    """The text to trace occurs in several assistant turns."""

    def __init__(self, message: str, turns: tuple[int, ...]) -> None:
        super().__init__(message)
        self.turns = turns


class OptionError(TokengeistError, ValueError):
    """A setting with a value that it cannot have."""


class UnknownNameError(TokengeistError, LookupError):
    """A name that is not registered."""

    def __str__(self) -> str:  # LookupError shows like any other error, not as a repr
        return str(self.args[0])


class ModelError(TokengeistError, RuntimeError):
    """A model that cannot be found, loaded, or read in the way that was asked for."""


class MissingExtraError(TokengeistError, ImportError):
    """An optional part of Tokengeist that is not installed."""


class AttributionError(TokengeistError, RuntimeError):
    """A backend that returned something other than one finite, non-negative score per source."""


class GraphError(TokengeistError, ValueError):
    """A provenance graph, or a file that should hold one, that breaks an invariant."""


class DatasetError(TokengeistError, ValueError):
    """A benchmark folder, or a file in it, that cannot be used as it is."""


class RunError(TokengeistError, RuntimeError):
    """A benchmark run that cannot be started, continued or read."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """An error for a name nobody has, with the nearest known name.

    >>> print(unknown_name("attributor", "lexcal", ["attention", "lexical"]))
    no attributor named 'lexcal'. Did you mean 'lexical'? Available: attention, lexical
    """
    names = sorted(known)
    nearest = difflib.get_close_matches(name, names, n=1)
    hint = f" Did you mean '{nearest[0]}'?" if nearest else ""
    return UnknownNameError(f"no {kind} named '{name}'.{hint} Available: {', '.join(names)}")


def missing_extra(what: str, extra: str) -> MissingExtraError:
    """An error for an optional dependency, with the exact command that installs it.

    >>> print(missing_extra("reading with a model", "models"))
    reading with a model needs an extra that is not installed. Run: pip install 'tokengeist[models]'
    """
    return MissingExtraError(
        f"{what} needs an extra that is not installed. Run: pip install 'tokengeist[{extra}]'"
    )
