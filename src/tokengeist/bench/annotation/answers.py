"""Reading JSON out of whatever a model wrote.

Servers that enforce a schema return clean JSON. Others wrap it in prose or code fences, think aloud
first, or leave a comma too many. What is repaired here can only be meant in one way; half an object
is not completed, because nobody knows what the other half would have said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])', re.DOTALL)
_MOST_STARTS = 200


class AnswerError(Exception):
    """An answer without the JSON object asked for; the message tells the model what was wrong."""


def parse_answer(text: str, *keys: str) -> dict[str, Any]:
    """The JSON object in an answer that has one of `keys`.

    A bare list of objects counts as the value of the first key: models like to leave the wrapper
    out where it holds nothing else.

    >>> parse_answer('Sure!\\n```json\\n{"targets": [1, 2,],}\\n```', "targets")
    {'targets': [1, 2]}
    """
    text = _THOUGHTS.sub("", text).strip()
    if not text:
        raise AnswerError("the answer was empty; a JSON object is needed")
    for candidate in (text, _without_trailing_commas(text)):
        for value in _values(candidate):
            if isinstance(value, dict) and not value.keys().isdisjoint(keys):
                return value
            if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
                return {keys[0]: value}
    raise AnswerError(_fault(text, keys))


def _without_trailing_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)


def _values(text: str) -> Iterator[Any]:
    """Every outermost JSON object or list in the text, in order."""
    # strict=False lets a raw newline stand inside a string, as small models write it.
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(_MOST_STARTS):  # "{{{{…" must not cost a scan of the rest from every brace
        starts = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
        if not starts:
            return
        try:
            value, position = decoder.raw_decode(text, min(starts))
        except (ValueError, RecursionError):
            if text[min(starts)] == "{":
                return  # an object that breaks off; what is inside it is not the answer
            position = min(starts) + 1
        else:
            yield value


def _fault(text: str, keys: tuple[str, ...]) -> str:
    wanted = " or ".join(f"'{key}'" for key in keys)
    if "{" not in text:
        return f"the answer holds no JSON object; one with {wanted} is needed"
    try:
        json.JSONDecoder(strict=False).raw_decode(text, text.index("{"))
    except ValueError as error:
        return f"the answer is not valid JSON: {error}"
    except RecursionError:
        return "the answer is nested too deeply"
    return f"the JSON object has no {wanted}"
