"""What proves that no container of a pod runs any more, or ever will. A pure function over what the API server shows.

Neither the phase nor a deletion proves it: PodGC writes ``Failed`` while containers of a lost node live, and a forced
deletion looks like the kubelet's own last one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.evidence import ContainerKind, StateKind
from agent.core.run_event import Confirmation


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenContainer:
    """A container of the pod's spec, with its last status. ``state`` is ``absent`` if it has none.

    ``exit_code`` is that of the current state; ``restarted`` says that it has a ``lastState``.
    """

    kind: ContainerKind
    state: StateKind
    exit_code: int | None = None
    restarted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSeen:
    """A pod as last stored by the API server.

    ``containers`` are those of its spec: first init containers and sidecars in their order, then the others.
    ``deleting`` (a deletionTimestamp) and ``node`` are of the same object: a node in memory may predate the binding.
    ``refused`` says that the kubelet refused the pod at admission. ``watched`` says that this uid was watched from its
    creation without a gap, ``showed_container`` that any status ever had a container.
    """

    containers: Sequence[SeenContainer]
    deleting: bool = False
    node: str = ""
    refused: bool = False
    watched: bool = False
    showed_container: bool = False


def confirmation_of(pod: LastSeen) -> Confirmation | None:
    """What confirms that the pod no longer lives; ``None`` if it may."""
    if _all_ended(pod.containers):
        return Confirmation.CONTAINERS
    if _shows_container(pod):
        return None
    if pod.deleting and not pod.node:
        return Confirmation.NEVER_BOUND
    # A kubelet that restarted also refuses pods that it runs.
    return Confirmation.REFUSED_BY_KUBELET if pod.refused and pod.watched else None


def _shows_container(pod: LastSeen) -> bool:
    return pod.showed_container or any(container.state is not StateKind.ABSENT for container in pod.containers)


def _all_ended(containers: Sequence[SeenContainer]) -> bool:
    """Every container has terminated, or cannot start because an init container before it failed."""
    failed = False
    for container in containers:
        terminated = container.state is StateKind.TERMINATED
        if not terminated and not (failed and _never_started(container)):
            return False
        # The kubelet starts a sidecar again, so its exit code blocks nothing.
        failed |= terminated and container.kind is ContainerKind.INIT and container.exit_code not in (0, None)
    return bool(containers)


def _never_started(container: SeenContainer) -> bool:
    # An ephemeral container does not wait for init containers.
    ephemeral = container.kind is ContainerKind.EPHEMERAL
    return container.state is StateKind.WAITING and not container.restarted and not ephemeral
