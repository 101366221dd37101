"""One pod in its cluster: the pod, its events, its node, its owners and, if requested, its logs.

Everything is read with the user's permissions. Only the pod itself must exist; the rest may be missing evidence.
"""

import asyncio
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from agent.core.evidence import LogTail, MissingEvidence
from agent.core.run_event import PodReference
from agent.core.summary.bounds import LOG_TAIL_BYTES
from agent.diagnose.subject import Subject
from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.events import EventReader, EventsUnavailable
from agent.kube.logs import LogReader, LogUnavailable
from agent.kube.pods import PodReader
from agent.kube.single import ObjectReader, ObjectUnavailable
from agent.observe.templates import JOB_SET_NAME, Owner, template_of

T = TypeVar("T")

DEADLINE_SECONDS: Final = 10.0
"""How long each part may take."""

LOG_LINES: Final = 200

_UNAVAILABLE: Final = (EventsUnavailable, LogUnavailable, ObjectUnavailable)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """Reads what belongs to one pod, and records what was unavailable."""

    connection: Connection
    pod: objects.Pod
    missing: list[MissingEvidence] = field(default_factory=list)

    @property
    def reference(self) -> PodReference:
        meta = self.pod.metadata
        return PodReference(namespace=meta.namespace or "", name=meta.name or "", uid=meta.uid or "")

    async def had(self, what: str, reading: Awaitable[T]) -> T | None:
        """The result of a read; if it fails, record the evidence as missing and return ``None``."""
        try:
            return await reading
        except _UNAVAILABLE as error:
            self.missing.append(MissingEvidence(what=what, reason=str(error)))
            return None

    async def events(self) -> list[objects.Event]:
        about_pod = EventReader(self.connection).about_pod(self.reference, deadline=DEADLINE_SECONDS)
        return await self.had("events", about_pod) or []

    async def node(self) -> objects.Node | None:
        name = self.pod.spec.nodeName
        return await self.had(f"node {name}", self._objects().node(name)) if name else None

    async def node_log(self) -> tuple[str, ...]:
        """The messages of events on the node, as an agent in the cluster reads them."""
        name = self.pod.spec.nodeName
        if not name:
            return ()
        about_node = EventReader(self.connection).about_node(name, deadline=DEADLINE_SECONDS)
        events = await self.had(f"events of node {name}", about_node)
        return tuple(event.message for event in events or () if event.message)

    async def owners(self) -> tuple[Owner, ...]:
        """The Job that made the pod, and the JobSet that made the Job."""
        job_name = controller(self.pod, "Job")
        if not job_name:
            return ()
        namespace, reader = self.reference.namespace, self._objects()
        job = await self.had(f"Job {job_name}", reader.job(namespace, job_name))
        name = (job and controller(job, "JobSet")) or (self.pod.metadata.labels or {}).get(JOB_SET_NAME)
        job_set = await self.had(f"JobSet {name}", reader.job_set(namespace, name)) if name else None
        return tuple(owner for owner in (job, job_set) if owner is not None)

    async def log_tails(self) -> tuple[LogTail, ...]:
        read = [await self._log_tail(name, previous=previous) for name, previous in failed_logs(self.pod)]
        return tuple(tail for tail in read if tail is not None)

    async def _log_tail(self, container: str, *, previous: bool) -> LogTail | None:
        tail = LogReader(self.connection).tail(
            self.reference,
            container,
            previous=previous,
            lines=LOG_LINES,
            max_bytes=LOG_TAIL_BYTES,
            deadline=DEADLINE_SECONDS,
        )
        text = await self.had(f"{'previous log' if previous else 'log'} of {container}", tail)
        return None if text is None else LogTail(container=container, text=text, previous=previous)

    def _objects(self) -> ObjectReader:
        return ObjectReader(self.connection, deadline=DEADLINE_SECONDS)


async def read_pod(connection: Connection, namespace: str, name: str, *, logs: bool) -> Subject | None:
    """The pod of this name with everything that belongs to it; ``None`` if it does not exist.

    Raises ApiError, Unreachable and Unreadable where the pod itself cannot be read.
    """
    pod = await PodReader(connection).named(namespace, name)
    if pod is None:
        return None
    reading = _Reading(connection=connection, pod=pod)
    events, node, node_log, owners = await asyncio.gather(
        reading.events(), reading.node(), reading.node_log(), reading.owners()
    )
    log_tails = await reading.log_tails() if logs else ()
    return Subject(
        name=f"{namespace}/{name}",
        pod=pod,
        events=tuple(events),
        node=node,
        node_log=node_log,
        log_tails=log_tails,
        template=template_of(pod, owners),
        owners=owners,
        missing=tuple(reading.missing),
    )


def failed_logs(pod: objects.Pod) -> Iterator[tuple[str, bool]]:
    """The logs of containers that failed: the container's name, and whether it is the log before its last restart."""
    status = pod.status
    for container in (*(status.containerStatuses or ()), *(status.initContainerStatuses or ())):
        for state, previous in ((container.state, False), (container.lastState, True)):
            if container.name and state and state.terminated and state.terminated.exitCode:
                yield container.name, previous


def controller(owned: objects.Pod | objects.Job, kind: str) -> str:
    """The name of the controller of an object if it is of this kind, else empty."""
    owners = owned.metadata.ownerReferences or ()
    return next((owner.name or "" for owner in owners if owner.controller and owner.kind == kind), "")
