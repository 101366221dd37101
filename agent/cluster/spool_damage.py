"""A damaged spool: moved aside, so that the agent goes on with a new one and what can be read can still be saved."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

from agent.cluster.spool_schema import SpoolDamaged, SpoolError

_log = structlog.get_logger(__name__)
_KEPT: Final = 3
_JOURNALS: Final = ("-wal", "-shm")


def set_aside(path: Path, damage: SpoolDamaged, *, ours: bool) -> Path:
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
        _keep_few(path)
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


def _keep_few(path: Path) -> None:
    """A disk that spoils one spool after the other must not be filled by them."""
    for old in damaged_spools(path)[:-_KEPT]:
        for file in (old, *(old.with_name(old.name + journal) for journal in _JOURNALS)):
            file.unlink(missing_ok=True)
        _log.error("of many damaged spools the oldest is deleted", deleted=str(old))
