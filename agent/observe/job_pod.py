"""Slim pods as the Job engine reads them; ``agent.core.job.pod`` says what they mean."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from agent.core.evidence import ContainerKind
from agent.core.job.backoff import ZERO_TIME
from agent.core.job.pod import (
    FAILURE_COUNT,
    IGNORED_FAILURE_COUNT,
    INDEX,
    JobContainer,
    JobPod,
    PodCondition,
    read_failure_count,
    read_index,
)
from agent.core.job.words import TRACKING_FINALIZER
from agent.kube import objects
from agent.observe.values import aware

_INT64 = 2**64


def read_job_pod(pod: objects.Pod) -> JobPod:
    metadata, status = pod.metadata, pod.status
    annotations = metadata.annotations or {}
    return JobPod(
        uid=metadata.uid or metadata.name or "",
        name=metadata.name or "",
        namespace=metadata.namespace or "",
        phase=status.phase or "",
        index=read_index(annotations.get(INDEX)),
        failure_count=read_failure_count(annotations.get(FAILURE_COUNT)),
        ignored_failure_count=read_failure_count(annotations.get(IGNORED_FAILURE_COUNT)),
        tracked=TRACKING_FINALIZER in (metadata.finalizers or ()),
        assigned=bool(pod.spec.nodeName),
        created_at=_moment(metadata.creationTimestamp),
        deleted_at=aware(metadata.deletionTimestamp),
        grace=_seconds(metadata.deletionGracePeriodSeconds or 0),
        containers=tuple(_containers(pod)),
        conditions=tuple(
            PodCondition(
                type=condition.type or "",
                status=condition.status or "",
                transitioned_at=_moment(condition.lastTransitionTime),
            )
            for condition in status.conditions or ()
        ),
    )


def _containers(pod: objects.Pod) -> Iterator[JobContainer]:
    sidecars = {container.name for container in pod.spec.initContainers or () if container.restartPolicy == "Always"}
    yield from (_container(container, ContainerKind.APP) for container in pod.status.containerStatuses or ())
    yield from _init_containers(pod.status.initContainerStatuses or (), sidecars)


def _init_containers(statuses: Iterable[objects.ContainerStatus], sidecars: set[str | None]) -> Iterator[JobContainer]:
    for container in statuses:
        yield _container(container, ContainerKind.SIDECAR if container.name in sidecars else ContainerKind.INIT)


def _container(status: objects.ContainerStatus, kind: ContainerKind) -> JobContainer:
    ended = status.state.terminated if status.state is not None else None
    return JobContainer(
        name=status.name or "",
        kind=kind,
        exit_code=None if ended is None else ended.exitCode or 0,
        finished_at=None if ended is None else _moment(ended.finishedAt),
        restarts=status.restartCount or 0,
    )


def _moment(at: datetime | None) -> datetime | None:
    """A time; Go writes its zero time for none."""
    known = aware(at)
    return None if known == ZERO_TIME else known


def _seconds(count: int) -> timedelta:
    """Seconds as Go computes them: nanoseconds in 64 bits, which wrap (``infinite`` grace is 2^63 - 1 s)."""
    nanoseconds = (count * 10**9 + _INT64 // 2) % _INT64 - _INT64 // 2
    return timedelta(microseconds=nanoseconds // 1000)
