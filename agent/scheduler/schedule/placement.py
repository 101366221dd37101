"""Which cluster takes a run, and why none does. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agent.core.heartbeat import RunOffer
from agent.core.queue import Queue
from agent.core.units import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A cluster. ``offer`` is ``None`` if it takes no runs; ``open_runs`` counts those that it has.

    ``heard`` says that a heartbeat came a short time ago; the last one came at ``heard_at``, and renewed the lease.
    """

    cluster_id: str
    name: str
    offer: RunOffer | None
    open_runs: int
    heard: bool
    heard_at: datetime
    holds_its_lease: bool = True

    @property
    def room(self) -> int:
        """How many more runs it takes."""
        return max(self.offer.max_runs - self.open_runs, 0) if self.offer is not None and self.heard else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a run needs. ``open_runs`` counts those of its queue."""

    namespace: str
    queue: Queue = field(default_factory=lambda: Queue(name=""))
    open_runs: int = 0


def choose(wanted: Wanted, candidates: Sequence[Candidate]) -> Candidate | None:
    """The first cluster by name that takes the run."""
    if held_by_queue(wanted.queue, wanted.open_runs):
        return None
    eligible = (candidate for candidate in _offering(wanted, candidates) if candidate.room)
    return min(eligible, key=lambda candidate: (candidate.name, candidate.cluster_id), default=None)


def why_none(wanted: Wanted, candidates: Sequence[Candidate]) -> str:
    """Why no cluster takes the run now, for people."""
    allowed = wanted.queue.clusters
    if held := held_by_queue(wanted.queue, wanted.open_runs):
        return held
    if not any(candidate.offer is not None for candidate in candidates):
        return "no cluster offers runs"
    if allowed is not None and not any(candidate.name in allowed for candidate in candidates):
        return f"no cluster that its queue allows is known ({', '.join(sorted(allowed)) or 'it allows none'})"
    offering = sorted(_offering(wanted, candidates), key=lambda candidate: candidate.name)
    if not offering:
        return f"no cluster offers runs in namespace {wanted.namespace}"
    full = [candidate for candidate in offering if candidate.heard]
    silent = [candidate for candidate in offering if not candidate.heard]
    return "; ".join((*_full(full), *map(_silent, silent)))


def held_by_queue(queue: Queue, open_runs: int) -> str:
    """Why the queue, which has this many runs, starts nothing now; empty if it may."""
    if queue.cordoned:
        return f"queue {queue.name} is cordoned"
    if queue.max_active_runs is not None and open_runs >= queue.max_active_runs:
        return f"queue {queue.name} has {open_runs} of at most {counted(queue.max_active_runs, 'run')}"
    return ""


def _offering(wanted: Wanted, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    clusters = wanted.queue.clusters
    for candidate in candidates:
        allowed = clusters is None or candidate.name in clusters
        if allowed and candidate.offer is not None and wanted.namespace in candidate.offer.namespaces:
            yield candidate


def _full(candidates: Sequence[Candidate]) -> Iterator[str]:
    if candidates:
        runs = ", ".join(
            f"{candidate.name} {candidate.open_runs}/{candidate.offer.max_runs}"
            for candidate in candidates
            if candidate.offer
        )
        yield f"all are full: {runs}"


def _silent(candidate: Candidate) -> str:
    return f"no heartbeat from {candidate.name} since {candidate.heard_at:%Y-%m-%d %H:%M:%S} UTC"
