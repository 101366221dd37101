"""Init containers: since when they run, where they are not all done (Armada's ``deadlineForInitContainers``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.kube import objects
from agent.observe.checks.finding import go_duration
from agent.observe.values import aware

_ALWAYS = "Always"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitContainersBegan:
    """The first began ``at``; ``failed`` say which ended badly, ``running`` is the last to begin of those running."""

    at: datetime
    failed: tuple[str, ...] = ()
    running: tuple[str, datetime] | None = None

    def told(self, now: datetime) -> str:
        """What there is to say of them, each on a line of its own."""
        said = [f"\nErrors from init containers: {'; '.join(self.failed)}"] if self.failed else []
        if self.running is not None:
            name, since = self.running
            said.append(f"\nInit container {name} is still running and has been running for {go_duration(now - since)}")
        return "".join(said)


def overdue_init_containers(pod: objects.Pod) -> InitContainersBegan | None:
    """Since when init containers run; ``None`` where none ever did, or all are done. Sidecars do not count."""
    known = {status.name: status for status in pod.status.initContainerStatuses or ()}
    names = [each.name for each in pod.spec.initContainers or () if each.restartPolicy != _ALWAYS]
    seen = [(name or "", *_states(known[name])) for name in names if name in known]
    began = [at for _, *states in seen for state in states if (at := _began(state)) is not None]
    done = sum(state.terminated is not None and not state.terminated.exitCode for _, state, _ in seen)
    if not began or done == len(names):
        return None
    running = [(name, at) for name, state, _ in seen if state.running and (at := aware(state.running.startedAt))]
    return InitContainersBegan(
        at=min(began),
        failed=tuple(_failure(name, ended) for name, *states in seen if (ended := _failed(states)) is not None),
        running=max(running, key=lambda each: each[1], default=None),
    )


def _states(status: objects.ContainerStatus) -> tuple[objects.State, objects.State]:
    """Its state, and the last one before it was started again, which alone says that it ran where it waits now."""
    return status.state or objects.State(), status.lastState or objects.State()


def _began(state: objects.State) -> datetime | None:
    if state.running is not None:
        return aware(state.running.startedAt)
    return aware(state.terminated.startedAt) if state.terminated is not None else None


def _failed(states: Sequence[objects.State]) -> objects.Terminated | None:
    """How it last ended, if badly."""
    ended = next((state.terminated for state in states if state.terminated is not None), None)
    return ended if ended is not None and ended.exitCode else None


def _failure(name: str, ended: objects.Terminated) -> str:
    return f"init container {name} ended with exit code {ended.exitCode}"
