"""The table of named conditions for rules (``onConditions``) and retry policies.

Sources: ``armada`` is armadaproject/armada internal/common/errormatch; ``kubelet`` is a reason that the kubelet writes,
``runtime`` one that the container runtime gives it; ``KEP-3329`` names the reasons of DisruptionTarget; ``ours`` is
computed from several fields. Paths, such as pkg/scheduler, are those of kubernetes/kubernetes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent.core.classify.pod_facts import PodFact
from agent.core.classify.signs import (
    ContainerSign,
    EndedKind,
    EndedReason,
    EndedSilently,
    EventReason,
    PodConditionIs,
    PodIs,
    PodReason,
    PodReasonPrefix,
    PodSign,
    Scope,
    Seen,
    WaitingReason,
    see_in_container,
    see_in_pod,
)
from agent.core.evidence import Container, ContainerKind, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCondition:
    """A condition: any one of its signs. It belongs to the pod or to a container, as its signs do."""

    name: str
    doc: str
    source: str
    in_pod: tuple[PodSign, ...] = ()
    in_container: tuple[ContainerSign, ...] = ()

    @property
    def scope(self) -> Scope:
        """Whether it is about the pod or a container; no condition has signs of both."""
        return Scope.CONTAINER if self.in_container else Scope.POD

    def see_in_pod(self, evidence: Evidence) -> Seen | None:
        """The first of the pod's signs that is present."""
        return next((seen for sign in self.in_pod if (seen := see_in_pod(sign, evidence))), None)

    def see_in_container(self, container: Container) -> Seen | None:
        """The first of a container's signs that is present."""
        for sign in self.in_container:
            seen = see_in_container(sign, container)
            if seen is not None:
                return seen
        return None

    def holds(self, evidence: Evidence, *, container: str | None = None) -> bool:
        """Whether it holds; only for the given container if the condition is about containers and one is given."""
        return self.see_in_pod(evidence) is not None or any(
            self.see_in_container(candidate) is not None
            for candidate in evidence.pod.containers
            if container is None or candidate.name == container
        )


def _pod_reason(name: str, doc: str, source: str = "kubelet") -> NamedCondition:
    return NamedCondition(name=name, doc=doc, source=source, in_pod=(PodReason(reason=name),))


def _ended(name: str, doc: str, source: str = "runtime") -> NamedCondition:
    return NamedCondition(name=name, doc=doc, source=source, in_container=(EndedReason(reason=name),))


def _waiting(name: str, doc: str, source: str = "kubelet") -> NamedCondition:
    return NamedCondition(name=name, doc=doc, source=source, in_container=(WaitingReason(reason=name),))


def _fact(name: str, fact: PodFact, doc: str) -> NamedCondition:
    return NamedCondition(name=name, doc=doc, source="ours", in_pod=(PodIs(fact=fact),))


def _disruption(reason: str, doc: str) -> NamedCondition:
    return _reasoned("DisruptionTarget", reason, doc=doc, source="KEP-3329")


def _reasoned(kind: str, reason: str, *, doc: str, source: str) -> NamedCondition:
    sign = PodConditionIs(type=kind, reason=reason)
    return NamedCondition(name=f"{kind}/{reason}", doc=doc, source=source, in_pod=(sign,))


_ARMADA = (
    _ended("OOMKilled", "A container was killed for memory and exited with a non-zero code.", "armada"),
    _pod_reason("Evicted", "The kubelet evicted the pod: node pressure, or its own storage limit.", "armada"),
    _pod_reason("DeadlineExceeded", "The pod ran longer than its activeDeadlineSeconds.", "armada"),
)

_DISRUPTIONS = (
    NamedCondition(
        name="DisruptionTarget",
        doc="The pod was about to be ended by a disruption, whatever its reason.",
        source="KEP-3329",
        in_pod=(PodConditionIs(type="DisruptionTarget"),),
    ),
    _disruption("PreemptionByScheduler", "The scheduler preempted the pod for one of higher priority."),
    _disruption("DeletionByTaintManager", "A NoExecute taint evicted the pod from its node."),
    _disruption("EvictionByEvictionAPI", "The eviction API ended the pod: a drain or an autoscaler."),
    _disruption("DeletionByPodGC", "The pod was garbage-collected because its node is gone."),
    _disruption("TerminationByKubelet", "The kubelet ended the pod: node pressure, shutdown or a critical pod."),
    NamedCondition(
        name="TerminationTarget",
        doc="A queueing layer, such as Kueue, ended the pod, whatever its reason.",
        source="kubernetes-sigs/kueue",
        in_pod=(PodConditionIs(type="TerminationTarget"),),
    ),
    NamedCondition(
        name="Preempted",
        doc="The scheduler or the queueing layer preempted the pod for another one.",
        source="KEP-3329 and kubernetes-sigs/kueue; before Kubernetes 1.25 only the event shows it",
        in_pod=(
            PodConditionIs(type="DisruptionTarget", reason="PreemptionByScheduler"),
            PodConditionIs(type="DisruptionTarget", reason="PreemptionByKubeScheduler"),
            PodConditionIs(type="TerminationTarget", reason="WorkloadEvictedDueToPreempted"),
            PodReason(reason="Preempted"),
            EventReason(reason="Preempted"),
        ),
    ),
    _pod_reason("Preempting", "The kubelet ended the pod to admit a critical one.", "pkg/kubelet/preemption"),
)

_NODES = (
    NamedCondition(
        name="NodeLost",
        doc="The pod's node is gone or no longer responds.",
        source="pkg/util/node, pkg/controller/podgc",
        in_pod=(PodReason(reason="NodeLost"), PodConditionIs(type="DisruptionTarget", reason="DeletionByPodGC")),
    ),
    NamedCondition(
        name="NodeShutdown",
        doc="The node shut down gracefully, whichever reason its kubelet writes.",
        source="pkg/kubelet/nodeshutdown",
        in_pod=(PodReason(reason="NodeShutdown"), PodReason(reason="Terminated"), PodReason(reason="Shutdown")),
    ),
    _pod_reason("Terminated", "The node shut down gracefully (Kubernetes 1.22 and later).", "pkg/kubelet/nodeshutdown"),
    _pod_reason("Shutdown", "The node shut down gracefully (Kubernetes 1.20 and 1.21).", "pkg/kubelet/nodeshutdown"),
    NamedCondition(
        name="StateLost",
        doc="The pod failed without a reason, and no container is reported as terminated.",
        source="ours",
        in_pod=(PodIs(fact=PodFact.STATES_LOST),),
    ),
    NamedCondition(
        name="Unschedulable",
        doc="The scheduler found no node for the pod.",
        source="pkg/scheduler",
        in_pod=(PodConditionIs(type="PodScheduled", status="False", reason="Unschedulable"),),
    ),
)

_ADMISSION = (
    _pod_reason("UnexpectedAdmissionError", "The kubelet could not admit the pod, for example without a device."),
    NamedCondition(
        name="OutOf*",
        doc="The node had too little of any resource when the pod arrived.",
        source="pkg/kubelet/lifecycle",
        in_pod=(PodReasonPrefix(prefix="OutOf"),),
    ),
    _pod_reason("OutOfcpu", "The node had too little CPU when the pod arrived."),
    _pod_reason("OutOfmemory", "The node had too little memory when the pod arrived; not an OOM."),
    _pod_reason("OutOfpods", "The node already had its maximum number of pods."),
    _pod_reason("OutOfephemeral-storage", "The node had too little local storage when the pod arrived."),
    _pod_reason("NodeAffinity", "The node's labels no longer fit the pod when it arrived."),
    _pod_reason("NodePorts", "A host port of the pod was taken on the node."),
    _pod_reason("TaintToleration", "The pod does not tolerate a taint of the node it was bound to."),
    _pod_reason("AppArmor", "The node cannot enforce the pod's AppArmor profile."),
    _pod_reason("SysctlForbidden", "The node forbids a sysctl the pod asks for."),
    NamedCondition(
        name="TopologyAffinityError",
        doc="The topology manager refused: the resources are not on one NUMA node.",
        source="pkg/kubelet/cm/topologymanager; older kubelets write it with spaces",
        in_pod=(PodReason(reason="TopologyAffinityError"), PodReason(reason="Topology Affinity Error")),
    ),
)

_IMAGES = (
    _waiting("ErrImagePull", "The image could not be pulled just now."),
    _waiting("ImagePullBackOff", "The image could not be pulled before; the kubelet waits to try again."),
    _waiting("InvalidImageName", "The image's name cannot be parsed."),
    _waiting("ErrImageNeverPull", "The image is not on the node and may not be pulled."),
    _waiting("ImageInspectError", "The image on the node cannot be inspected."),
    _waiting("RegistryUnavailable", "The registry did not answer."),
    _waiting("SignatureValidationFailed", "The image's signature is not valid."),
)

_STARTS = (
    _waiting("CreateContainerConfigError", "A ConfigMap, Secret or setting the container needs is missing or wrong."),
    _waiting("CreateContainerError", "The runtime could not create the container."),
    _waiting("RunContainerError", "The runtime could not start the container."),
    _waiting("PreCreateHookError", "A hook before the container's creation failed."),
    _waiting("PreStartHookError", "A hook before the container's start failed."),
    _waiting("PostStartHookError", "The container's postStart hook failed."),
    _waiting("CrashLoopBackOff", "The container keeps exiting; the kubelet waits before the next start."),
    _waiting("ContainerCreating", "The container has not been created yet."),
    _waiting("PodInitializing", "The container waits for the init containers."),
)

_FACTS = (
    _fact("Starting", PodFact.STARTING, "A container has never run, or none is known, so old events still apply."),
    _fact("BeingDeleted", PodFact.BEING_DELETED, "Somebody deleted the pod; it may have ended because of that."),
    _fact("MainSucceeded", PodFact.MAIN_SUCCEEDED, "The user's containers exited with code 0; unknown: the first."),
    _fact("NoScheduler", PodFact.NO_SCHEDULER, "The pod waits for a node, and no scheduler has reported on it."),
    _fact(
        "RequestExceedsQuota", PodFact.REQUEST_EXCEEDS_QUOTA, "One request alone is larger than the namespace's quota."
    ),
    _fact("WithinMemoryLimit", PodFact.WITHIN_MEMORY_LIMIT, "No container was killed over its own memory limit."),
    NamedCondition(
        name="TaintManagerEviction",
        doc="The taint manager marked the pod for deletion.",
        source="KEP-3329; before Kubernetes 1.25 only the event shows it",
        in_pod=(
            PodConditionIs(type="DisruptionTarget", reason="DeletionByTaintManager"),
            EventReason(reason="TaintManagerEviction"),
        ),
    ),
    NamedCondition(
        name="EndedSilently",
        doc="A container exited with a non-zero code and left no termination message.",
        source="ours",
        in_container=(EndedSilently(),),
    ),
)

_ENDINGS = (
    NamedCondition(
        name="OOMKilledExitZero",
        doc="A process of the container was killed for memory, yet the container exited with code 0.",
        source="ours; OOMKilled means a non-zero code, as in armada",
        in_container=(EndedReason(reason="OOMKilled", cleanly=True),),
    ),
    NamedCondition(
        name="InitContainerFailed",
        doc="An init container exited with a non-zero code.",
        source="ours",
        in_container=(EndedKind(kind=ContainerKind.INIT),),
    ),
    _ended("ContainerCannotRun", "The runtime could not run the container's command (Docker)."),
    _ended("StartError", "The runtime could not run the container's command (containerd, CRI-O)."),
    _ended("ContainerStatusUnknown", "The kubelet could not find the container when the pod ended.", "kubelet"),
    _ended("Unknown", "The runtime lost the container, for example when the host restarted; its exit code is 255."),
    _ended("Error", "A container exited with a non-zero code and the runtime gives no better reason."),
)

_TABLE = {
    condition.name: condition
    for condition in (*_ARMADA, *_DISRUPTIONS, *_NODES, *_ADMISSION, *_IMAGES, *_STARTS, *_FACTS, *_ENDINGS)
}


class ConditionTable(Mapping[str, NamedCondition]):
    """All named conditions by name.

    In addition to the listed names there are three families, created on demand: ``DisruptionTarget/<reason>``,
    ``TerminationTarget/<reason>`` and ``OutOf<resource>``, such as ``OutOfnvidia.com/gpu``. Iterating gives the
    listed names only.
    """

    __slots__ = ()

    def __getitem__(self, name: str) -> NamedCondition:
        """The condition of that name. Raises ``KeyError``."""
        listed = _TABLE.get(name) or _of_family(name)
        if listed is None:
            raise KeyError(name)
        return listed

    def __iter__(self) -> Iterator[str]:
        return iter(_TABLE)

    def __len__(self) -> int:
        return len(_TABLE)


def _of_family(name: str) -> NamedCondition | None:
    kind, slash, reason = name.partition("/")
    if slash and reason and kind in ("DisruptionTarget", "TerminationTarget"):
        return _reasoned(kind, reason, doc=f"The pod has {kind} with reason {reason}.", source=kind)
    resource = name.removeprefix("OutOf")
    if resource not in ("", name) and "*" not in resource:
        return _pod_reason(name, f"The node had too little {resource} when the pod arrived.")
    return None


CONDITIONS: Mapping[str, NamedCondition] = ConditionTable()
"""All named conditions."""
