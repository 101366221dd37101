"""Evidence: what was known of a pod, its events and its node when its run failed.

Every text in here has been stripped: no NUL, no lone surrogate, no control character but
newline and tab. Times are aware datetimes; ``None`` is absence.

Values here and in ``failure`` are msgspec structs: creating one takes a fifth of the time of a frozen dataclass, and a
failure consists of some 25. ``gc=False``: a frozen value of immutable fields is in no cycle, so the garbage collector
need not visit it. ``omit_defaults``, of what a failure consists of: it is stored as JSON, of which a seventh would say
nothing. What is stored does not have them, so a default never changes.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class ContainerKind(StrEnum):
    """The role of a container in its pod."""

    APP = "app"
    INIT = "init"
    SIDECAR = "sidecar"
    EPHEMERAL = "ephemeral"


class StateKind(StrEnum):
    """The kind of a container's state; ``ABSENT`` is a state the kubelet never reported."""

    ABSENT = "absent"
    WAITING = "waiting"
    RUNNING = "running"
    TERMINATED = "terminated"


class ContainerState(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One state of one container. ``exit_code`` and ``signal`` are ``None`` unless it terminated."""

    kind: StateKind
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    signal: int | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


class Container(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One container's status.

    ``ended`` is the terminated state that classification looks at, or ``None``: the current state if it
    is terminated, else the last state where the container waits to be started again; for an in-place
    restart the last state of the restarted container only; never that of an ephemeral one, nor that of a sidecar in a
    pod that succeeded.
    """

    name: str
    kind: ContainerKind
    image: str = ""
    state: ContainerState
    last_state: ContainerState | None = None
    ended: ContainerState | None = None
    restarts: int = 0
    ready: bool = False
    injected: bool | None = None

    @property
    def ended_now(self) -> bool:
        """Whether ``ended`` is the current state; if it is not, it is the last one."""
        return self.ended is self.state or self.ended == self.state


class ContainerMemory(Struct, frozen=True, gc=False, kw_only=True):
    """The memory of one container of the run, in bytes; ``None`` if the pod does not set it."""

    name: str
    kind: ContainerKind = ContainerKind.APP
    request: int | None = None
    limit: int | None = None


class Specified(Struct, frozen=True, gc=False, kw_only=True):
    """Resources as the spec of one container writes them, unchecked; the pod's own where ``name`` is empty."""

    name: str = ""
    limits: Mapping[str, str | float | None] | None = None
    requests: Mapping[str, str | float | None] | None = None


class Condition(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A pod's or a node's condition; ``status`` is ``True``, ``False`` or ``Unknown``, as text."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    transitioned_at: datetime | None = None
    heartbeat_at: datetime | None = None


OWN_JOB = "failure-agent job"
"""The kind of controller of a pod that was made for a job submitted to the scheduler of this project."""

ARMADA_JOB = "Armada job"


class Pod(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The part of a pod's status that helps explain a failure, and who may start another one.

    ``containers`` holds app containers in status order, then init containers and sidecars, then
    ephemeral ones. ``controller`` is who made the pod, as ``Job train-0``: empty if nobody starts another one, ``None``
    if that is not known.
    """

    phase: str = ""
    reason: str = ""
    message: str = ""
    qos_class: str = ""
    started_at: datetime | None = None
    deleted_at: datetime | None = None
    conditions: tuple[Condition, ...] = ()
    containers: tuple[Container, ...] = ()
    restart_policy: str = ""
    controller: str | None = None


class Taint(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    key: str
    value: str = ""
    effect: str = ""
    added_at: datetime | None = None


class Node(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What was known of the pod's node.

    ``log_lines`` are messages of events on the node, and in bundles its kernel and kubelet log.
    """

    name: str = ""
    conditions: tuple[Condition, ...] = ()
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    log_lines: tuple[str, ...] = ()


class Event(Struct, frozen=True, gc=False, kw_only=True, array_like=True):
    """One event about the pod; ``type`` is ``Normal`` or ``Warning``.

    ``array_like``: agents keep many of them, packed, where field names would be half of the bytes.
    """

    reason: str = ""
    message: str = ""
    type: str = ""
    count: int = 1
    first_at: datetime | None = None
    last_at: datetime | None = None
    component: str = ""


class LogTail(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The end of a container's log; ``previous`` means the log before its last restart."""

    container: str
    text: str
    previous: bool = False


class MissingEvidence(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """Evidence that was unavailable: what, for example ``log of main``, and why."""

    what: str
    reason: str


class Evidence(Struct, frozen=True, gc=False, kw_only=True):
    """Everything that classification may look at.

    ``pod_error`` is the one message the platform gave: the pod's status message, else the messages of
    its failed containers joined, as Armada's executor does, else what its conditions and waiting containers say.
    ``events`` are Warning first, newest first, unbounded.
    ``sanitized`` names the fields that lost characters when they were read.
    ``deletion_requested_at`` is when a deletion was asked for; ``pod.deleted_at`` is when its grace period ends.
    ``unlimited`` are the containers that no memory limit applies to, where the spec is known. ``specified`` are
    the resources of the containers and of the pod, ``deadline_seconds`` is the pod's ``activeDeadlineSeconds``.
    ``namespace`` is the pod's, empty where it is not known.
    ``known_as`` is how the node's log may name this pod: its uid, container ids and devices; empty without such a log.
    """

    pod: Pod = Pod()
    pod_error: str = ""
    events: tuple[Event, ...] = ()
    node: Node | None = None
    log_tails: tuple[LogTail, ...] = ()
    missing: tuple[MissingEvidence, ...] = ()
    sanitized: tuple[str, ...] = ()
    deletion_requested_at: datetime | None = None
    unlimited: tuple[str, ...] = ()
    specified: tuple[Specified, ...] = ()
    deadline_seconds: int | None = None
    namespace: str = ""
    known_as: tuple[str, ...] = ()
