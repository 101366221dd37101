"""Evidence: what was known of a pod, its events and its node when its run failed.

Every text in here has been stripped (design 8): no NUL, no lone surrogate, no control character but
newline and tab. Times are aware datetimes; ``None`` is absence.
"""

from dataclasses import field
from datetime import datetime
from enum import StrEnum

from agent.core.value import value


class ContainerKind(StrEnum):
    """The part a container plays in its pod."""

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


@value(frozen=True, slots=True, kw_only=True)
class ContainerState:
    """One state of one container. ``exit_code`` and ``signal`` are ``None`` unless it terminated."""

    kind: StateKind
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    signal: int | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


@value(frozen=True, slots=True, kw_only=True)
class Container:
    """One container's status.

    ``ended`` is the terminated state that classification looks at, or ``None``: the current state if it
    is terminated, else the last state where the container waits to be started again; for an in-place
    restart the last state of the restarted container only; never that of an ephemeral one.
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


@value(frozen=True, slots=True, kw_only=True)
class Condition:
    """A pod's or a node's condition; ``status`` is ``True``, ``False`` or ``Unknown``, as text."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    transitioned_at: datetime | None = None
    heartbeat_at: datetime | None = None


@value(frozen=True, slots=True, kw_only=True)
class Pod:
    """The part of a pod's status that helps to understand a failure.

    ``containers`` holds app containers in status order, then init containers and sidecars, then
    ephemeral ones.
    """

    phase: str = ""
    reason: str = ""
    message: str = ""
    qos_class: str = ""
    started_at: datetime | None = None
    deleted_at: datetime | None = None
    conditions: tuple[Condition, ...] = ()
    containers: tuple[Container, ...] = ()


@value(frozen=True, slots=True, kw_only=True)
class Taint:
    key: str
    value: str = ""
    effect: str = ""
    added_at: datetime | None = None


@value(frozen=True, slots=True, kw_only=True)
class Node:
    """What was known of the pod's node.

    ``log_lines`` are messages of events on the node, and in bundles its kernel and kubelet log.
    """

    name: str = ""
    conditions: tuple[Condition, ...] = ()
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    log_lines: tuple[str, ...] = ()


@value(frozen=True, slots=True, kw_only=True)
class Event:
    """One event about the pod; ``type`` is ``Normal`` or ``Warning``."""

    reason: str = ""
    message: str = ""
    type: str = ""
    count: int = 1
    first_at: datetime | None = None
    last_at: datetime | None = None
    component: str = ""


@value(frozen=True, slots=True, kw_only=True)
class LogTail:
    """The end of a container's log; ``previous`` means the log before its last restart."""

    container: str
    text: str
    previous: bool = False


@value(frozen=True, slots=True, kw_only=True)
class MissingEvidence:
    """Evidence that could not be had: what, as ``log of main``, and why."""

    what: str
    reason: str


@value(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that classification may look at.

    ``pod_error`` is the one message the platform gave: the pod's status message, else the messages of
    its failed containers joined (armada-today 1.3), else what its conditions and waiting containers say.
    ``events`` are Warning first, newest first, unbounded.
    ``sanitized`` names the fields that lost characters when they were read.
    """

    pod: Pod = field(default_factory=Pod)
    pod_error: str = ""
    events: tuple[Event, ...] = ()
    node: Node | None = None
    log_tails: tuple[LogTail, ...] = ()
    missing: tuple[MissingEvidence, ...] = ()
    sanitized: tuple[str, ...] = ()
