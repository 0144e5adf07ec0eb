"""Small made-up conversations in the shapes that agents produce."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tokengeist.api import open_tracer
from tokengeist.attribution.blend.attributor import BlendAttributor
from tokengeist.attribution.blend.model import shipped_weights
from tokengeist.attribution.protocol import Explanation, Unit
from tokengeist.attribution.registry import BackendOptions
from tokengeist.transcript import Role, ToolCall, Transcript, Turn, locate_target


class Script:
    """Writes a transcript line by line."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def _add(self, role: Role, content: str, **more: Any) -> Script:
        self.turns.append(Turn(len(self.turns), role, content, **more))
        return self

    def system(self, text: str) -> Script:
        return self._add(Role.SYSTEM, text)

    def user(self, text: str) -> Script:
        return self._add(Role.USER, text)

    def says(self, text: str) -> Script:
        return self._add(Role.ASSISTANT, text)

    def calls(self, name: str, result: object, /, **arguments: object) -> Script:
        """A call and its result: two turns."""
        call_id = f"call_{len(self.turns)}"
        call = ToolCall(name, json.dumps(arguments), call_id)
        self._add(Role.ASSISTANT, "", calls=(call,))
        content = result if isinstance(result, str) else json.dumps(result)
        return self._add(Role.TOOL, content, call_id=call_id)

    def transcript(self) -> Transcript:
        return Transcript(tuple(self.turns))


def explain(script: Script, text: str, *, turn: int | None = None) -> Explanation:
    transcript = script.transcript()
    return (
        BlendAttributor().read(transcript, ()).explain(locate_target(transcript, text, turn=turn))
    )


def sources(script: Script, text: str, *, turn: int | None = None) -> set[int]:
    """The turns that a span most likely rests on."""
    cut = shipped_weights().cut
    return {link.turn for link in explain(script, text, turn=turn).links if link.score >= cut}


def quoted(script: Script, text: str, source: int) -> list[str]:
    """The evidence for one source of a span."""
    link = next(link for link in explain(script, text).links if link.turn == source)
    return [span.of(script.turns[source].text) for span in link.evidence]


def unit(script: Script, text: str, piece: str) -> Unit:
    """The account of one piece of a span."""
    return next(
        unit
        for unit in explain(script, text).units
        if unit.span.of(script.turns[unit.turn].text) == piece
    )


def tracing(backend: str, transcript: Transcript, text: str) -> Callable[[], object]:
    """Work to be measured: from the transcript to the graph of a span of its last turn."""
    target = locate_target(transcript, text, turn=len(transcript.turns) - 1)
    options = BackendOptions(model="none" if backend == "blend" else None)
    return lambda: open_tracer(transcript, backend=backend, options=options).trace(target)


LOAN = {"loan_id": "LN-4471", "title": "Tide Tables", "branch": "Harbour", "due": "2031-03-09"}


def library() -> Script:
    """0 system, 1 user, 2–3 member, 4–5 loan, 6 reply, 7 user, 8–9 renewal, 10 report."""
    return (
        Script()
        .system("Members can borrow at most six books. A loan can be renewed only once.")
        .user("Hi, my member number is M-20931. When is Tide Tables due?")
        .calls("get_member", {"name": "Ada Lind", "loans": ["LN-4471"]}, member="M-20931")
        .calls("get_loan", LOAN, loan="LN-4471")
        .says("Tide Tables is due on March 9. Would you like me to renew it?")
        .user("Yes, please.")
        .calls("renew_loan", LOAN | {"due": "2031-03-30"}, loan="LN-4471")
        .says("Your loan has been renewed. Tide Tables is now due on March 30.")
    )
