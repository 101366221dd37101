"""Jobs of a Lookout: found by what people call them, and their timelines."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from agent.console.exits import NotFoundError, UnreachableError
from agent.ctl.lookout_api import Items, LookoutClient, opened
from agent.ctl.lookout_reading import LookoutRecords
from agent.json_reader.reader import Reader
from agent.store.records.port import SHORTEST, Ambiguous, Candidate, Found, Kind, Named, NotFound, Records

if TYPE_CHECKING:
    from agent.store.recorded import Timeline

SHOWN: Final = 10
"""Candidates that are named where several fit."""

_MOST: Final = 500
"""Runs that are asked for at once, the most that a Lookout gives: those of a pod that many jobs had."""


@contextmanager
def open_lookout(url: str) -> Iterator["LookoutReading"]:
    """Open a Lookout for reading. Calls raise the errors of ``failctl``."""
    with opened(url) as client:
        yield LookoutReading(client)


@dataclass(frozen=True, slots=True)
class LookoutReading:
    """Implements ``agent.ctl.reading.Reading`` by a Lookout.

    The scheduler says more of a job than a Lookout has stored: why it waits now, and the limits behind a verdict. It is
    asked through the Lookout first.
    """

    client: LookoutClient

    @property
    def records(self) -> Records:
        return NamedRecords(self.client)

    def timeline(self, named: Found, *, newest: int | None, now: datetime) -> "Timeline":
        del now  # the scheduler says why a job waits, by its own clock
        from agent.ctl.lookout_history import forwarded, history  # noqa: PLC0415 - imports protobuf, as no list needs

        try:
            return forwarded(self.client, named.id, newest=newest)
        except (NotFoundError, UnreachableError):
            return history(self.client, named, newest=newest)


class _Run(Struct, frozen=True, kw_only=True, rename="camel"):
    """A run, as far as it has names."""

    run_id: str
    job_id: str
    cluster: str
    namespace: str
    first_at: datetime
    state: str
    category: str
    subcategory: str

    @property
    def place(self) -> tuple[str, str]:
        return self.cluster, self.namespace

    def candidate(self, kind: Kind) -> Candidate:
        leaf = f"{self.category}/{self.subcategory}" if self.subcategory else self.category
        whole = self.run_id if kind is Kind.RUN else self.job_id
        return Candidate(kind=kind, id=whole, job_id=self.job_id, at=self.first_at, state=self.state, category=leaf)


class _Job(Struct, frozen=True, kw_only=True, rename="camel"):
    """A job, as far as it has names."""

    job_id: str
    first_at: datetime
    state: str | None
    observed: str

    @property
    def candidate(self) -> Candidate:
        state = self.state or self.observed
        return Candidate(kind=Kind.JOB, id=self.job_id, job_id=self.job_id, at=self.first_at, state=state, category="")


class _Runs(Struct, frozen=True):
    items: tuple[_Run, ...]


class _Jobs(Struct, frozen=True):
    items: tuple[_Job, ...]


_RUNS: Final = Reader(_Runs)
_JOBS: Final = Reader(_Jobs)


@dataclass(frozen=True, slots=True)
class NamedRecords(LookoutRecords):
    """Records of a Lookout, which are also found by names: an id or its beginning, a client id, a pod.

    A Lookout has no index of the ends of ids.
    """

    def named(self, identifier: str) -> Named:
        """Raises the errors of ``failctl``."""
        if not identifier:
            return NotFound()
        named = self._whole(identifier) or self._client_id(identifier) or self._pod(identifier)
        if named is not None:
            return named
        return NotFound(too_short=True) if len(identifier) < SHORTEST else self._begun(identifier)

    def _whole(self, identifier: str) -> Named | None:
        if self._jobs("jobId", identifier, most=1):
            return Found(kind=Kind.JOB, id=identifier)
        return Found(kind=Kind.RUN, id=identifier) if self._runs([("runId", identifier)], most=1) else None

    def _client_id(self, identifier: str) -> Named | None:
        return _one_of([job.candidate for job in self._jobs("clientId", identifier)])

    def _pod(self, identifier: str) -> Named | None:
        """The newest job with a pod of this name, unless the name is used in several places."""
        namespace, slash, name = identifier.rpartition("/")
        asked = [("podName", name), *([("namespace", namespace)] if slash else [])]
        runs = self._runs(asked, most=_MOST) if name else ()
        newest: dict[str, _Run] = {}
        for run in runs:
            newest.setdefault(run.job_id, run)
        jobs = [run.candidate(Kind.JOB) for run in newest.values()]
        if len({run.place for run in runs}) > 1 or not jobs:
            return _one_of(jobs)
        return Found(kind=Kind.JOB, id=jobs[0].id, earlier=tuple(jobs[1 : SHOWN + 1]), earlier_count=len(jobs) - 1)

    def _begun(self, identifier: str) -> Named:
        jobs = [job.candidate for job in self._jobs("jobId.startsWith", identifier)]
        runs = [run.candidate(Kind.RUN) for run in self._runs([("runId.startsWith", identifier)])]
        owners = {candidate.job_id for candidate in (*jobs, *runs)}
        if len(owners) == 1:
            by_run = not jobs and len(runs) == 1
            return Found(kind=Kind.RUN, id=runs[0].id) if by_run else Found(kind=Kind.JOB, id=owners.pop())
        return _one_of([*jobs, *runs]) or NotFound()

    def _jobs(self, name: str, value: str, *, most: int = SHOWN + 1) -> Sequence[_Job]:
        return self.client.get("jobs", [(name, value), *_every(most)], _JOBS).items

    def _runs(self, asked: Items, *, most: int = SHOWN + 1) -> Sequence[_Run]:
        return self.client.get("runs", [*asked, *_every(most)], _RUNS).items


def _every(most: int) -> Items:
    return [("since", "beginning"), ("limit", str(most))]


def _one_of(candidates: Sequence[Candidate]) -> Named | None:
    """What several fit, or the one that does; ``None`` without any."""
    if not candidates:
        return None
    if len(candidates) == 1:
        return Found(kind=candidates[0].kind, id=candidates[0].id)
    shown = tuple(candidates[:SHOWN])
    return Ambiguous(candidates=shown, count=len(candidates), or_more=len(candidates) > SHOWN)
