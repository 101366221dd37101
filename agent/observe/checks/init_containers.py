"""Init containers: since when they run, where they are not all done (Armada's ``deadlineForInitContainers``)."""

from dataclasses import dataclass
from datetime import datetime

from agent.kube import objects
from agent.observe.checks.duration import go_duration
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
    states = [(name or "", known[name].state or objects.State()) for name in names if name in known]
    began = [at for _, state in states if (at := _began(state)) is not None]
    done = sum(state.terminated is not None and not state.terminated.exitCode for _, state in states)
    if not began or done == len(names):
        return None
    running = [(name, at) for name, state in states if state.running and (at := aware(state.running.startedAt))]
    return InitContainersBegan(
        at=min(began),
        failed=tuple(_failures(states)),
        running=max(running, key=lambda each: each[1], default=None),
    )


def _began(state: objects.State) -> datetime | None:
    if state.running is not None:
        return aware(state.running.startedAt)
    return aware(state.terminated.startedAt) if state.terminated is not None else None


def _failures(states: list[tuple[str, objects.State]]) -> list[str]:
    return [
        f"init container {name} ended with exit code {state.terminated.exitCode}"
        for name, state in states
        if state.terminated is not None and state.terminated.exitCode
    ]
