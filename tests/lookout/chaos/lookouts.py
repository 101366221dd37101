"""Processes of Lookout that share a database, and what can happen to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from tests.lookout.process import LookoutProcess, write_settings
from tests.scheduler.path import Place, wait_until


@dataclass
class Lookouts:
    """``several`` processes that store what comes from ``place``; they end with it."""

    place: Place
    folder: Path
    draw: Random
    several: int = 1
    processes: list[LookoutProcess] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers = count(1)
        self._settings = write_settings(self.folder, self.place)

    def __enter__(self) -> Self:
        self.processes = [self._start() for _ in range(self.several)]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes:
            process.end()

    def _start(self) -> LookoutProcess:
        return LookoutProcess(self._settings, log=self.folder / f"log-{next(self._numbers)}")

    def wait_until_ready(self) -> None:
        """One that has ended, as it does if it reaches no database at its start, is started again."""
        wait_until(self._are_ready)

    def _are_ready(self) -> bool:
        for number, process in enumerate(self.processes):
            if process.returned() is not None:
                self.processes[number] = self._start()
        return all(process.is_ready() for process in self.processes)

    @contextmanager
    def killed(self) -> Iterator[None]:
        """One is killed while it stores, and another takes its place."""
        yield
        number = self.draw.randrange(self.several)
        self.processes[number].kill()
        self.processes[number] = self._start()

    @contextmanager
    def all_killed(self) -> Iterator[None]:
        """All are killed while they store; what is sent meanwhile waits."""
        for process in self.processes:
            process.kill()
        yield
        self.processes = [self._start() for _ in self.processes]

    @contextmanager
    def restarted(self) -> Iterator[None]:
        """All end in order while they store, as in an upgrade."""
        yield
        self.end()
        self.processes = [self._start() for _ in self.processes]

    def end(self) -> None:
        """Have all end in order."""
        self.wait_until_ready()
        assert [process.terminate() for process in self.processes] == [0] * self.several
