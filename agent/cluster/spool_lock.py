"""One process at a time: the spool's lock file."""

import fcntl
import os
from pathlib import Path
from typing import Self

from agent.cluster.spool_schema import SpoolError


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

    def release(self) -> None:
        """Let go."""
        os.close(self._descriptor)
