"""A case: one occurrence between being seen and being spooled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.spool.entries import Report
from agent.core.evidence import LogTail, MissingEvidence
from agent.core.run_event import Confirmation
from agent.core.summary.submission import UNKNOWN, Submission
from agent.kube import objects
from agent.observe.entry import PodEntry
from agent.observe.event_id import event_id
from agent.observe.occurrence import Occurred
from agent.observe.run_pod import confirmation
from agent.telemetry import cluster_metrics as metrics

GONE = MissingEvidence(what="pod", reason="it was gone when the agent looked again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What happened to which pod. ``pod`` is its state then, or what the entry says if nobody saw its end.

    ``confirmed`` is what shows that the pod of a run no longer lives, ``gated`` says that it had our gate.
    ``submitted``, set when the case begins, says which containers are its user's. ``until`` is how long late events
    are waited for; ``None`` if the case has not waited yet.
    """

    event_id: str
    occurred: Occurred
    entry: PodEntry
    pod: objects.Pod
    observed_at: datetime
    confirmed: Confirmation | None = None
    gated: bool = False
    submitted: Submission = UNKNOWN
    log_tails: tuple[LogTail, ...] = ()
    missing: tuple[MissingEvidence, ...] = ()
    until: datetime | None = None

    @property
    def pod_uid(self) -> str:
        return self.entry.reference.uid


def open_case(
    occurred: Occurred,
    entry: PodEntry,
    pod: objects.Pod | None,
    *,
    cluster_id: str,
    observed_at: datetime,
    watched: bool = False,
) -> Case:
    """The case of an occurrence; ``pod`` is ``None`` if nobody saw the pod's last state."""
    run = entry.run
    identity = event_id(
        cluster_id,
        entry.reference.uid,
        occurred.occurrence,
        container=occurred.container or "" if occurred.discriminator else "",
        discriminator=occurred.discriminator,
    )
    return Case(
        event_id=identity,
        occurred=occurred,
        entry=entry,
        pod=_last_known_pod(entry) if pod is None else pod,
        observed_at=observed_at,
        confirmed=None if run is None or pod is None else confirmation(run, pod, watched=watched),
        gated=run is not None and run.gated,
        missing=(GONE,) if pod is None else (),
    )


class OpenCases:
    """Every case that was opened and whose report is not on disk yet, by event id. No I/O."""

    def __init__(self, *, cluster_id: str) -> None:
        self._cluster_id = cluster_id
        self._observed_at: dict[str, datetime] = {}

    def __len__(self) -> int:
        return len(self._observed_at)

    def open(
        self, occurred: Sequence[Occurred], tracked: TrackedPod, pod: objects.Pod | None, *, now: datetime
    ) -> list[Case]:
        """Open the cases of those occurrences that no earlier process reported."""
        if not occurred:  # as of nearly all pods
            return []
        cluster, watched = self._cluster_id, tracked.watched
        cases = [
            open_case(occurrence, tracked.entry, pod, cluster_id=cluster, observed_at=now, watched=watched)
            for occurrence in occurred
        ]
        new = [case for case in cases if case.event_id not in tracked.reported_before]
        self._observed_at.update((case.event_id, now) for case in new)
        return new

    def saved(self, reports: Iterable[Report], *, now: datetime) -> None:
        """These are on disk. An amendment among them is no case of its own."""
        for report in reports:
            if (observed_at := self._observed_at.pop(report.event_id, None)) is not None:
                metrics.DETECT_TO_SPOOL_SECONDS.observe((now - observed_at).total_seconds())

    def seen_through(self, now: datetime) -> datetime:
        """Up to when all that was seen is on disk."""
        return min(self._observed_at.values(), default=now)


def _last_known_pod(entry: PodEntry) -> objects.Pod:
    pod = entry.reference
    return objects.Pod(
        metadata=objects.Metadata(namespace=pod.namespace, name=pod.name, uid=pod.uid),
        spec=objects.PodSpec(nodeName=pod.node or None),
        status=objects.PodStatus(phase=entry.phase or None),
    )
