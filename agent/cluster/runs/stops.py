"""The stops that the scheduler asked for and that are not answered yet. No I/O."""

from dataclasses import dataclass

from agent.core.run_event import Identity, PodReference


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAsked:
    """Of which run the scheduler asked to stop which pod."""

    run: Identity
    pod: PodReference


class Stops:
    """By the uid of the pod. They are lost with the process: the scheduler asks again until it has an answer."""

    def __init__(self) -> None:
        self._asked: dict[str, StopAsked] = {}

    def __len__(self) -> int:
        return len(self._asked)

    def ask(self, run: Identity, pod: PodReference) -> None:
        self._asked[pod.uid] = StopAsked(run=run, pod=pod)

    def take(self, uid: str) -> StopAsked | None:
        """The stop of this pod, which is answered now; ``None`` if nobody asked."""
        return self._asked.pop(uid, None)
