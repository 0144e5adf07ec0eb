"""Holding a model to the rules: ask, check, complain, ask again; then ask a better model.

One loop serves both phases. What an answer comes to, and what is wrong with it, is the business of
the phase (`targets`, `graphs`); here it is only whether to go on asking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tokengeist.bench.annotation.endpoint import Endpoint, RefusedError, UnavailableError
from tokengeist.bench.annotation.journal import Journal, Question
from tokengeist.bench.annotation.prompts import Prompts, fill
from tokengeist.bench.annotation.settings import Models, ServerSettings
from tokengeist.bench.annotation.wire import Answer, Message
from tokengeist.errors import RunError

_OUTAGE = 3
"""After so many calls in a row that came to nothing, the server counts as down."""

_LONGEST_ECHO = 20_000
"""Most characters of a faulty answer that its author is shown again."""


class Checked(Protocol):
    """What a phase makes of an answer."""

    @property
    def complaints(self) -> tuple[str, ...]:
        """What has to be put right."""
        ...

    @property
    def is_usable(self) -> bool:
        """Whether the answer will do, though it could be better."""
        ...


C = TypeVar("C", bound=Checked)


@dataclass(frozen=True, slots=True)
class Attempt(Generic[C]):
    """One answer, by whom, and what it came to; `checked` is None where there was no answer."""

    model: str
    number: int
    answer: str
    complaints: tuple[str, ...]
    checked: C | None = None

    def to_json(self) -> dict[str, Any]:
        """As a set-aside file shows it."""
        return {"model": self.model, "number": self.number, "complaints": list(self.complaints)}


@dataclass(frozen=True, slots=True)
class Task(Generic[C]):
    """One thing to be asked: its name in the journal, the prompt, and how to check answers."""

    conversation: str
    name: str
    prompt: str
    schema: dict[str, Any]
    check: Callable[[str], C]


class Asker:
    """Asks on behalf of all conversations of a run."""

    def __init__(
        self,
        endpoint: Endpoint,
        journal: Journal,
        *,
        server: ServerSettings,
        models: Models,
        prompts: Prompts,
    ) -> None:
        self._endpoint = endpoint
        self._journal = journal
        self._server = server.public_url
        self._models = models
        self._prompts = prompts
        options = {"temperature": server.temperature, "max_tokens": server.max_tokens}
        self._options = tuple((k, v) for k, v in options.items() if v is not None)
        self._failures = 0

    async def ask(self, task: Task[C]) -> list[Attempt[C]]:
        """Every attempt at a task, the last of which succeeded if any did.

        Raises `UnavailableError` where the server does not answer, and `RunError` where it answers
        nobody.
        """
        attempts: list[Attempt[C]] = []
        for model in filter(None, (self._models.model, self._models.escalate)):
            for number in range(1 + self._models.retries):
                # The better model starts afresh: another's mistakes would only mislead it.
                last = attempts[-1] if number else None
                attempt = await self._attempt(task, model, number, last)
                attempts.append(attempt)
                if not attempt.complaints or self._will_do(attempt):
                    return attempts
                if attempt.checked is None:
                    break  # refused outright; the same model would refuse again
        return attempts

    def _will_do(self, attempt: Attempt[C]) -> bool:
        """Whether to leave it at that: the model was asked once more and changed nothing."""
        return attempt.checked is not None and attempt.checked.is_usable and attempt.number > 0

    async def _attempt(
        self, task: Task[C], model: str, number: int, last: Attempt[C] | None
    ) -> Attempt[C]:
        messages = tuple(self._messages(task, last))
        question = Question(task.conversation, task.name, number, model, messages, self._options)
        try:
            answer = self._journal.answer_to(question) or await self._call(question, task.schema)
        except RefusedError as error:
            return Attempt(model, number, "", (str(error),))
        checked = task.check(answer.text)
        complaints = checked.complaints
        if complaints and answer.finish == "length":
            complaints = ("the answer was cut off by the limit of tokens", *complaints)
        elif complaints and answer.finish == "content_filter":
            complaints = ("the answer was withheld by the server's filter", *complaints)
        return Attempt(model, number, answer.text, complaints, checked)

    async def _call(self, question: Question, schema: dict[str, Any]) -> Answer:
        try:
            answer = await self._endpoint.ask(question.model, question.messages, schema)
        except UnavailableError as error:
            self._failures += 1
            if self._failures >= _OUTAGE:
                raise RunError(
                    f"the server does not answer: {error}. Nothing that was finished is lost: run "
                    "the same command again later"
                ) from error
            raise
        self._failures = 0
        price = self._models.price_of(question.model)
        self._journal.keep(question, answer, self._server, price)
        return answer

    def _messages(self, task: Task[C], last: Attempt[C] | None) -> Iterator[Message]:
        """The prompt and, after a faulty answer, that answer and what was wrong with it.

        Older answers are left out: a request must not grow with every mistake.
        """
        yield {"role": "user", "content": task.prompt}
        if last is not None:
            complaints = "\n".join(f"- {complaint}" for complaint in last.complaints)
            yield {"role": "assistant", "content": last.answer[:_LONGEST_ECHO] or "(no answer)"}
            yield {
                "role": "user",
                "content": fill(self._prompts.again, {"complaints": complaints}),
            }
