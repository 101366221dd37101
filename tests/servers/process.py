"""A server's process: started with a log of its own, killed, paused, and gone when who started it is gone."""

import os
import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.child import STDOUT, Child

_PARENT: Final = "CONTROLPLANE_PARENT"
_LINES_OF_AN_ERROR: Final = 15


def alive(pids: Iterable[int]) -> list[int]:
    """Those that are processes still: not gone, and not merely unburied."""
    return [pid for pid in pids if (stat := Path(f"/proc/{pid}/stat")).exists() and " Z " not in stat.read_text()]


class ServerProcess:
    """One process, running from the start. Its output is appended to ``log``.

    The kernel kills it when the thread that made it ends, if it asks for that (``controlplane/parent.go``) or is
    ``leashed``: make it in the main thread.
    """

    def __init__(self, command: Sequence[str], *, log: Path, environ: Mapping[str, str] | None = None) -> None:
        self.log: Final = log
        with log.open("ab") as out:
            self._child = Child(
                command,
                stdout=out,
                stderr=STDOUT,
                cwd=log.parent,
                env={**os.environ, **(environ or {}), _PARENT: str(os.getpid())},
            )

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._child.pid

    def lives(self) -> bool:
        """Whether it has not ended."""
        return self._child.returned() is None

    def kill(self) -> None:
        """``kill -9``, its children too, and wait until it is gone; fine if it is already."""
        self._child.end()

    def end(self, request: signal.Signals = signal.SIGTERM, *, seconds: float = 30.0) -> None:
        """Ask it to end, and wait. Raises subprocess.TimeoutExpired if it does not."""
        self._child.send(request)
        self._child.wait(seconds)

    def pause(self) -> None:
        """Let it do nothing at all, connections open, until ``resume``."""
        self._child.send(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._child.send(signal.SIGCONT)

    def resident_bytes(self) -> int:
        """The memory it has now (``/proc/PID/statm``)."""
        pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def last_words(self) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LINES_OF_AN_ERROR:])
