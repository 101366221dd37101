"""A Job simulated without a cluster: effects are applied at once, to pods that are values."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from agent.core.job.advance import advance
from agent.core.job.counters import Change, Counters, Gone
from agent.core.job.effects import CreatePod, DeletePod, Delta, Effect, ReleasePod, RequeueAfter
from agent.core.job.marks import Marks
from agent.core.job.naming import generate_name, pod_prefix
from agent.core.job.pod import PENDING, JobPod


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One step of a simulation: the time, what changed, and the effects."""

    at: datetime
    delta: Delta
    effects: tuple[Effect, ...]


@dataclass(slots=True, kw_only=True)
class Play:
    """A Job with its pods, and a clock that only ``pass_time`` moves.

    ``lingering``: deleted pods wait for ``tear_down``, as on a node; else they are gone as soon as they are released.
    ``wait`` is the time until the next step is due if nothing changes. ``marks`` gives failed pods our conditions.
    """

    counters: Counters
    name: str
    now: datetime
    namespace: str = "default"
    lingering: bool = False
    wait: timedelta | None = None
    marks: Marks | None = None
    ordinals: dict[int | None, int] = field(default_factory=dict)

    def living(self) -> list[JobPod]:
        """Return the pods that have not ended, in order of creation."""
        return [pod for pod in self.counters.pods.values() if not pod.terminal]

    def see(self, *changes: Change) -> list[Turn]:
        """Process changes until there is nothing left to do at this time."""
        turns: list[Turn] = []
        touched: Iterable[Change] = changes
        while True:
            delta, effects = advance(self.counters, touched, now=self.now)
            turns.append(Turn(at=self.now, delta=delta, effects=effects))
            waits = [effect.after for effect in effects if isinstance(effect, RequeueAfter)]
            self.wait = min(waits, default=None)
            touched = [change for effect in effects for change in self._apply(effect)]
            if not touched and not (delta.changed and _unfinished(delta)):
                return turns

    def pass_time(self, by: timedelta) -> list[Turn]:
        self.now += by
        return self.see()

    def tear_down(self, uid: str) -> list[Turn]:
        """End a deleted pod, as a kubelet does; it stays while it has the tracking finalizer."""
        pod = self.counters.pods[uid]
        if pod.tracked:
            return self.see(replace(pod, assigned=False))
        return self.see(Gone(uid=uid))

    def _apply(self, effect: Effect) -> list[Change]:
        match effect:
            case CreatePod():
                return [self._made(effect)]
            case DeletePod():
                return self._deleted(effect)
            case ReleasePod():
                return self._released(effect.uid)
            case RequeueAfter():
                return []

    def _made(self, effect: CreatePod) -> JobPod:
        ordinal = self.ordinals.get(effect.index, 0)
        self.ordinals[effect.index] = ordinal + 1
        stem = pod_prefix(self.name) if effect.index is None else generate_name(self.name, effect.index)
        failures, ignored = effect.counts or (0, 0)
        return JobPod(
            uid=f"{stem}{ordinal}",
            name=f"{stem}{ordinal}",
            namespace=self.namespace,
            phase=PENDING,
            index=effect.index,
            failure_count=failures,
            ignored_failure_count=ignored,
            assigned=self.lingering,
            created_at=self.now,
        )

    def _deleted(self, effect: DeletePod) -> list[Change]:
        pod = self.counters.pods.get(effect.uid)
        if pod is None or pod.deleted_at is not None:
            return []
        tracked = pod.tracked and not effect.uncounted
        if not tracked and not pod.assigned:
            return [Gone(uid=pod.uid)]
        return [replace(pod, deleted_at=self.now, tracked=tracked)]

    def _released(self, uid: str) -> list[Change]:
        pod = self.counters.pods.get(uid)
        if pod is None:
            return []
        goes = pod.deleted_at is not None and not pod.assigned
        return [Gone(uid=uid)] if goes else []


def _unfinished(delta: Delta) -> bool:
    return delta.finished is None
