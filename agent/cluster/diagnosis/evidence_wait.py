"""Cases that wait for late events: bounded, found by pod and by time. No I/O."""

from dataclasses import replace
from datetime import datetime, timedelta

from agent.cluster.delay_queue import DelayQueue
from agent.cluster.evidence.case import Case
from agent.core.evidence import MissingEvidence
from agent.core.failure import IN_RUN

CROWDED = MissingEvidence(what="late events", reason="too many failures were waiting for late events")


class EvidenceWait:
    """Cases by pod. A case waits ``wait`` from when it was first put here, and not at all while ``at_most`` wait."""

    def __init__(self, *, wait: timedelta, at_most: int) -> None:
        self._wait = wait
        self._at_most = at_most
        self._cases: dict[str, dict[str, Case]] = {}
        self._due: DelayQueue[tuple[str, str]] = DelayQueue(farthest=wait)
        self._closed = False

    def __len__(self) -> int:
        return len(self._due)

    def wait(self, case: Case, *, now: datetime) -> Case | None:
        """Let the case wait and return ``None``; or return it, to be reported now, with what is missing recorded."""
        if case.occurred.occurrence in IN_RUN or not self._wait or self._closed:
            return case
        until = case.until or now + self._wait  # an event that does not settle the case must not prolong its wait
        if now >= until:
            return case
        if len(self) >= self._at_most:
            return replace(case, missing=(*case.missing, CROWDED))
        self._cases.setdefault(case.pod_uid, {})[case.event_id] = replace(case, until=until)
        self._due.set((case.pod_uid, case.event_id), until)
        return None

    def close(self) -> None:
        """Let no further case wait; those that do stay until they are taken."""
        self._closed = True

    def take_pod(self, uid: str) -> list[Case]:
        """Remove and return the cases of this pod."""
        cases = self._cases.pop(uid, {})
        for event_id in cases:
            self._due.set((uid, event_id), None)
        return list(cases.values())

    def take_due(self, now: datetime) -> list[Case]:
        """Remove and return the cases that have waited long enough."""
        return [self._take(uid, event_id) for uid, event_id in self._due.take(now)]

    def take_all(self) -> list[Case]:
        """Remove and return every case."""
        return [case for uid in tuple(self._cases) for case in self.take_pod(uid)]

    def next(self) -> datetime | None:
        """When the first case will have waited long enough."""
        return self._due.next()

    def _take(self, uid: str, event_id: str) -> Case:
        cases = self._cases[uid]
        case = cases.pop(event_id)
        if not cases:
            del self._cases[uid]
        return case
