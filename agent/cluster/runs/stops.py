"""Which pods the scheduler asked to stop and has no answer for yet, and which to discard. No I/O."""

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
        self._discarded: set[str] = set()

    def __len__(self) -> int:
        return len(self._asked)

    def ask(self, run: Identity, pod: PodReference) -> None:
        self._asked[pod.uid] = StopAsked(run=run, pod=pod)

    def discard(self, uid: str) -> None:
        """This pod is deleted, and nobody is to be answered."""
        self._discarded.add(uid)

    def is_discarded(self, uid: str) -> bool:
        return uid in self._discarded

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._asked.pop(uid, None)
        self._discarded.discard(uid)

    def take(self, uid: str) -> StopAsked | None:
        """The stop of this pod, which is answered now; ``None`` if nobody asked."""
        return self._asked.pop(uid, None)
