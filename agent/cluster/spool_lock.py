"""One process at a time: the spool's lock file."""

import fcntl
import os
from pathlib import Path
from typing import Final, Self

import structlog

from agent.cluster.spool_schema import SpoolError

_log = structlog.get_logger(__name__)
_MARK: Final = b"the lock of a spool of failure-agent\n"


class SpoolLock:
    """Held from ``take`` to ``release``; the system lets go of it when the process dies, however it dies."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, spool: Path) -> Self:
        """Take the lock beside the spool's file. Raises SpoolError while another process has it."""
        path = spool.with_name(spool.name + ".lock")
        try:
            spool.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SpoolError(f"{path}: the spool cannot be locked: {error}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise SpoolError(f"{spool}: another process uses this spool") from error
        return cls(descriptor)

    @property
    def is_of_a_spool(self) -> bool:
        """Whether a spool was once opened under it: what is there now may be damaged, but it is not somebody else's."""
        return os.pread(self._descriptor, len(_MARK), 0) == _MARK

    def mark(self) -> None:
        """A spool was opened. Where the disk is full it is not marked: that is asked only of a damaged one."""
        try:
            os.pwrite(self._descriptor, _MARK, 0)
        except OSError as error:
            _log.warning("the spool's lock file cannot be marked", error=str(error))

    def release(self) -> None:
        """Let go."""
        os.close(self._descriptor)
