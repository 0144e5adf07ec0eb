"""Patterns that a user gives to find something in the ids of conversations."""

from __future__ import annotations

import re

from tokengeist.errors import OptionError


def read_pattern(text: str) -> re.Pattern[str]:
    """A regular expression. Raises `OptionError` for what is none."""
    try:
        return re.compile(text)
    except re.error as error:
        raise OptionError(f"'{text}' is no pattern: {error}") from error
