"""The command line: one thin file per command, and the one place where errors become exit codes.

Exit codes: 0 for success, 1 where the work was done but not all of it came out well, 2 for anything
the user can put right, 130 for Ctrl-C. A traceback means a bug in Tokengeist.
"""

from __future__ import annotations

import errno
import sys
import warnings
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

import typer

from tokengeist.cli import (
    annotate,
    backends,
    bench,
    cache,
    faithfulness,
    fit,
    models,
    probe,
    review,
    serve,
    trace,
    turns,
)
from tokengeist.errors import TokengeistError, TokengeistWarning
from tokengeist.export.terminal import printable

app = typer.Typer(
    name="tokengeist",
    help="git blame for an agent's answers: where a span of a transcript came from.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("trace")(trace.trace)
app.command("turns")(turns.turns)
app.command("annotate")(annotate.annotate)
app.command("review")(review.review)
app.command("backends")(backends.backends)
app.command("fit")(fit.fit)
app.command("faithfulness")(faithfulness.faithfulness)
app.command("cache")(cache.cache)
app.command("serve")(serve.serve)
app.add_typer(bench.app, name="bench")
app.add_typer(models.app, name="models")
app.add_typer(probe.app, name="probe")


def _version(show: bool) -> None:
    if show:
        from importlib.metadata import version

        print(f"tokengeist {version('tokengeist')}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    context.call_on_close(sys.stdout.flush)  # what cannot be written must fail while it is handled


def main() -> None:
    """Run a command and turn whatever it raises into a message and an exit code."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()  # handles its own usage errors (2), Ctrl-C (130) and broken pipes
    except TokengeistError as error:
        raise SystemExit(_fail(str(error))) from None
    except OSError as error:
        if error.errno in _NO_ROOM:
            with suppress(OSError):
                sys.stdout.close()  # or Python tries once more at its end
            raise SystemExit(_fail(f"cannot write: {error.strerror}")) from None
        if error.filename is None:
            raise
        raise SystemExit(_fail(_about_a_path(error))) from None


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def _about_a_path(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return (
            f"{error.filename} cannot be made or opened: there is a file where a folder is needed. "
            "Choose another path, or move the file away"
        )
    return f"{error.filename} cannot be used: {error.strerror}"


def _fail(message: str) -> int:
    print(f"error: {printable(message)}", file=sys.stderr)
    return 2


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, TokengeistWarning):
        print(f"note: {printable(str(message))}", file=sys.stderr)


if __name__ == "__main__":
    main()
