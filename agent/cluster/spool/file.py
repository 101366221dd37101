"""The spool's file as a whole: the lock that admits one process, and what is done with a damaged file."""

import fcntl
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import structlog

from agent.cluster.spool.schema import SpoolDamaged, SpoolError

_log = structlog.get_logger(__name__)
_MARK: Final = b"the lock of a spool of failure-agent\n"
_LONGEST_PID: Final = 20

_KEPT: Final = 3
"""How many damaged spools are kept: a disk that damages one after the other must not be filled by them."""

_JOURNALS: Final = ("-wal", "-shm")


class SpoolLock:
    """Held from ``take`` to ``release``. The kernel releases it when the process dies, however it dies (flock)."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, spool: Path) -> Self:
        """Take the lock file next to the spool's file. Raises SpoolError while another process has it."""
        path = spool.with_name(spool.name + ".lock")
        try:
            spool.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SpoolError(f"{path}: the spool cannot be locked: {error}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = _owner(descriptor)
            os.close(descriptor)
            raise SpoolError(f"{spool}: another process uses this spool{owner}") from error
        with suppress(OSError):  # a full disk: only the message of the next process lacks the number
            os.ftruncate(descriptor, len(_MARK))
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), len(_MARK))
        return cls(descriptor)

    @property
    def is_marked(self) -> bool:
        """Whether a spool was once opened under it: then a damaged file is ours, not somebody else's."""
        return os.pread(self._descriptor, len(_MARK), 0) == _MARK

    def mark(self) -> None:
        """A spool was opened. A full disk is no error here: the mark is read only when a spool is damaged."""
        try:
            os.pwrite(self._descriptor, _MARK, 0)
        except OSError as error:
            _log.warning(
                "the spool's lock file cannot be marked; a damaged spool would not be replaced", error=str(error)
            )

    def release(self) -> None:
        os.close(self._descriptor)


def _owner(descriptor: int) -> str:
    """The process that has the lock, as its system counts it, which may be that of another container."""
    written = os.pread(descriptor, _LONGEST_PID, len(_MARK)).decode("ascii", "replace").strip()
    return f" (process {written})" if written.isdigit() else ""


def quarantine(path: Path, damage: SpoolDamaged, *, ours: bool) -> Path:
    """Move a damaged spool and its journals aside, in the same folder. Returns the new path.

    Raises the damage itself unless the file is surely ``ours``, and SpoolError if it cannot be moved.
    """
    if not ours:
        raise damage
    aside = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
    try:
        # Journals first: an old journal would damage a new spool.
        for journal in _JOURNALS:
            if (old := path.with_name(path.name + journal)).exists():
                old.rename(aside.with_name(aside.name + journal))
        path.rename(aside)
        _delete_oldest(path)
    except OSError as error:
        raise SpoolError(f"{path}: the damaged spool cannot be moved aside: {error}") from error
    _log.error(
        "the spool is damaged and was moved aside; all pods are listed and reported again; reports of gone pods "
        "may be in the file moved aside",
        damage=str(damage),
        moved_to=str(aside),
    )
    return aside


def damaged_spools(path: Path) -> Sequence[Path]:
    """What was moved aside of this spool and is still there, oldest first."""
    found = path.parent.glob(f"{path.name}.damaged-*")
    return sorted(file for file in found if not file.name.endswith(_JOURNALS))


def _delete_oldest(path: Path) -> None:
    for old in damaged_spools(path)[:-_KEPT]:
        for file in (old, *(old.with_name(old.name + journal) for journal in _JOURNALS)):
            file.unlink(missing_ok=True)
        _log.error("more damaged spools than are kept; the oldest is deleted", deleted=str(old))
