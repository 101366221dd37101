"""The ends of a failed pod's logs, read on demand, where settings allow it."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

from agent.cluster.evidence.case import Case
from agent.core.evidence import LogTail, MissingEvidence
from agent.core.failure import Occurrence
from agent.core.run_event import PodReference
from agent.kube import objects
from agent.kube.logs import LogUnavailable

_WITHOUT_LOGS: Final = frozenset({Occurrence.DELETED_EXTERNALLY, Occurrence.MISSING})


class Logs(Protocol):
    async def tail(
        self, pod: PodReference, container: str, *, previous: bool, lines: int, max_bytes: int, deadline: float
    ) -> str:
        """The end of a container's log. Raises LogUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Log:
    container: str
    previous: bool = False


class LogTails:
    """Reads the logs of the containers that a case is about, all within ``deadline`` seconds a pod."""

    def __init__(self, logs: Logs, *, namespaces: Collection[str], lines: int, max_bytes: int, deadline: float) -> None:
        self._logs = logs
        self._namespaces = frozenset(namespaces)
        self._lines = lines
        self._max_bytes = max_bytes
        self._deadline = deadline

    def wanted(self, case: Case) -> bool:
        """Whether there is anything to read that may be read."""
        return case.entry.reference.namespace in self._namespaces and next(_logs(case), None) is not None

    async def read(self, case: Case) -> Case:
        """The case with the log tails that could be read; the others are recorded as missing."""
        until = time.monotonic() + self._deadline
        tails, missing = list(case.log_tails), list(case.missing)
        for log in _logs(case):
            try:
                tails.append(await self._tail(case.entry.reference, log, until - time.monotonic()))
            except LogUnavailable as error:
                missing.append(MissingEvidence(what=f"log of {log.container}", reason=str(error)))
        return replace(case, log_tails=tuple(tails), missing=tuple(missing))

    async def _tail(self, pod: PodReference, log: _Log, left: float) -> LogTail:
        if left <= 0:
            raise LogUnavailable(f"not read within {self._deadline:g} s")
        text = await self._logs.tail(
            pod, log.container, previous=log.previous, lines=self._lines, max_bytes=self._max_bytes, deadline=left
        )
        return LogTail(container=log.container, text=text, previous=log.previous)


def readable(case: Case, namespaces: Collection[str]) -> frozenset[str]:
    """The containers whose logs are read for a case, where they may be read in these namespaces."""
    if case.entry.reference.namespace not in namespaces:
        return frozenset()
    return frozenset(log.container for log in _logs(case))


def _logs(case: Case) -> Iterator[_Log]:
    """Logs worth reading: of containers that failed; of a restarted one, that of the container before."""
    occurred = case.occurred
    if occurred.occurrence is Occurrence.CONTAINER_RESTARTED:
        yield _Log(container=occurred.container or "", previous=True)
    elif occurred.occurrence not in _WITHOUT_LOGS:
        status = case.pod.status
        for container in (*(status.containerStatuses or ()), *(status.initContainerStatuses or ())):
            if container.name and (log := _log_of(container, container.name)) is not None:
                yield log


def _log_of(status: objects.ContainerStatus, name: str) -> _Log | None:
    state, last = status.state, status.lastState
    if state and state.terminated:
        return _Log(container=name) if state.terminated.exitCode else None
    if state and state.waiting and last and last.terminated:
        return _Log(container=name, previous=True)
    return _Log(container=name) if state and state.running else None
