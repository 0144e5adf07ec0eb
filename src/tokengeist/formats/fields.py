"""Taking JSON values apart: each function returns what was expected, or says what was found.

Readers meet files that nobody checked. With these, no reader indexes a value before its type is
known, and every complaint names the place and the type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tokengeist.formats.document import Place
from tokengeist.transcript import Role

_SHOWN_KEYS = 8


def describe(value: object) -> str:
    """A JSON value in a few words, for messages.

    >>> describe({"role": "user"})
    "an object with the key 'role'"
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, Mapping):
        return _describe_object(value)
    if isinstance(value, Sequence):
        return f"a list of {len(value)}, first {_kind(value[0])}" if value else "an empty list"
    return f"a {type(value).__name__}"


def _kind(value: object) -> str:
    """An entry of a list: objects by their keys, but no list of a list of a list."""
    return "a list" if isinstance(value, list) else describe(value)


def _describe_object(value: Mapping[str, object]) -> str:
    if not value:
        return "an empty object"
    keys = ", ".join(repr(_short(key)) for key in list(value)[:_SHOWN_KEYS])
    more = f" and {len(value) - _SHOWN_KEYS} more" if len(value) > _SHOWN_KEYS else ""
    return f"an object with the key{'s' if len(value) > 1 else ''} {keys}{more}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def as_object(value: object, place: Place, what: str) -> Mapping[str, object]:
    """`value` as an object; `what` names it in the complaint."""
    if isinstance(value, dict):
        return value
    raise place.error(f"{what} should be an object but is {describe(value)}")


def as_list(value: object, place: Place, what: str) -> Sequence[object]:
    """`value` as a list."""
    if isinstance(value, list):
        return value
    raise place.error(f"{what} should be a list but is {describe(value)}")


def as_text(value: object, place: Place, what: str) -> str:
    """`value` as a string."""
    if isinstance(value, str):
        return value
    raise place.error(f"{what} should be a string but is {describe(value)}")


def optional_text(value: object, place: Place, what: str) -> str | None:
    """`value` as a string; null and the empty string mean that there is none."""
    return None if value is None else as_text(value, place, what) or None


def optional_id(value: object, place: Place, what: str) -> str | None:
    """`value` as an identifier: a string, or a number, which some recorders write instead."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return optional_text(value, place, what)


def role_named(value: object, roles: Mapping[str, Role], place: Place, what: str = "role") -> Role:
    """The role that a format means by its word for it."""
    if isinstance(value, str) and value in roles:
        return roles[value]
    found = repr(value) if isinstance(value, str) else describe(value)
    raise place.error(f"unknown {what} {found}; the {what}s are {', '.join(roles)}")


def verbatim(value: object) -> str:
    """A string as it is, and any other value as JSON: how arguments and results become text.

    >>> verbatim({"city": "Kraków"})
    '{"city": "Kraków"}'
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parsed(value: object) -> object:
    """The value, out of the JSON strings that it may be wrapped in; any other string as it is.

    >>> parsed('"[1, 2]"')
    [1, 2]
    """
    while isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            value = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            break
    return value
