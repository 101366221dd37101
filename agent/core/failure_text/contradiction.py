"""Contradictions: signs of the system that do not fit one another, of which at least one misleads.

A container with the reason ``OOMKilled`` and exit code 143 was asked to stop, and its kernel killed something else in
it; a pod that was evicted after its container had exited with code 0 had done its work.
"""

from collections.abc import Iterator
from typing import Final

from agent.core.evidence import Container, ContainerKind, ContainerState
from agent.core.exit_status import SIGNALS, ending_signal
from agent.core.failure import Failure

_OOM_KILLED: Final = "OOMKilled"
_ENDED_BY_OTHERS: Final = frozenset({"Evicted", "DeadlineExceeded", "NodeLost", "Shutdown", "Terminated", "Preempting"})
_NAMES: Final = {number: name for name, number in reversed(SIGNALS.items())}


def contradictions(failure: Failure) -> tuple[str, ...]:
    """Sentences, each about two signs of the system that contradict each other; mostly none."""
    containers = [container for container in failure.pod.containers if container.kind is not ContainerKind.EPHEMERAL]
    said = [
        sentence
        for container in containers
        if container.ended is not None
        for sentence in _of_container(container, container.ended)
    ]
    return (*said, *_of_pod(failure, containers))


def _of_container(container: Container, ended: ContainerState) -> Iterator[str]:
    signal = ending_signal(ended)
    name, code = f"container {container.name}", ended.exit_code
    if ended.reason == _OOM_KILLED and signal is not None and signal != SIGNALS["SIGKILL"]:
        yield f"{name} has the reason OOMKilled, yet {_signal(signal)} ended it; the kernel kills for memory by SIGKILL"
    if ended.reason == "Completed" and code:
        yield f"{name} has the reason Completed, yet exit code {code}"
    if ended.reason == "Error" and code == 0:
        yield f"{name} has the reason Error, yet exit code 0"


def _of_pod(failure: Failure, containers: list[Container]) -> Iterator[str]:
    reason = failure.pod.reason
    main = [container for container in containers if container.kind is ContainerKind.APP]
    if reason in _ENDED_BY_OTHERS and main and all(_succeeded(container) for container in main):
        yield f"the pod has the reason {reason}, yet its containers exited with code 0"


def _succeeded(container: Container) -> bool:
    return container.ended is not None and container.ended.exit_code == 0


def _signal(number: int) -> str:
    return _NAMES.get(number, f"signal {number}")
