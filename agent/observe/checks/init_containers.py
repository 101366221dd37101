"""Since when init containers run, if they are not all done (for Armada's ``deadlineForInitContainers``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.kube import objects
from agent.observe.checks.finding import go_duration
from agent.observe.node_clock import by_server

_ALWAYS = "Always"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitContainerProgress:
    """The first began ``at``; ``failed`` has a text for each that failed, ``running`` the one that began last."""

    at: datetime
    failed: tuple[str, ...] = ()
    running: tuple[str, datetime] | None = None

    def describe(self, now: datetime) -> str:
        """Failures and the running one, each on a line of its own, each line led by a newline."""
        said = [f"\nErrors from init containers: {'; '.join(self.failed)}"] if self.failed else []
        if self.running is not None:
            name, since = self.running
            said.append(f"\nInit container {name} is still running and has been running for {go_duration(now - since)}")
        return "".join(said)


def unfinished_init_containers(pod: objects.Pod) -> InitContainerProgress | None:
    """Since when init containers run; ``None`` if none ever began, or all are done. Sidecars do not count."""
    known = {status.name: status for status in pod.status.initContainerStatuses or ()}
    names = [container.name for container in pod.spec.initContainers or () if container.restartPolicy != _ALWAYS]
    seen = [(name or "", *_states(known[name])) for name in names if name in known]
    began = [at for _, *states in seen for state in states if (at := by_server(pod, _began(state))) is not None]
    done = sum(state.terminated is not None and not state.terminated.exitCode for _, state, _ in seen)
    if not began or done == len(names):
        return None
    running = [
        (name, at) for name, state, _ in seen if state.running and (at := by_server(pod, state.running.startedAt))
    ]
    return InitContainerProgress(
        at=min(began),
        failed=tuple(_failure(name, ended) for name, *states in seen if (ended := _failed(states)) is not None),
        running=max(running, key=lambda container: container[1], default=None),
    )


def _states(status: objects.ContainerStatus) -> tuple[objects.State, objects.State]:
    """The state and the last state of a container. If it waits for a restart, only the last state says that it ran."""
    return status.state or objects.State(), status.lastState or objects.State()


def _began(state: objects.State) -> datetime | None:
    if state.running is not None:
        return state.running.startedAt
    return state.terminated.startedAt if state.terminated is not None else None


def _failed(states: Sequence[objects.State]) -> objects.Terminated | None:
    """How it last terminated, if with a failure."""
    ended = next((state.terminated for state in states if state.terminated is not None), None)
    return ended if ended is not None and ended.exitCode else None


def _failure(name: str, ended: objects.Terminated) -> str:
    return f"init container {name} ended with exit code {ended.exitCode}"
