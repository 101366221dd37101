"""Which containers a rule looks at (armadaproject/armada#4683, "Container Targeting")."""

from collections.abc import Sequence
from typing import NamedTuple

from agent.core.classify.followers import deciding_containers
from agent.core.classify.signs import failed
from agent.core.evidence import Container, ContainerKind, ContainerState
from agent.core.failure import Failure

LooksAt = tuple[str | None, bool]
"""``containerName``, or ``None``, and ``includeInitContainers``."""

_INIT = frozenset({ContainerKind.INIT, ContainerKind.SIDECAR})
_APP = frozenset({ContainerKind.APP})


class Target(NamedTuple):
    """The containers that a rule looks at, and the first of them that failed, with its terminated state.

    ``named`` is the container that the rule names, if any.
    """

    containers: tuple[Container, ...]
    failed: tuple[Container, ContainerState] | None
    named: str | None

    def only(self, container: Container) -> "Target":
        """The same target, restricted to one of its containers."""
        first = self.failed if self.failed is not None and self.failed[0] is container else None
        return Target((container,), first, self.named)


def target(looks_at: LooksAt, failure: Failure) -> Target:
    """The container that a rule names, of any kind; else app containers, and init containers if it says so.

    Sidecars are init containers that keep running, and count as such. Ephemeral containers must be named, and so must
    followers: containers that ended because others had.
    """
    named, include_init = looks_at
    if named is not None:
        containers = tuple(container for container in failure.pod.containers if container.name == named)
    else:
        kinds = _APP | _INIT if include_init else _APP
        containers = tuple([container for container in deciding_containers(failure) if container.kind in kinds])
    return Target(containers, first_failed(containers), named)


def first_failed(containers: Sequence[Container]) -> tuple[Container, ContainerState] | None:
    """The first, in status order, that exited with a non-zero code; a missing code is unknown, not 0."""
    for container in containers:
        state = failed(container)
        if state is not None:
            return container, state
    return None
