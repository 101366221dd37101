"""Mechanism: how a run ended, from what the system says of this pod only.

What programs wrote is not read here, nor the node's conditions: they are true of every pod on the node. The first
mechanism in the order of ``Mechanism`` whose facts hold is the answer.

Sources of the reasons: kubernetes/kubernetes v1.35, pkg/kubelet/lifecycle, sysctl, nodeshutdown, eviction, preemption
and cm/admission; KEP-3329.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.disruption import CLOCKS_APART
from agent.core.classify.matchers.termination_message import RUNTIME_REASONS
from agent.core.classify.pod_facts import PodFact, is_fact
from agent.core.classify.signs import EndedReason, EventReason, PodConditionIs, PodReason, Sign, failed
from agent.core.evidence import Container, ContainerKind, ContainerState, Event, Evidence, StateKind
from agent.core.exit_status import ending_signal
from agent.core.failure import Mechanism

REJECTIONS: Final = frozenset(
    {
        "AppArmor",
        "InitContainerRestartPolicyForbidden",
        "InvalidNodeInfo",
        "NodeAffinity",
        "NodeName",
        "NodePorts",
        "NodeUnschedulable",
        "PodFeatureUnsupported",
        "PodLevelResourcesNotSupported",
        "PodOSNotSupported",
        "PodOSSelectorNodeLabelDoesNotMatch",
        "SupplementalGroupsPolicyNotSupported",
        "SysctlForbidden",
        "TaintToleration",
        "Topology Affinity Error",
        "TopologyAffinityError",
        "UnexpectedAdmissionError",
        "UnexpectedPredicateFailureType",
        "UnknownReason",
    }
)
"""Reasons of a pod that its kubelet refused. ``OutOf<resource>`` is one too."""

_OUT_OF = "OutOf"
_KILLING = "Killing"
_UNHEALTHY = "Unhealthy"
_PREEMPTIONS = ("Preempted", "Preempting", "TerminationTarget")
FAILED_CREATIONS: Final = frozenset({"FailedCreate", "JobCreationFailed"})
"""Reasons of events of owners that could not create a pod, and of JobSets that could not create a Job."""

_FAILED_SCHEDULING = "FailedScheduling"
_SCHEDULED = "PodScheduled"
"""The condition that reports an end by the status False; all others do by True."""

_EVICTIONS = ("DisruptionTarget/EvictionByEvictionAPI", "TaintManagerEviction")
_BY_KUBELET = CONDITIONS["DisruptionTarget/TerminationByKubelet"]
_LOST = frozenset({"Unknown", "ContainerStatusUnknown"})
_FOR_INIT = "PodInitializing"
_OOM_KILLED = "OOMKilled"
_INIT_OOM = re.compile(r"(?i)container init (?:was OOM-killed|caused OOM)|OOM-killed \(memory limit")
_PROBE_KILL = re.compile(r"failed (?:liveness|startup) probe")
_PROBE_FAILED = re.compile(r"(?:Liveness|Startup) probe (?:failed|errored)")
_GLOBAL_OOM = re.compile(r"(?i)constraint=CONSTRAINT_(?:NONE|CPUSET|MEMORY_POLICY)|System ?OOM")
_MEMCG_OOM = re.compile(r"constraint=CONSTRAINT_MEMCG|Memory cgroup out of memory")
_KILL, _TERM = 9, 15


def mechanism(evidence: Evidence) -> Mechanism:
    """The first mechanism in the order of ``Mechanism`` whose facts hold of this pod."""
    pod = evidence.pod
    words = {pod.reason}
    for condition in pod.conditions:
        if condition.status == ("False" if condition.type == _SCHEDULED else "True"):
            words.add(condition.type)
    for event in evidence.events:
        words.add(event.reason)
    for container in pod.containers:
        if (ended := container.ended) is not None:
            words.add(ended.reason)
    facts = _PLAIN_FACTS if words.isdisjoint(_WORDS) else _FACTS
    for candidate, holds, named in facts:
        if (named is None or not words.isdisjoint(named)) and holds(evidence):
            return candidate
    return Mechanism.UNKNOWN


def _words_of(*names: str) -> frozenset[str]:
    """The words that the signs of named conditions consist of; without one of them none of the conditions holds."""
    signs = [sign for name in names for sign in (*CONDITIONS[name].in_pod, *CONDITIONS[name].in_container)]
    return frozenset(map(_word_of, signs))


def _word_of(sign: Sign) -> str:
    match sign:
        case PodReason(reason=reason) | EventReason(reason=reason) | EndedReason(reason=reason):
            return reason
        case PodConditionIs(type=kind):
            return kind
        case _:
            raise TypeError(f"a mechanism cannot rest on {sign}: it names no word that is looked up")


def naming(evidence: Evidence) -> Iterator[str]:
    """The lines of the node's log that name this pod, its containers or its devices."""
    if evidence.node is None or not evidence.known_as:
        return
    for line in evidence.node.log_lines:
        if names_pod(line, evidence):
            yield line


def names_pod(line: str, evidence: Evidence) -> bool:
    """Whether a line of the node's log names this pod."""
    return any(name in line for name in evidence.known_as)


def _never_created(evidence: Evidence) -> bool:
    """Nothing is known of a pod, and an owner reports that it could not create one."""
    pod = evidence.pod
    exists = pod.phase or pod.reason or pod.conditions or pod.containers
    return not exists and any(event.reason in FAILED_CREATIONS for event in evidence.events)


def _unschedulable(evidence: Evidence) -> bool:
    """No node was found for the pod. An event alone may be old; it counts only for a pod of which nothing has run."""
    for condition in evidence.pod.conditions:
        if condition.type == _SCHEDULED:
            return condition.status == "False"
    waiting = not evidence.pod.containers and evidence.pod.phase in ("", "Pending") and not evidence.pod.reason
    return waiting and any(event.reason == _FAILED_SCHEDULING for event in evidence.events)


def _unseen(evidence: Evidence) -> bool:
    return evidence.pod.phase == "Pending" and is_fact(PodFact.NO_SCHEDULER, evidence)


def is_rejection(reason: str) -> bool:
    """Return whether this is the reason of a pod that its kubelet refused."""
    return reason in REJECTIONS or (reason.startswith(_OUT_OF) and reason != _OUT_OF)


def _rejected(evidence: Evidence) -> bool:
    return is_rejection(evidence.pod.reason)


def _not_started(evidence: Evidence) -> bool:
    """A container could not be started, and neither a reason of the pod nor memory says why it ended."""
    if evidence.pod.reason:
        return False
    ordinary = [container for container in evidence.pod.containers if container.kind is not ContainerKind.EPHEMERAL]
    if not any(map(_could_not_start, ordinary)) or any(map(_init_killed, ordinary)):
        return False
    return not is_fact(PodFact.STATES_LOST, evidence)


def _could_not_start(container: Container) -> bool:
    ended = failed(container)
    if ended is not None:
        return ended.reason in RUNTIME_REASONS and ended.reason not in _LOST
    waits = container.state.kind is StateKind.WAITING and container.state.reason != _FOR_INIT
    return waits and container.last_state is None and container.restarts == 0


def _init_killed(container: Container) -> bool:
    """Whether the runtime says that the container's first process was killed for memory before the command ran."""
    state, ended = container.state, container.ended
    if state.message and _INIT_OOM.search(state.message):
        return True
    return ended is not None and ended is not state and bool(ended.message) and bool(_INIT_OOM.search(ended.message))


def _evicted(evidence: Evidence) -> bool:
    if evidence.pod.reason == "Evicted" or any(CONDITIONS[name].holds(evidence) for name in _EVICTIONS):
        return True
    return not evidence.pod.reason and _BY_KUBELET.holds(evidence)


def _preempted(evidence: Evidence) -> bool:
    return any(CONDITIONS[name].holds(evidence) for name in _PREEMPTIONS)


def _deleted(evidence: Evidence) -> bool:
    """Somebody deleted the pod before all that failed in it had ended."""
    requested = evidence.deletion_requested_at or evidence.pod.deleted_at
    return requested is not None and not _ended_before(evidence, requested)


def _ended_before(evidence: Evidence, at: datetime) -> bool:
    times = [ended.finished_at for _, ended in _failures(evidence)]
    known = [at for at in times if at is not None]
    return bool(known) and len(known) == len(times) and at - min(known) > CLOCKS_APART


def _node_shutdown(evidence: Evidence) -> bool:
    return CONDITIONS["NodeShutdown"].holds(evidence)


def _node_lost(evidence: Evidence) -> bool:
    return CONDITIONS["NodeLost"].holds(evidence) or any(ended.reason in _LOST for _, ended in _failures(evidence))


def _states_lost(evidence: Evidence) -> bool:
    return evidence.pod.phase == "Unknown" or is_fact(PodFact.STATES_LOST, evidence)


def _deadline(evidence: Evidence) -> bool:
    return CONDITIONS["DeadlineExceeded"].holds(evidence)


def _killed_in_cgroup(evidence: Evidence) -> bool:
    """A container was killed within its own limit; without a limit the node was out of memory."""
    return any(name not in evidence.unlimited for name in _killed_for_memory(evidence))


def _logged_in_cgroup(evidence: Evidence) -> bool:
    """The runtime, or the kernel of the node, says that a container was killed within its own limit."""
    if any(map(_init_killed, evidence.pod.containers)):
        return True
    return evidence.node is not None and any(map(_MEMCG_OOM.search, naming(evidence)))


def _killed_by_node(evidence: Evidence) -> bool:
    return any(True for _ in _killed_for_memory(evidence))


def _logged_by_node(evidence: Evidence) -> bool:
    return evidence.node is not None and any(map(_GLOBAL_OOM.search, naming(evidence)))


def _killed_for_memory(evidence: Evidence) -> Iterator[str]:
    for container in evidence.pod.containers:
        if container.ended is not None and container.ended.reason == _OOM_KILLED:
            yield container.name


def _probe_killed(evidence: Evidence) -> bool:
    """The kubelet says that it stopped a container because of a probe, or one that failed probes got a signal."""
    events = [event for event in evidence.events if not _is_old(event, evidence)]
    if any(event.reason == _KILLING and _PROBE_KILL.search(event.message) for event in events):
        return True
    stopped = any(ending_signal(ended) in (_KILL, _TERM) for _, ended in _failures(evidence))
    return stopped and any(event.reason == _UNHEALTHY and _PROBE_FAILED.search(event.message) for event in events)


def _is_old(event: Event, evidence: Evidence) -> bool:
    """Whether the event was last seen before the containers that failed had started."""
    starts = [ended.started_at for _, ended in _failures(evidence)]
    known = [at for at in starts if at is not None]
    if event.last_at is None or not known or len(known) < len(starts):
        return False
    return min(known) - event.last_at > CLOCKS_APART


def _signalled(evidence: Evidence) -> bool:
    return any(ending_signal(ended) is not None for _, ended in _failures(evidence))


def _exited(evidence: Evidence) -> bool:
    return bool(_failures(evidence))


def _failures(evidence: Evidence) -> list[tuple[Container, ContainerState]]:
    return [(container, ended) for container in evidence.pod.containers if (ended := failed(container)) is not None]


def _succeeded(evidence: Evidence) -> bool:
    return evidence.pod.phase == "Succeeded" or is_fact(PodFact.MAIN_SUCCEEDED, evidence)


_FACTS: tuple[tuple[Mechanism, Callable[[Evidence], bool], frozenset[str] | None], ...] = (
    (Mechanism.NEVER_CREATED, _never_created, FAILED_CREATIONS),
    (Mechanism.UNSCHEDULABLE, _unschedulable, frozenset({_SCHEDULED, _FAILED_SCHEDULING})),
    (Mechanism.UNSCHEDULABLE, _unseen, None),
    (Mechanism.REJECTED, _rejected, None),
    (Mechanism.NOT_STARTED, _not_started, None),
    (Mechanism.EVICTED, _evicted, _words_of(*_EVICTIONS, _BY_KUBELET.name) | {"Evicted"}),
    (Mechanism.PREEMPTED, _preempted, _words_of(*_PREEMPTIONS)),
    (Mechanism.DELETED, _deleted, None),
    (Mechanism.NODE_SHUTDOWN, _node_shutdown, _words_of("NodeShutdown")),
    (Mechanism.NODE_LOST, _node_lost, _words_of("NodeLost") | _LOST),
    (Mechanism.NODE_LOST, _states_lost, None),
    (Mechanism.DEADLINE, _deadline, _words_of("DeadlineExceeded")),
    (Mechanism.OOM_CGROUP, _killed_in_cgroup, frozenset({_OOM_KILLED})),
    (Mechanism.OOM_CGROUP, _logged_in_cgroup, None),
    (Mechanism.OOM_NODE, _killed_by_node, frozenset({_OOM_KILLED})),
    (Mechanism.OOM_NODE, _logged_by_node, None),
    (Mechanism.PROBE_KILLED, _probe_killed, frozenset({_KILLING, _UNHEALTHY})),
    (Mechanism.SIGNALLED, _signalled, None),
    (Mechanism.EXITED, _exited, None),
    (Mechanism.SUCCEEDED, _succeeded, None),
)
"""The facts of each mechanism, and the words without which they do not hold; most pods have none of these words."""

_PLAIN_FACTS = tuple(fact for fact in _FACTS if fact[2] is None)
_WORDS = frozenset().union(*(named for _, _, named in _FACTS if named is not None))
