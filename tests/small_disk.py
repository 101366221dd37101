"""A disk that is soon full: a small tmpfs in a mount namespace of one process, for which nobody need be root."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.child import run

_SCRIPT = 'mount -t tmpfs -o size="$0" tmpfs "$1" && shift && exec "$@"'
_CHUNKS = (1 << 16, 1 << 12, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallDisk:
    """Mounted on a folder, for the process that is started around it and no other; gone with it."""

    folder: Path
    size: int

    def around(self, command: Sequence[str]) -> list[str]:
        """The command, to be run with this disk; its process id stays that of what is started."""
        return [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _SCRIPT),
            *(str(self.size), str(self.folder), *command),
        ]

    def seen_by(self, pid: int) -> Path:
        """The folder as that process sees it."""
        return Path(f"/proc/{pid}/root") / self.folder.relative_to("/")

    def fill(self, pid: int) -> None:
        """Leave no byte free."""
        with (self.seen_by(pid) / "filler").open("ab", buffering=0) as filler:
            for chunk in _CHUNKS:
                with suppress(OSError):
                    while filler.write(bytes(chunk)) == chunk:
                        pass

    def empty(self, pid: int) -> None:
        """Give back what was filled."""
        (self.seen_by(pid) / "filler").unlink()


def small_disk(folder: Path, *, size: int = 1 << 24) -> SmallDisk:
    """A small disk, though larger than a journal of SQLite grows (4 MB).

    The test is skipped where none can be had, and fails under CI.
    """
    folder.mkdir()
    disk = SmallDisk(folder=folder, size=size)
    try:
        tried = run(disk.around(["true"]))
        problem = tried.stderr.strip() if tried.returncode else ""
    except FileNotFoundError as error:
        problem = str(error)
    if problem and os.environ.get("CI") == "true":
        pytest.fail(f"no small disk can be mounted, so nothing is known of a full one: {problem}")
    if problem:
        pytest.skip(f"no small disk can be mounted in a user namespace: {problem}")
    return disk
