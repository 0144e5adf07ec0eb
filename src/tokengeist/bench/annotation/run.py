"""Annotating a whole folder: several conversations at a time, resumable at any point."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from tokengeist.bench.annotation.asking import Asker
from tokengeist.bench.annotation.conversation import Annotated, SetAside, annotate_conversation
from tokengeist.bench.annotation.endpoint import Endpoint
from tokengeist.bench.annotation.journal import Journal
from tokengeist.bench.annotation.output import OutputFolder
from tokengeist.bench.annotation.prompts import Prompts
from tokengeist.bench.annotation.settings import Models, ServerSettings
from tokengeist.bench.dataset import Dataset
from tokengeist.errors import TokengeistError
from tokengeist.progress import report


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with which part of a folder."""

    limit: int | None = None
    overwrite: bool = False
    """Annotate conversations whose gold somebody else made, and replace it."""
    retry_set_aside: bool = False
    """Ask again for what was set aside in earlier runs."""


@dataclass(slots=True)
class Summary:
    """What a run came to."""

    conversations: int = 0
    finished: int = 0
    """Conversations that this run finished."""
    done_before: int = 0
    had_gold: int = 0
    """Conversations left alone because somebody else annotated them."""
    unfinished: int = 0
    """Conversations that the server left unfinished; the next run goes on with them."""
    targets: int = 0
    escalated: int = 0
    set_aside: int = 0
    calls: int = 0
    tokens_read: int = 0
    tokens_written: int = 0
    calls_without_usage: int = 0
    cost: float = 0.0
    total_cost: float = 0.0
    """Of this and all earlier runs."""
    faults: list[str] = field(default_factory=list)
    """Why conversations are unfinished."""

    def add(self, id: str, annotated: Annotated) -> None:
        """Count one conversation."""
        self.finished += annotated.is_finished
        self.unfinished += not annotated.is_finished
        self.targets += len(annotated.targets)
        self.escalated += annotated.escalated
        self.set_aside += len(annotated.set_aside)
        for fault in annotated.set_aside:
            if fault.is_unfinished:
                self.faults.append(f"{id}: {fault.reasons[0]}")


def annotate(
    dataset: Dataset,
    server: ServerSettings,
    models: Models,
    *,
    prompts: Prompts | None = None,
    plan: Plan | None = None,
) -> Summary:
    """Annotate the conversations of a benchmark folder.

    May be interrupted anywhere, by an exception or by a kill; the same call again goes on and asks
    nothing that was answered. Raises `RunError` where going on is pointless.
    """
    folder = OutputFolder(dataset)
    journal = Journal(folder.journal_folder)
    try:
        run = _Run(folder, journal, server, models, prompts or Prompts.load(), plan or Plan())
        try:
            asyncio.run(run.go())
        except ExceptionGroup as group:
            raise _first_error(group) from group
        finally:
            run.close()
        return run.summary
    finally:
        journal.close()


def _first_error(group: ExceptionGroup[Exception]) -> Exception:
    """The one error that stopped the workers; the others were stopped by it."""
    first = group.exceptions[0]
    return _first_error(first) if isinstance(first, ExceptionGroup) else first


class _Run:
    def __init__(
        self,
        folder: OutputFolder,
        journal: Journal,
        server: ServerSettings,
        models: Models,
        prompts: Prompts,
        plan: Plan,
    ) -> None:
        self._folder = folder
        self._journal = journal
        self._server = server
        self._models = models
        self._prompts = prompts
        self._plan = plan
        self._calls_before = len(journal.calls)
        self._done = 0
        self._ids = folder.dataset.ids[: plan.limit]
        self.summary = Summary(conversations=len(self._ids))

    async def go(self) -> None:
        pending = self._pending()
        async with Endpoint(self._server) as endpoint, asyncio.TaskGroup() as workers:
            asker = Asker(
                endpoint,
                self._journal,
                server=self._server,
                models=self._models,
                prompts=self._prompts,
            )
            for _ in range(min(self._server.concurrency, len(self._ids))):
                workers.create_task(self._work(pending, asker))

    def close(self) -> None:
        """Write down what was spent, however the run ended."""
        self._count_spending()
        self._folder.write_summary(self._description())

    def _pending(self) -> Iterator[str]:
        for id in self._ids:
            if self._plan.retry_set_aside and self._journal.is_finished(id):
                tasks = self._folder.tasks_to_repeat(id)
                if tasks:
                    self._journal.reopen(id, tasks)
            if self._journal.is_finished(id):
                self.summary.done_before += 1
                self._advance()
            elif self._is_foreign(id) and not self._plan.overwrite:
                self.summary.had_gold += 1
                self._advance()
            else:
                yield id

    def _is_foreign(self, id: str) -> bool:
        return self._folder.has_gold(id) and not self._journal.knows(id)

    async def _work(self, pending: Iterator[str], asker: Asker) -> None:
        for id in pending:
            annotated = await self._annotate(id, asker)
            self.summary.add(id, annotated)
            self._advance()

    async def _annotate(self, id: str, asker: Asker) -> Annotated:
        try:
            transcript = self._folder.dataset.transcript(id)
        except TokengeistError as error:
            return Annotated(set_aside=(SetAside("read", None, (str(error),), is_unfinished=True),))
        kept = self._folder.kept(id) if self._journal.is_reopened(id) else ()
        annotated = await annotate_conversation(transcript, asker, self._prompts, kept)
        self._folder.write(transcript, annotated)
        if annotated.is_finished:
            self._journal.finish(id)
        return annotated

    def _advance(self) -> None:
        self._done += 1
        self._count_spending()
        spent = f", {self.summary.cost:.2f} spent" if self.summary.cost else ""
        tokens = self.summary.tokens_read + self.summary.tokens_written
        report(f"annotating ({tokens:,} tokens{spent})", self._done, len(self._ids))

    def _count_spending(self) -> None:
        calls = self._journal.calls[self._calls_before :]
        self.summary.calls = len(calls)
        self.summary.tokens_read = sum(call.usage.read for call in calls)
        self.summary.tokens_written = sum(call.usage.written for call in calls)
        self.summary.calls_without_usage = sum(call.usage.unknown for call in calls)
        self.summary.cost = sum(call.cost for call in calls)
        self.summary.total_cost = sum(call.cost for call in self._journal.calls)

    def _description(self) -> dict[str, Any]:
        return {
            "server": self._server.public_url,
            "model": self._models.model,
            "escalate_model": self._models.escalate,
            "retries": self._models.retries,
            "temperature": self._server.temperature,
            "max_tokens": self._server.max_tokens,
            "prompts": self._prompts.digest,
            "asked": self._journal.askers(),
            "summary": asdict(self.summary),
        }
