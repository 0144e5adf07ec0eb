"""ConFETTI, in the layout of the Berkeley Function-Calling Leaderboard.

The data file has one JSON object a line: `id`, `dialog_id`, `question` (the messages so far),
`function` (the schemas of the tools). A line is a *turn to be predicted*, so a dialogue stands in
the file once for every function call, each time a little longer; all lines of a dialogue share what
precedes the last underscore of `dialog_id`, and the longest one is the conversation. Calls that the
messages hold as text, in the manner of BFCL, become tool calls.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tokengeist.bench.importing import Imported, read_records
from tokengeist.errors import DatasetError


def import_confetti(path: Path, *, prefix: str = "confetti") -> Iterator[Imported]:
    """The dialogues of a ConFETTI data file, each once and whole."""
    longest: dict[str, list[dict[str, Any]]] = {}
    for number, record in read_records(path):
        place = f"{path}, line {number + 1}"
        if not isinstance(record, dict) or "question" not in record:
            raise DatasetError(f"{place} has no 'question'; is it ConFETTI in the BFCL layout?")
        dialogue = _dialogue(record, number)
        messages = list(_messages(record["question"], place))
        if len(messages) > len(longest.get(dialogue, [])):
            longest[dialogue] = messages
    for dialogue, messages in longest.items():
        yield Imported(f"{prefix}-{dialogue}", f"ConFETTI {path.name}", with_call_ids(messages))


def _dialogue(record: dict[str, Any], number: int) -> str:
    """What all lines of a dialogue share; a line without a `dialog_id` is a dialogue of its own."""
    if record.get("dialog_id"):
        return re.sub(r"_\d+$", "", str(record["dialog_id"]))
    return str(record.get("id") or number)


def _messages(question: Any, place: str) -> Iterator[dict[str, Any]]:
    """The messages of a `question`: a list of them, or of lists of them."""
    if not isinstance(question, list):
        raise DatasetError(f"{place}: 'question' is a list of messages")
    for entry in question:
        if isinstance(entry, list):
            yield from _messages(entry, place)
        elif isinstance(entry, dict) and isinstance(entry.get("role"), str):
            yield _with_calls(entry)
        else:
            raise DatasetError(f"{place}: 'question' holds something that is no message")


def _with_calls(message: dict[str, Any]) -> dict[str, Any]:
    """An assistant message that is or ends in a list of calls, as a message with tool calls."""
    content = message.get("content")
    if message["role"] != "assistant" or "tool_calls" in message:
        return message
    if isinstance(content, list):
        said, calls = None, _listed_calls(content)
    elif isinstance(content, str):
        said, calls = None, parse_calls(content)
        talk, _, last = content.rstrip().rpartition("\n")
        if calls is None and last.startswith("["):
            said, calls = talk, parse_calls(last)
    else:
        return message
    return message if calls is None else {"role": "assistant", "content": said, "tool_calls": calls}


def parse_calls(text: str) -> list[dict[str, Any]] | None:
    """Calls written as `[f(a=1), g()]` or as `[{"f": {"a": 1}}]`; None for any other text.

    >>> parse_calls("[BookHotel_search(city='Rome', nights=2)]")[0]["function"]["arguments"]
    '{"city": "Rome", "nights": 2}'
    >>> parse_calls("Shall I book it?") is None
    True
    """
    stripped = text.strip()
    try:
        listed = json.loads(stripped)
    except ValueError:
        return _python_calls(stripped)
    return _listed_calls(listed if isinstance(listed, list) else [listed])


def _listed_calls(entries: list[Any]) -> list[dict[str, Any]] | None:
    calls = []
    for entry in entries:
        if not isinstance(entry, dict) or len(entry) != 1:
            return None
        ((name, arguments),) = entry.items()
        if not isinstance(arguments, dict):
            return None
        calls.append(_call(name, arguments))
    return calls or None


def _python_calls(text: str) -> list[dict[str, Any]] | None:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = tree.elts if isinstance(tree, ast.List) else [tree]
    calls = []
    for node in nodes:
        if not isinstance(node, ast.Call) or node.args or any(k.arg is None for k in node.keywords):
            return None
        try:
            arguments = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
            calls.append(_call(ast.unparse(node.func), arguments))
        except (ValueError, TypeError):
            return None
    return calls or None


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(arguments, ensure_ascii=False)
    return {"type": "function", "function": {"name": name, "arguments": text}}


def with_call_ids(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same messages with an id on every call, and on every result that of its call.

    BFCL has no ids: results follow their calls in order. Calls that were never answered wait no
    longer than until the next ones.
    """
    finished = []
    waiting: list[str] = []
    count = 0
    for message in messages:
        if message.get("tool_calls"):
            calls = []
            waiting = []
            for call in message["tool_calls"]:
                count += 1
                calls.append({"id": call.get("id") or f"call_{count}"} | call)
                waiting.append(calls[-1]["id"])
            message = message | {"tool_calls": calls}
        elif message["role"] in ("tool", "function") and "tool_call_id" not in message and waiting:
            message = message | {"role": "tool", "tool_call_id": waiting.pop(0)}
        finished.append(message)
    return finished
