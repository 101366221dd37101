"""Leader election: the leader acts, the others are standbys (coordination.k8s.io; decisions in ``election.py``)."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Final, Protocol, assert_never

import msgspec
import structlog

from agent.cluster.leader import election
from agent.cluster.leader.election import Candidate, Read, Timing, Write
from agent.kube.errors import ApiError, Unreachable
from agent.kube.lease import Leases, Record
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)

ONLY_EPOCH: Final = 1
"""The epoch of a replica without a lease: there is no other."""

_SHORTEST_ANSWER: Final = 0.1
_NO_ANSWER: Final = (Unreachable, ApiError, msgspec.DecodeError, TimeoutError)


class Term(Protocol):
    """What only the leader does."""

    async def begin(self) -> None:
        """This replica leads from now on."""
        ...

    async def end(self) -> None:
        """This replica no longer leads. Must be quick and wait for no server: the lease may be about to end."""
        ...


class Leadership(Protocol):
    @property
    def epoch(self) -> int | None:
        """The number of the term, higher than that of every earlier one; ``None`` while it does not lead."""
        ...

    async def run(self, term: Term) -> None:
        """Begin and end terms until cancelled."""
        ...

    async def resign(self) -> None:
        """Let another replica lead at once. Call after ``run`` was cancelled and the term has ended."""
        ...

    def check(self) -> str | None:
        """Why the leader is unknown, for readiness."""
        ...


class SoleLeader:
    """The only replica: it is always the leader."""

    epoch: int | None = ONLY_EPOCH

    async def run(self, term: Term) -> None:
        await term.begin()
        metrics.LEADS.set(1)
        await asyncio.get_running_loop().create_future()

    async def resign(self) -> None:
        """Do nothing: there is no other replica."""

    def check(self) -> str | None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """What replicas exchange through the lease.

    ``behind``: for how many seconds back something that this one saw may not have reached the broker; ``None`` if not
    known. ``on_published``: the leader has published everything that it saw longer ago than this number of seconds.
    """

    behind: Callable[[], float | None]
    on_published: Callable[[float], None]


class Elector:
    """A candidate for the lease ``name``; ``me`` must be unique, also among earlier candidates."""

    def __init__(
        self,
        leases: Leases,
        *,
        name: str,
        me: str,
        timing: Timing,
        peers: Peers,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases = leases
        self._name = name
        self._timing = timing
        self._peers = peers
        self._clock = clock
        self._monotonic = monotonic
        self._candidate = Candidate(me=me)
        self._term: int | None = None
        self._leader = ""
        self._problem: str | None = "the lease has not been read yet"

    @property
    def epoch(self) -> int | None:
        """The number of the term; ``None`` as soon as its time is over, even if the loop has not ended it yet."""
        return self._term if self._granted() == self._term else None

    def check(self) -> str | None:
        return self._problem

    async def run(self, term: Term) -> None:
        """Acquire and renew the lease, and begin and end terms, until cancelled."""
        while True:
            answered = await self._round()
            await self._apply(term)
            now = self._monotonic()
            pause = election.pause(self._candidate, self._timing, now=now)
            await asyncio.sleep(pause if answered else min(pause, self._timing.every / 4))

    async def resign(self) -> None:
        """Release the lease, so that another replica need not wait for its end."""
        seen = self._candidate.seen
        if seen is None or not election.leads(self._candidate, self._timing, now=self._monotonic()):
            return
        self._candidate = election.lost(self._candidate)
        try:
            await self._write(election.given_up_lease(seen, at=self._clock()))
        except _NO_ANSWER as error:
            _log.warning("the lease could not be released; it expires by itself", error=_describe(error))

    async def _round(self) -> bool:
        """Read or renew the lease once. Whether the API server answered."""
        try:
            await self._step()
        except _NO_ANSWER as error:
            self._problem = f"the lease {self._name} cannot be read or written: {_describe(error)}"
            _log.warning(
                "the lease cannot be read or written; will try again", lease=self._name, error=_describe(error)
            )
            return False
        self._problem = None
        return True

    async def _step(self) -> None:
        step = election.next_step(
            self._candidate, self._timing, now=self._monotonic(), at=self._clock(), behind=self._peers.behind()
        )
        match step:
            case Read():
                await self._read()
            case Write(record=record):
                if not await self._try_to_write(record):
                    await self._read()
            case _:
                assert_never(step)

    async def _read(self) -> None:
        async with asyncio.timeout(self._timeout()):
            found = await self._leases.read(self._name)
        before = self._candidate.seen
        self._candidate, claim = election.after_read(
            self._candidate, found, self._timing, now=self._monotonic(), at=self._clock()
        )
        if claim is not None:
            await self._try_to_write(claim.record)
        elif found is not None and found.holder != self._candidate.me and _is_news(before, found):
            self._peers.on_published((found.behind or 0.0) + self._timing.every)

    async def _try_to_write(self, record: Record) -> bool:
        """Whether the write was accepted; ``False`` if somebody was quicker."""
        asked_at = self._monotonic()
        try:
            written = await self._write(record)
        except ApiError as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            return False
        self._candidate = election.granted(self._candidate, written, asked_at=asked_at)
        return True

    async def _write(self, record: Record) -> Record:
        async with asyncio.timeout(self._timeout()):
            return await self._leases.write(self._name, record)

    def _timeout(self) -> float:
        """Seconds to wait for an answer: not past the end of a term, which must be ended in time."""
        if self._candidate.renewed_at is None:
            return self._timing.answer
        left = self._candidate.renewed_at + self._timing.give_up - self._monotonic()
        return max(_SHORTEST_ANSWER, min(self._timing.answer, left))

    def _granted(self) -> int | None:
        leads = election.leads(self._candidate, self._timing, now=self._monotonic())
        return self._candidate.epoch if leads else None

    async def _apply(self, term: Term) -> None:
        granted = self._granted()
        # A new number means that the lease was lost and won again between two steps: the old term ends first.
        if self._term is not None and self._term != granted:
            _log.warning("no longer leading", lease=self._name, epoch=self._term, holder=_holder(self._candidate.seen))
            self._term = None
            await term.end()
        if granted is None:
            self._candidate = election.lost(self._candidate)
            self._report_standby(_holder(self._candidate.seen))
        elif self._term is None:
            _log.info("leading", lease=self._name, epoch=granted)
            await term.begin()
            self._term = granted  # only now: queues that ask for the epoch must not act before the term has begun
            self._leader = self._candidate.me
        metrics.LEADS.set(self._term is not None)

    def _report_standby(self, holder: str) -> None:
        """Log once for each leader that this replica is its standby. No holder, or ourselves: there is none now."""
        if holder not in {"", self._candidate.me, self._leader}:
            self._leader = holder
            _log.info("standby", lease=self._name, holder=holder)


def _is_news(before: Record | None, found: Record) -> bool:
    """Whether the holder renewed it since, and says how far it has published."""
    return found.behind is not None and before is not None and before.version != found.version


def _holder(seen: Record | None) -> str:
    return "" if seen is None else seen.holder


def _describe(error: Exception) -> str:
    return str(error) or type(error).__name__
