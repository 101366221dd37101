"""Slim structs: the parts of Kubernetes objects that we read, decoded from raw bytes.

Everything has a default and every list may be null, because the API server leaves out what is empty, and so that an
incomplete object still decodes. Field names are Kubernetes' own. ``gc=False``: these hold no reference cycles, and the
garbage collector need not visit 100,000 of them. Each docstring names where in an object the struct is found.
"""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Struct

Text = str | None


class Owner(Struct, gc=False, frozen=True):
    """metadata.ownerReferences[]."""

    apiVersion: Text = None
    kind: Text = None
    name: Text = None
    uid: Text = None
    controller: bool | None = None


class Metadata(Struct, gc=False, frozen=True):
    name: Text = None
    namespace: Text = None
    uid: Text = None
    resourceVersion: Text = None
    creationTimestamp: datetime | None = None
    deletionTimestamp: datetime | None = None
    deletionGracePeriodSeconds: int | None = None
    labels: dict[str, Text] | None = None
    annotations: dict[str, Text] | None = None
    ownerReferences: list[Owner] | None = None
    finalizers: list[str] | None = None


class Terminated(Struct, gc=False, frozen=True):
    """state.terminated."""

    exitCode: int | None = None
    signal: int | None = None
    reason: Text = None
    message: Text = None
    startedAt: datetime | None = None
    finishedAt: datetime | None = None
    containerID: Text = None


class Waiting(Struct, gc=False, frozen=True):
    """state.waiting."""

    reason: Text = None
    message: Text = None


class Running(Struct, gc=False, frozen=True):
    """state.running."""

    startedAt: datetime | None = None


class State(Struct, gc=False, frozen=True):
    """state or lastState; at most one is set."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


class AllocatedResource(Struct, gc=False, frozen=True):
    """status.containerStatuses[].allocatedResourcesStatus[].resources[]: a device, and its health (KEP-4680)."""

    resourceID: Text = None
    health: Text = None


class AllocatedResources(Struct, gc=False, frozen=True):
    """status.containerStatuses[].allocatedResourcesStatus[]."""

    name: Text = None
    resources: list[AllocatedResource] | None = None


class ContainerStatus(Struct, gc=False, frozen=True):
    """status.containerStatuses[] and its siblings."""

    name: Text = None
    state: State | None = None
    lastState: State | None = None
    restartCount: int | None = None
    ready: bool | None = None
    image: Text = None
    containerID: Text = None
    allocatedResourcesStatus: list[AllocatedResources] | None = None


class PodCondition(Struct, gc=False, frozen=True):
    """status.conditions[] of pods and nodes."""

    type: Text = None
    status: Text = None
    reason: Text = None
    message: Text = None
    lastTransitionTime: datetime | None = None
    lastHeartbeatTime: datetime | None = None


class PodStatus(Struct, gc=False, frozen=True):
    """status of a pod."""

    phase: Text = None
    reason: Text = None
    message: Text = None
    qosClass: Text = None
    startTime: datetime | None = None
    conditions: list[PodCondition] | None = None
    containerStatuses: list[ContainerStatus] | None = None
    initContainerStatuses: list[ContainerStatus] | None = None
    ephemeralContainerStatuses: list[ContainerStatus] | None = None


class Resources(Struct, gc=False, frozen=True):
    """spec.resources and spec.containers[].resources. The API server always writes the latter, if only as ``{}``."""

    limits: dict[str, str | float | None] | None = None
    requests: dict[str, str | float | None] | None = None


class ContainerSpec(Struct, gc=False, frozen=True):
    """spec.containers[] and its siblings."""

    name: Text = None
    image: Text = None
    restartPolicy: Text = None
    resources: Resources | None = None


class SchedulingGate(Struct, gc=False, frozen=True):
    """spec.schedulingGates[]: a pod that has one is not bound to a node (KEP-3521)."""

    name: Text = None


class PodSpec(Struct, gc=False, frozen=True):
    """spec of a pod."""

    nodeName: Text = None
    restartPolicy: Text = None
    activeDeadlineSeconds: int | None = None
    terminationGracePeriodSeconds: int | None = None
    containers: list[ContainerSpec] | None = None
    initContainers: list[ContainerSpec] | None = None
    resources: Resources | None = None
    schedulingGates: list[SchedulingGate] | None = None


class Pod(Struct, gc=False, frozen=True):
    metadata: Metadata = Metadata()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class PodTemplate(Struct, gc=False, frozen=True):
    """spec.template of a Job."""

    spec: PodSpec = PodSpec()


class JobSpec(Struct, gc=False, frozen=True):
    """spec of a Job."""

    template: PodTemplate = PodTemplate()
    parallelism: int | None = None
    completions: int | None = None
    completionMode: Text = None
    backoffLimit: int | None = None
    backoffLimitPerIndex: int | None = None
    maxFailedIndexes: int | None = None
    podFailurePolicy: dict[str, Any] | None = None
    activeDeadlineSeconds: int | None = None
    suspend: bool | None = None


class JobStatus(Struct, gc=False, frozen=True):
    """status of a Job."""

    failed: int | None = None
    failedIndexes: Text = None
    conditions: list[PodCondition] | None = None


class Job(Struct, gc=False, frozen=True):
    """A batch/v1 Job."""

    metadata: Metadata = Metadata()
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class JobTemplate(Struct, gc=False, frozen=True):
    """spec.replicatedJobs[].template of a JobSet."""

    spec: JobSpec = JobSpec()


class ReplicatedJob(Struct, gc=False, frozen=True):
    """spec.replicatedJobs[] of a JobSet."""

    name: Text = None
    template: JobTemplate = JobTemplate()


class JobSetSpec(Struct, gc=False, frozen=True):
    """spec of a JobSet."""

    replicatedJobs: list[ReplicatedJob] | None = None
    failurePolicy: dict[str, Any] | None = None


class JobSetStatus(Struct, gc=False, frozen=True):
    """status of a JobSet."""

    restarts: int | None = None
    restartsCountTowardsMax: int | None = None
    terminalState: Text = None


class JobSet(Struct, gc=False, frozen=True):
    """A jobset.x-k8s.io/v1alpha2 JobSet."""

    metadata: Metadata = Metadata()
    spec: JobSetSpec = JobSetSpec()
    status: JobSetStatus = JobSetStatus()


class Taint(Struct, gc=False, frozen=True):
    """spec.taints[] of a node."""

    key: Text = None
    value: Text = None
    effect: Text = None
    timeAdded: datetime | None = None


class NodeSpec(Struct, gc=False, frozen=True):
    """spec of a node."""

    unschedulable: bool | None = None
    taints: list[Taint] | None = None


class NodeStatus(Struct, gc=False, frozen=True):
    """status of a node."""

    conditions: list[PodCondition] | None = None
    allocatable: dict[str, Text] | None = None


class Node(Struct, gc=False, frozen=True):
    metadata: Metadata = Metadata()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class ObjectReference(Struct, gc=False, frozen=True):
    """involvedObject of an Event: what it is about."""

    apiVersion: Text = None
    kind: Text = None
    namespace: Text = None
    name: Text = None
    uid: Text = None


class EventSource(Struct, gc=False, frozen=True):
    """source of a core/v1 Event: which component reports it, and from which node."""

    component: Text = None
    host: Text = None


class EventSeries(Struct, gc=False, frozen=True):
    """series of an Event: it came several times."""

    count: int | None = None
    lastObservedTime: datetime | None = None


class Event(Struct, gc=False, frozen=True):
    """A core/v1 Event."""

    metadata: Metadata = Metadata()
    involvedObject: ObjectReference = ObjectReference()
    type: Text = None
    reason: Text = None
    message: Text = None
    count: int | None = None
    firstTimestamp: datetime | None = None
    lastTimestamp: datetime | None = None
    eventTime: datetime | None = None
    series: EventSeries | None = None
    source: EventSource | None = None
    reportingComponent: Text = None


class MetadataOnly(Struct, gc=False, frozen=True):
    """A Namespace, or a Workload of Kueue."""

    metadata: Metadata = Metadata()


class ListMetadata(Struct, gc=False, frozen=True):
    """metadata of a list: its version, and how to ask for the next page."""

    resourceVersion: Text = None
    continue_: Annotated[Text, msgspec.Meta(description="continue")] = msgspec.field(name="continue", default=None)


class WatchEvent(Struct, gc=False, frozen=True):
    """One line of a watch, its object still undecoded."""

    type: str
    object: msgspec.Raw
