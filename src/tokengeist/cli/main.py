"""The command line: one thin file per command, and the one place where errors become exit codes.

Exit codes: 0 for success, 2 for anything the user can put right, 130 for Ctrl-C. A traceback means
a bug in Tokengeist.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TextIO

import click
import typer

from tokengeist.cli import backends, trace, turns
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
app.command("backends")(backends.backends)


def _version(show: bool) -> None:
    if show:
        from importlib.metadata import version

        print(f"tokengeist {version('tokengeist')}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    pass


def main() -> None:
    """Run a command and turn whatever it raises into a message and an exit code."""
    warnings.showwarning = _show_warning
    try:
        code = app(standalone_mode=False)
    except TokengeistError as error:
        code = _fail(str(error))
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        print("interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        # `tokengeist … | head`: the reader has left, which is no error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    raise SystemExit(code)


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
