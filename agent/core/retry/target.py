"""Which containers a rule looks at (seed, "Container Targeting")."""

from collections.abc import Sequence

from agent.core.classify.signs import failed
from agent.core.evidence import Container, ContainerKind, ContainerState, Pod
from agent.core.retry.policy import Rule

_INIT = frozenset({ContainerKind.INIT, ContainerKind.SIDECAR})


def considered(rule: Rule, pod: Pod) -> tuple[Container, ...]:
    """The container the rule names, whatever its kind; else app containers, and init containers where it says so.

    Sidecars are init containers that go on running, and count as such. Ephemeral containers must be named.
    """
    if rule.container is not None:
        return tuple(container for container in pod.containers if container.name == rule.container)
    kinds = {ContainerKind.APP} | (_INIT if rule.include_init else frozenset())
    return tuple(container for container in pod.containers if container.kind in kinds)


def first_failed(containers: Sequence[Container]) -> tuple[Container, ContainerState] | None:
    """The first, in status order, that ended with a code that is not 0; a code nobody gave is unknown, not 0."""
    return next(((one, state) for one in containers if (state := failed(one)) is not None), None)
