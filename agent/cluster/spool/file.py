"""One process at a time: the spool's lock file."""

import fcntl
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import structlog

from agent.cluster.spool.schema import SpoolDamaged, SpoolError

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
    def is_marked(self) -> bool:
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


_KEPT: Final = 3
_JOURNALS: Final = ("-wal", "-shm")


def quarantine(path: Path, damage: SpoolDamaged, *, ours: bool) -> Path:
    """Move a damaged spool and its journals aside, beside where it was; the new name.

    Raises the damage itself unless the file is surely ``ours``, and SpoolError where it cannot be moved.
    """
    if not ours:
        raise damage
    aside = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
    try:
        for journal in _JOURNALS:
            if (beside := path.with_name(path.name + journal)).exists():
                beside.rename(aside.with_name(aside.name + journal))
        path.rename(aside)
        _delete_oldest(path)
    except OSError as error:
        raise SpoolError(f"{path}: the damaged spool cannot be moved aside: {error}") from error
    _log.error(
        "the spool is damaged and was moved aside; all pods are listed and told again, what was spooled of pods that "
        "are gone may be in it",
        damage=str(damage),
        moved_to=str(aside),
    )
    return aside


def damaged_spools(path: Path) -> Sequence[Path]:
    """What was moved aside of this spool and is still there, oldest first."""
    found = path.parent.glob(f"{path.name}.damaged-*")
    return sorted(file for file in found if not file.name.endswith(_JOURNALS))


def _delete_oldest(path: Path) -> None:
    """A disk that spoils one spool after the other must not be filled by them."""
    for old in damaged_spools(path)[:-_KEPT]:
        for file in (old, *(old.with_name(old.name + journal) for journal in _JOURNALS)):
            file.unlink(missing_ok=True)
        _log.error("of many damaged spools the oldest is deleted", deleted=str(old))
