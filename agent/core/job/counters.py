"""The state of one Job and its pods, kept as counts so that the cost of a step depends on what changed."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from agent.core.job.backoff import NO_FAILURES, STOCK, BackoffRecord, Pace
from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.indexes import IndexSet, parse
from agent.core.job.manifest import AS_UPSTREAM, Choices
from agent.core.job.match import judge
from agent.core.job.pod import SUCCEEDED, JobPod, PolicyMatch, is_failed, only_failed_are_replaced
from agent.core.job.status import JobStatus
from agent.core.job.words import JobSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A pod that no longer exists."""

    uid: str


Change = JobPod | Gone


@dataclass(slots=True, kw_only=True)
class Counters:
    """The state of one Job. ``open_job`` creates it, ``see`` and ``advance`` update it.

    ``status`` has the last reported counts; only ``report`` writes its index lists, because their cost depends on what
    exists. ``fresh`` are finished pods not yet accounted for, ``held`` those that wait for a replacement, by index,
    ``taken`` the indexes that need no pod, ``crowded`` those with more than one live pod, ``misplaced`` pods
    whose index is out of range, ``fatal`` failed ones that match a FailJob rule. ``changed_indexes`` changed since the
    last step. ``status_current`` is False if the status must be written whatever a step finds, for example because it
    names indexes that no longer exist.
    """

    spec: JobSpec
    status: JobStatus
    gates: Gates = ALL_ON
    choices: Choices = AS_UPSTREAM
    pace: Pace = STOCK
    record: BackoffRecord = NO_FAILURES
    pods: dict[str, JobPod] = field(default_factory=dict)
    active: dict[str, JobPod] = field(default_factory=dict)
    active_at: dict[int, set[str]] = field(default_factory=dict)
    terminating_at: dict[int, int] = field(default_factory=dict)
    misplaced: set[str] = field(default_factory=set)
    crowded: set[int] = field(default_factory=set)
    ready: int = 0
    terminating: int = 0
    restarts: int = 0
    fresh: dict[str, JobPod] = field(default_factory=dict)
    held: dict[int, JobPod] = field(default_factory=dict)
    held_counted: int = 0
    released: set[str] = field(default_factory=set)
    succeeded: IndexSet = field(default_factory=IndexSet)
    failed: IndexSet = field(default_factory=IndexSet)
    taken: IndexSet = field(default_factory=IndexSet)
    changed_indexes: set[int] = field(default_factory=set)
    fatal: set[str] = field(default_factory=set)
    status_current: bool = True

    @property
    def per_index(self) -> bool:
        """Whether failures are limited per index (``hasBackoffLimitPerIndex``)."""
        return self.gates.backoff_limit_per_index and self.spec.backoff_limit_per_index is not None

    def has_place(self, pod: JobPod) -> bool:
        """Return whether a pod belongs to the Job: if Indexed, those with an index below ``completions``, else any."""
        return not self.spec.indexed or (pod.index is not None and pod.index < (self.spec.completions or 0))

    def fails(self, pod: JobPod) -> bool:
        return is_failed(pod, self.spec, self.gates)

    def see(self, change: Change) -> None:
        """Process the new state of one pod."""
        old = self.pods.pop(change.uid, None)
        if old is not None:
            self._uncount(old)
        if isinstance(change, Gone):
            self.released.discard(change.uid)
            self._drop(change.uid, None if old is None else old.index)
            return
        # do not count a change again that arrived before our release of the finalizer
        pod = replace(change, tracked=False) if change.uid in self.released and change.tracked else change
        self.pods[pod.uid] = pod
        self._count(pod)
        failed = self.fails(pod)
        if failed and self.judged(pod).message is not None:
            self.fatal.add(pod.uid)
        self._drop(pod.uid, pod.index)
        if pod.tracked and (failed or pod.phase == SUCCEEDED):
            self.fresh[pod.uid] = pod

    def release(self, pod: JobPod) -> None:
        """Record that a pod has been accounted for."""
        self.released.add(pod.uid)
        self.fresh.pop(pod.uid, None)
        if (known := self.pods.get(pod.uid)) is not None:
            self.pods[pod.uid] = replace(known, tracked=False)

    def hold(self, pod: JobPod) -> None:
        """Keep a failed pod until its index has a new one."""
        if pod.index is not None:
            self.held[pod.index] = pod
            self.held_counted += self._adds(pod)
            self.fresh.pop(pod.uid, None)

    def pop_held(self, index: int) -> JobPod | None:
        """Stop holding the failed pod of an index and return it."""
        pod = self.held.pop(index, None)
        if pod is not None:
            self.held_counted -= self._adds(pod)
        return pod

    def counts(self, pod: JobPod) -> bool:
        """Return whether a failed pod counts toward the limits."""
        return self.judged(pod).counts

    def judged(self, pod: JobPod) -> PolicyMatch:
        """Return the result of the Job's policy, else of our own rules, for a failed pod."""
        return judge(self.spec.pod_failure_policy, pod, gates=self.gates)

    def report(self) -> JobStatus:
        """Return the whole status, with index lists. The cost depends on what exists."""
        if not self.spec.indexed:
            return self.status
        failed = str(self.failed) if self.per_index else None
        return replace(self.status, completed_indexes=str(self.succeeded), failed_indexes=failed)

    def settle(self, index: int) -> None:
        """Record that an index succeeded or failed permanently."""
        self.taken.add(index)

    def _count(self, pod: JobPod) -> None:
        self.restarts += pod.restarts
        if pod.active:
            self.active[pod.uid] = pod
            self.ready += pod.ready
        elif pod.terminating:
            self.terminating += 1
        if self.spec.indexed:
            self._place(pod)

    def _place(self, pod: JobPod) -> None:
        if pod.active and not self.has_place(pod):
            self.misplaced.add(pod.uid)
        if pod.index is None:
            return
        self.changed_indexes.add(pod.index)
        if pod.active:
            siblings = self.active_at.setdefault(pod.index, set())
            siblings.add(pod.uid)
            if len(siblings) > 1:
                self.crowded.add(pod.index)
        elif pod.terminating:
            self.terminating_at[pod.index] = self.terminating_at.get(pod.index, 0) + 1
        self._take(pod.index)

    def _uncount(self, pod: JobPod) -> None:
        self.restarts -= pod.restarts
        if pod.active:
            del self.active[pod.uid]
            self.ready -= pod.ready
        elif pod.terminating:
            self.terminating -= 1
        self.misplaced.discard(pod.uid)
        self.fatal.discard(pod.uid)
        if self.spec.indexed and pod.index is not None:
            self._unplace(pod, pod.index)

    def _unplace(self, pod: JobPod, index: int) -> None:
        self.changed_indexes.add(index)
        if pod.active:
            siblings = self.active_at[index]
            siblings.discard(pod.uid)
            if len(siblings) <= 1:
                self.crowded.discard(index)
            if not siblings:
                del self.active_at[index]
        elif pod.terminating:
            self.terminating_at[index] -= 1
            if not self.terminating_at[index]:
                del self.terminating_at[index]
        self._take(index)

    def _take(self, index: int) -> None:
        waits = index in self.terminating_at and only_failed_are_replaced(self.spec, self.gates)
        if index in self.active_at or waits or index in self.succeeded or index in self.failed:
            self.taken.add(index)
        else:
            self.taken.discard(index)

    def _adds(self, pod: JobPod) -> bool:
        """Whether a held pod counts and is not already counted because the status names it."""
        return pod.uid not in self.status.uncounted_failed and self.counts(pod)

    def _drop(self, uid: str, index: int | None) -> None:
        """Forget what was pending for a pod, because its new state decides."""
        self.fresh.pop(uid, None)
        known = None if index is None else self.held.get(index)
        if index is not None and known is not None and known.uid == uid:
            self.pop_held(index)


def open_job(
    spec: JobSpec,
    *,
    status: JobStatus | None = None,
    pods: Iterable[JobPod] = (),
    gates: Gates = ALL_ON,
    choices: Choices = AS_UPSTREAM,
    pace: Pace = STOCK,
    record: BackoffRecord = NO_FAILURES,
) -> Counters:
    """Return the counters of a Job from its status and all its pods. The cost depends on what exists.

    ``spec`` has its defaults (``defaulted``). Failed indexes in the status are dropped while the gate is off.
    """
    known = JobStatus() if status is None else status
    counters = Counters(spec=spec, status=known, gates=gates, choices=choices, pace=pace, record=record)
    if spec.indexed:
        completions = spec.completions or 0
        counters.succeeded = parse(known.completed_indexes, completions=completions)
        if counters.per_index:
            counters.failed = parse(known.failed_indexes or "", completions=completions)
        for indexes in (counters.succeeded, counters.failed):
            for first, last in indexes.intervals():
                counters.taken.add_interval(first, last)
    for pod in pods:
        counters.see(pod)
    reported = counters.report()
    texts = (reported.completed_indexes, reported.failed_indexes)
    counters.status_current = texts == (known.completed_indexes, known.failed_indexes)
    return counters
