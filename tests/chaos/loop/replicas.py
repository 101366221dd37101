"""Processes that are killed and started again, each under its own number."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Generic, Protocol, TypeVar

from tests.chaos.whole.schedulers import UNREACHABLE, EndedByItself


class Replica(Protocol):
    """One process."""

    def is_ready(self) -> bool: ...

    def returned(self) -> int | None: ...

    def kill(self) -> None: ...


_Replica = TypeVar("_Replica", bound=Replica)


class Replicas(Generic[_Replica]):
    """Runs ``count`` of them from the start; ``start`` takes the number of the replica, and how many were started.

    Whoever makes them ends them.
    """

    def __init__(self, name: str, start: Callable[[int, int], _Replica], *, count: int = 2) -> None:
        self._name: Final = name
        self._start: Final = start
        self._count: Final = count
        self._starts = 0
        self._running: dict[int, _Replica] = {number: self._started(number) for number in range(count)}

    @property
    def running(self) -> Sequence[_Replica]:
        """Those that were not killed."""
        return list(self._running.values())

    def kill(self, number: int) -> None:
        """Kill this one, until ``mend``."""
        self._running.pop(number).kill()

    def mend(self) -> None:
        """Start again what was killed. Raises EndedByItself."""
        self.tend()
        missing = [number for number in range(self._count) if number not in self._running]
        self._running |= {number: self._started(number) for number in missing}

    def tend(self) -> None:
        """Start again what could not reach a server when it began. Raises EndedByItself for anything else."""
        ended: Mapping[int, int | None] = {number: each.returned() for number, each in self._running.items()}
        for number, code in ended.items():
            if code is None:
                continue
            if code != UNREACHABLE:
                raise EndedByItself(f"{self._name} {number} exited with {code}")
            self._running[number] = self._started(number)

    def are_ready(self) -> bool:
        return len(self._running) == self._count and all(each.is_ready() for each in self.running)

    def end(self) -> None:
        """Kill all."""
        for each in self.running:
            each.kill()

    def _started(self, number: int) -> _Replica:
        self._starts += 1
        return self._start(number, self._starts)
