"""``leash.py PARENT USER COMMAND...`` becomes the command, which the kernel kills when the thread that started it ends.

``PARENT`` is the process that started it, ``USER`` whom to become before, or ``-``. Run as a file, on the standard
library alone: whoever it becomes need not be able to read the tree.
"""

import ctypes
import os
import pwd
import signal
import sys
from collections.abc import Sequence
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_SAME_USER: Final = "-"


def leashed(command: Sequence[str], *, user: str | None = None) -> list[str]:
    """The command on a leash that this process holds, run as ``user`` if that is said."""
    return [sys.executable, "-IS", __file__, str(os.getpid()), user or _SAME_USER, *command]


def become(user: str) -> None:
    """Be another user for good, with no groups but his own."""
    entry = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)


def main(parent: int, user: str, command: Sequence[str]) -> None:
    """Become the command. A parent that is gone already is why nothing starts."""
    if user != _SAME_USER:
        become(user)  # before the leash: the kernel takes it off who changes
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(f"process {parent}, which started this one, is gone")
    os.execvp(command[0], list(command))  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
