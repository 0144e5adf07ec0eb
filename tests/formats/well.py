"""A conversation as chat messages, for the tests of traces, and what becomes of it."""

from __future__ import annotations

ASKED = {"role": "user", "content": "How deep is the well?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "function": {"name": "measure", "arguments": '{"well": 3}'}}],
}
MEASURED = {"role": "tool", "tool_call_id": "c1", "content": "41 ft"}
ANSWERED = {"role": "assistant", "content": "41 feet."}
WHOLE = [
    ("user", "How deep is the well?"),
    ("assistant", 'measure({"well": 3})'),
    ("tool", "41 ft"),
    ("assistant", "41 feet."),
]
