"""A case: one occurrence between being seen and being spooled."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from agent.cluster.pods.registry import TrackedPod
from agent.core.evidence import LogTail, MissingEvidence
from agent.kube import objects
from agent.observe.entry import PodEntry
from agent.observe.event_id import event_id
from agent.observe.occurrence import Occurred

GONE = MissingEvidence(what="pod", reason="it was gone when the agent looked again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What happened to which pod. ``pod`` is its state then, or what the entry says if nobody saw its end.

    ``until`` is how long late events are waited for; ``None`` if the case has not waited yet.
    """

    event_id: str
    occurred: Occurred
    entry: PodEntry
    pod: objects.Pod
    observed_at: datetime
    log_tails: tuple[LogTail, ...] = ()
    missing: tuple[MissingEvidence, ...] = ()
    until: datetime | None = None

    @property
    def pod_uid(self) -> str:
        return self.entry.reference.uid


def open_case(
    occurred: Occurred, entry: PodEntry, pod: objects.Pod | None, *, cluster_id: str, observed_at: datetime
) -> Case:
    """The case of an occurrence; ``pod`` is ``None`` if nobody saw the pod's last state."""
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
        missing=(GONE,) if pod is None else (),
    )


def open_cases(
    occurred: Iterable[Occurred],
    tracked: TrackedPod,
    pod: objects.Pod | None,
    *,
    cluster_id: str,
    observed_at: datetime,
) -> list[Case]:
    """The cases of those occurrences that no earlier process reported."""
    entry = tracked.entry
    cases = [open_case(each, entry, pod, cluster_id=cluster_id, observed_at=observed_at) for each in occurred]
    return [case for case in cases if case.event_id not in tracked.reported]


def _last_known_pod(entry: PodEntry) -> objects.Pod:
    pod = entry.reference
    return objects.Pod(
        metadata=objects.Metadata(namespace=pod.namespace, name=pod.name, uid=pod.uid),
        spec=objects.PodSpec(nodeName=pod.node or None),
        status=objects.PodStatus(phase=entry.phase or None),
    )
