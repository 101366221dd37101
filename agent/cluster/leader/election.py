"""Election: finds the leader from a Lease and the time. No I/O; the shell is ``elector.py``.

As in Kubernetes' own leader election (client-go, tools/leaderelection), times of other machines are never compared
with ours. A standby counts a lease as expired when it has not changed for its whole duration, by the standby's own
clock. The leader counts from when it sent the renewal that was last granted, and stops well before the end.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from agent.kube.lease import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """In seconds: how long a lease lasts, how often it is renewed or read, how long an answer may take.

    The leader stops ``give_up`` seconds after its last renewal; the rest of ``duration`` is for clocks that run
    unevenly and for what is still on its way.
    """

    duration: int = 8
    every: float = 2.0
    answer: float = 2.0

    @property
    def give_up(self) -> float:
        return 5 / 8 * self.duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One replica's view. Times are of its own monotonic clock, in seconds; ``me`` is its unique name.

    ``seen`` is the lease as last read or written, ``changed_at`` when that was first seen. ``renewed_at`` is when the
    renewal that was last granted was asked for, ``None`` while it does not lead. ``epoch`` is the highest number of
    transitions ever seen.
    """

    me: str
    seen: Record | None = None
    changed_at: float = 0.0
    renewed_at: float | None = None
    epoch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Read the lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Write this lease. If the write is accepted, this replica leads."""

    record: Record


ElectionStep = Read | Write


def leads(candidate: Candidate, timing: Timing, *, now: float) -> bool:
    """Whether it may act as the leader."""
    return candidate.renewed_at is not None and now - candidate.renewed_at < timing.give_up


def next_step(candidate: Candidate, timing: Timing, *, now: float, at: datetime, behind: float | None) -> ElectionStep:
    """The next request. ``at`` is the wall clock, for people; ``behind`` goes into the lease for the standbys."""
    if candidate.seen is not None and leads(candidate, timing, now=now):
        return Write(record=replace(candidate.seen, renewed=at, behind=behind, duration=timing.duration))
    return Read()


def after_read(
    candidate: Candidate, found: Record | None, timing: Timing, *, now: float, at: datetime
) -> tuple[Candidate, Write | None]:
    """The lease was read. Returns a lease to write if it is free: nobody has it, or it has expired.

    A term goes on if the lease is still that of the term: then only the answer to a renewal was lost.
    """
    if leads(candidate, timing, now=now) and _is_same_term(candidate, found):
        return replace(candidate, seen=found), None
    known = _observed(candidate, found, now=now)
    if found is None or is_free(known, now=now):
        return known, Write(record=_claim(known, timing, at=at))
    return known, None


def is_free(candidate: Candidate, *, now: float) -> bool:
    """Whether the lease last seen was released, is ours, or has not changed for its whole duration."""
    seen = candidate.seen
    if seen is None:
        return False
    return seen.holder in {"", candidate.me} or now - candidate.changed_at >= seen.duration


def granted(candidate: Candidate, record: Record, *, asked_at: float) -> Candidate:
    """The write was accepted: the replica leads, counted from when it asked."""
    return replace(
        candidate,
        seen=record,
        changed_at=asked_at,
        renewed_at=asked_at,
        epoch=max(candidate.epoch, record.transitions),
    )


def lost(candidate: Candidate) -> Candidate:
    """Another replica was quicker, or the term ran out."""
    return replace(candidate, renewed_at=None)


def given_up_lease(record: Record, *, at: datetime) -> Record:
    """The lease as a leader that resigns leaves it: the next one need not wait for its end."""
    return replace(record, holder="", renewed=at, behind=None, duration=1)


def pause(candidate: Candidate, timing: Timing, *, now: float) -> float:
    """Seconds until the next step: not past the moment at which our term, or another's lease, ends."""
    if candidate.renewed_at is not None:
        ends = candidate.renewed_at + timing.give_up
    elif candidate.seen is not None:
        ends = candidate.changed_at + candidate.seen.duration
    else:
        return timing.every
    return min(timing.every, ends - now) if ends > now else timing.every


def _is_same_term(candidate: Candidate, found: Record | None) -> bool:
    seen = candidate.seen
    if seen is None or found is None:
        return False
    return (found.holder, found.transitions) == (candidate.me, seen.transitions)


def _observed(candidate: Candidate, found: Record | None, *, now: float) -> Candidate:
    known = lost(candidate)
    if found is None:
        return replace(known, seen=None, changed_at=now)
    epoch = max(known.epoch, found.transitions)
    if known.seen is not None and known.seen.version == found.version:
        return replace(known, epoch=epoch)
    return replace(known, seen=found, changed_at=now, epoch=epoch)


def _claim(candidate: Candidate, timing: Timing, *, at: datetime) -> Record:
    """The first term is number 1. After a lease was deleted, numbers go on from the highest this replica ever saw."""
    return Record(
        holder=candidate.me,
        duration=timing.duration,
        transitions=candidate.epoch + 1,
        acquired=at,
        renewed=at,
        version="" if candidate.seen is None else candidate.seen.version,
    )
