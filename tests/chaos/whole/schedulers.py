"""Two schedulers that share the work; one that is killed is started again, and what it had dropped is remembered."""

from pathlib import Path
from typing import Final

from tests.scheduler.process import SchedulerProcess
from tests.servers.patience import until

UNREACHABLE: Final = 3
"""The exit code of a process that could not reach a server when it began; whoever runs it starts it again."""

_NUMBER: Final = 2
_READY_SECONDS: Final = 120.0
_DROPPED: Final = "failure_agent_scheduler_duplicates_total "


class EndedByItself(AssertionError):
    """A process ended that nobody killed; the text says where its log is."""


class Schedulers:
    """Both run from the start. Whoever makes them ends them."""

    def __init__(self, settings: Path, *, logs: Path) -> None:
        self._settings: Final = settings
        self._logs: Final = logs
        self._starts = 0
        self._dropped = 0.0
        self._running = [self._start() for _ in range(_NUMBER)]

    def wait_until_ready(self) -> None:
        """Wait for both. Raises EndedByItself."""

        def ready() -> bool:
            self.tend()
            return all(one.is_ready() for one in self._running)

        until(ready, "both schedulers ready", seconds=_READY_SECONDS)

    def kill(self) -> None:
        """Kill the one that runs longest, and start another."""
        victim = self._running.pop(0)
        self._dropped += _dropped_by(victim)
        victim.kill()
        self._running.append(self._start())

    def tend(self) -> None:
        """Start again what could not reach the broker when it began. Raises EndedByItself for anything else."""
        for place, one in enumerate(self._running):
            if (code := one.returned()) == UNREACHABLE:
                self._running[place] = self._start()
            elif code is not None:
                raise EndedByItself(f"a scheduler ended with {code}; its logs are in {self._logs}")

    def dropped(self) -> int:
        """How many deliveries they knew already, as far as their metrics were read."""
        return round(self._dropped + sum(map(_dropped_by, self._running)))

    def end(self) -> None:
        """Kill both."""
        for one in self._running:
            one.end()

    def _start(self) -> SchedulerProcess:
        self._starts += 1
        return SchedulerProcess(self._settings, log=self._logs / f"scheduler-{self._starts}.log")


def _dropped_by(process: SchedulerProcess) -> float:
    if process.port() is None or process.returned() is not None:
        return 0.0
    lines = process.ask("/metrics")[1].splitlines()
    return sum(float(line.removeprefix(_DROPPED)) for line in lines if line.startswith(_DROPPED))
