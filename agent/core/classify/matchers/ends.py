"""The containers that exited with a non-zero code: what exit codes, signals and messages are read from."""

from collections.abc import Iterable

from agent.core.classify.signs import failed
from agent.core.evidence import Container, ContainerState, Evidence

Ends = list[tuple[Container, ContainerState]]
"""Containers, each with its terminated state."""


def ends(container: str | None, evidence: Evidence) -> tuple[Ends, str]:
    """The containers that a rule looks at; or none, and the reason. ``container`` is the one that the rule names."""
    every = [(failing, state) for failing in evidence.pod.containers if (state := failed(failing)) is not None]
    if not every:
        return [], "no container exited with a non-zero code"
    wanted = [(failing, state) for failing, state in every if container in (None, failing.name)]
    if not wanted:
        return [], f"container {container} did not exit with a non-zero code, only {names(every)} did"
    return wanted, ""


def names(these: Ends) -> str:
    return ", ".join(container.name for container, _ in these)


def listed(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in sorted(values))


def ended(container: Container) -> ContainerState:
    """The container's terminated state. Raises ValueError without one: then nothing can have matched there."""
    if container.ended is None:
        raise ValueError(f"container {container.name} has not ended")
    return container.ended
