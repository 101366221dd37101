"""Lists of all pods of runs: when the scheduler asks for one, and when this process begins to lead."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from agent.backoff import Backoff
from agent.cluster.runs.answers import Waits
from agent.cluster.runs.envelope import Envelope
from agent.cluster.runs.list_pages import ListHead, pages_of
from agent.cluster.spool.entries import LISTS, Report, RunList, page_report
from agent.cluster.spool.writer import SpoolWriter
from agent.core.run_event import ListedRun
from agent.kube.codec import Unreadable
from agent.kube.errors import ApiError, Gone, Unreachable
from agent.telemetry import cluster_metrics as metrics
from agent.telemetry.cluster_metrics import ListDropped
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)
_IDLE_SECONDS: Final = 0.2
_PATIENCE_SECONDS: Final = 10.0
"""How long a list waits for the broker to have all pages of the last one, which takes it a moment as a rule."""

_BACKOFF: Final = Backoff(first=0.5, most=30.0)


class Dropped(Waits):
    """There is no list now, and nothing of it is published."""

    def __init__(self, why: ListDropped, message: str) -> None:
        super().__init__(message)
        self.why = why


Pages = Callable[[], AsyncGenerator[Sequence[ListedRun]]]
"""Reads all pods of runs, a number at a time. Raises ApiError, Unreachable and Unreadable."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt to list that answers the first ``asked`` who asked; ``error`` is why there is no list."""

    asked: int
    error: Exception | None


class RunLists:
    """Lists one at a time, each whole or not at all, and the next only after the broker has all of the last.

    ``term`` is the number of the leader's term, ``None`` while this process may not list. ``ordered``: whatever the
    processes of this agent reported of a pod that is gone is published before a list that lacks it. Else lists have no
    ``as_of``, so that nothing follows from what they lack.
    """

    def __init__(
        self,
        pages: Pages,
        envelope: Envelope,
        writer: SpoolWriter,
        *,
        term: Callable[[], int | None],
        ordered: bool,
        patience: float = _PATIENCE_SECONDS,
        backoff: Backoff = _BACKOFF,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._pages = pages
        self._envelope = envelope
        self._writer = writer
        self._term = term
        self._ordered = ordered
        self._patience = patience
        self._backoff = backoff
        self._jitter = jitter
        self._heard: datetime | None = None
        self._asked = 0
        self._last = _Attempt(0, None)
        self._listed_in: int | None = None
        self._listing = asyncio.Lock()
        self._problems = Repetition()

    def hear(self, issued_at: datetime) -> None:
        """This process has a command that was issued then: what it lists from now on is newer."""
        self._heard = issued_at if self._heard is None else max(self._heard, issued_at)

    async def ask(self) -> None:
        """Return when a list that begins after this call is on disk.

        All that ask while a list runs are answered by the next one. If there is none, the last of them is to ask again
        (raises Waits, ApiError, Unreachable and Unreadable), and stands for the others.
        """
        self._asked += 1
        number = self._asked
        async with self._listing:
            if number > self._last.asked:
                await self._attempt()
            if self._last.error is not None and number == self._last.asked:
                raise self._last.error

    async def run(self) -> None:
        """List at the beginning of each term, until cancelled."""
        failed = 0
        while True:
            term = self._term()
            if term is None or term == self._listed_in:
                failed = 0
                await asyncio.sleep(_IDLE_SECONDS)
                continue
            async with self._listing:
                await self._attempt()
            if self._last.error is not None:
                await asyncio.sleep(self._backoff.seconds(failed, jitter=self._jitter()))
                failed += 1

    async def _attempt(self) -> None:
        asked, error = self._asked, None
        try:
            await self._list()
        except Exception as problem:  # noqa: BLE001 - whoever asked, or the next attempt of a term, handles it
            error = problem
            self._report(problem)
        else:
            self._problems.over()
        self._last = _Attempt(asked, error)

    async def _list(self) -> None:
        term = await self._may_begin()
        began = time.monotonic()
        head = ListHead(
            cluster_id=self._envelope.cluster_id,
            cluster=self._envelope.cluster,
            list_id=self._envelope.new_id(),
            as_of=self._heard if self._ordered else None,
            listed_at=self._envelope.clock(),
        )
        runs = await self._read(term)
        await self._save(head, runs, term=term)
        self._listed_in = term
        metrics.RUN_LIST_SECONDS.observe(time.monotonic() - began)
        metrics.LISTED_RUNS.set(len(runs))

    async def _may_begin(self) -> int:
        """The term of the list. Raises Dropped."""
        term = self._term()
        if term is None:
            raise Dropped(ListDropped.NOT_LEADING, "this process is not the leader, or has not listed all pods yet")
        if self._writer.problem is not None:
            raise Dropped(ListDropped.SPOOL, self._writer.problem)
        try:
            async with asyncio.timeout(self._patience):
                while not await self._writer.settled(LISTS):  # noqa: ASYNC110 - it reads a file
                    await asyncio.sleep(_IDLE_SECONDS)
        except TimeoutError as error:
            text = "the broker does not have all pages of the last list yet"
            raise Dropped(ListDropped.UNPUBLISHED, text) from error
        self._check(term)
        return term

    async def _read(self, term: int) -> list[ListedRun]:
        found: list[ListedRun] = []
        async with aclosing(self._pages()) as pages:
            async for page in pages:
                found.extend(page)
                self._check(term)
        return found

    async def _save(self, head: ListHead, runs: list[ListedRun], *, term: int) -> None:
        pages: list[Report] = []
        for page in pages_of(head, runs):
            pages.append(page_report(page))
            await asyncio.sleep(0)
        self._check(term)
        if not await self._writer.offer(RunList(pages=tuple(pages))):
            self._check(term)
            raise Dropped(ListDropped.SPOOL, "the spool has no room for the list")

    def _check(self, term: int) -> None:
        if self._term() != term:
            raise Dropped(ListDropped.NOT_LEADING, "this process is no longer the leader")

    def _report(self, problem: Exception) -> None:
        reason = _reason(problem)
        metrics.RUN_LISTS_DROPPED.labels(reason).inc()
        if self._problems.is_due(str(problem)):
            text, unforeseen = "the pods of runs could not be listed; will try again", reason is ListDropped.UNFORESEEN
            _log.warning(text, reason=reason, error=str(problem), exc_info=problem if unforeseen else None)


def _reason(problem: Exception) -> ListDropped:
    match problem:
        case Dropped(why=why):
            return why
        case Gone():
            return ListDropped.GONE
        case Unreachable():
            return ListDropped.UNREACHABLE
        case Unreadable():
            return ListDropped.UNREADABLE
        case ApiError():
            return ListDropped.REFUSED
        case _:
            return ListDropped.UNFORESEEN
