"""One question that every contender can be asked: which parts of a text does a span rest on?

The peers know one context, one query and one response, so a synthetic conversation is written out
as that context. Everything is given, nothing is generated.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

QUERY = "Continue the conversation."


@dataclass(frozen=True)
class Question:
    """A response to a context, and the part of the response to explain."""

    model: str
    """The directory of the weights."""
    context: str
    query: str
    response: str
    start: int
    """Where the span begins in the response, in characters."""
    end: int

    @property
    def prompt(self) -> str:
        """What the user says, in the words that at2 and context-cite have for it."""
        return f"Context: {self.context}\n\nQuery: {self.query}"

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Question:
        return cls(**json.loads(path.read_text(encoding="utf-8")))


def make_question(tokens: int) -> Question:
    """About a synthetic target that has some `tokens` before it."""
    from benchmarks.conversations import synthetic
    from tokengeist.models.loading import load_model

    model = load_model()
    conversation = next(synthetic(1, turns=(70, 90)))

    def before(turn: int) -> str:
        return "\n".join(turn.text for turn in conversation.transcript.turns[:turn])

    def distance(turn: int) -> int:
        ids = model.tokenizer(before(turn), add_special_tokens=False)["input_ids"]
        return abs(len(ids) - tokens)

    gold = min(conversation.targets, key=lambda gold: distance(gold.turn))
    return Question(
        model=str(model.model.name_or_path),
        context=before(gold.turn),
        query=QUERY,
        response=conversation.transcript.turns[gold.turn].text,
        start=gold.span.start,
        end=gold.span.end,
    )
