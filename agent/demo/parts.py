"""The demo's processes. One that dies is restarted, as a kubelet would; all end with the demo."""

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_PR_SET_PDEATHSIG = 1
_RESTART_SECONDS = 0.5
_STOP_SECONDS = 25.0
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One process: its name, the arguments of ``failure-agent``, and where its output goes."""

    name: str
    arguments: Sequence[str]
    log: Path


@dataclass(slots=True)
class _Running:
    part: Part
    process: subprocess.Popen[bytes]
    restarts: int = 0
    died_at: float | None = None


class Parts:
    """Starts parts in order, and stops them in reverse order on leaving ``with``.

    Use it from one thread: the kernel kills a part when the thread that started it ends (PR_SET_PDEATHSIG), so that no
    part outlives the demo. Call :meth:`restart_dead` regularly. The file ``pids`` holds ``name pid`` a line.
    """

    def __init__(self, pids: Path) -> None:
        self._pids = pids
        self._running: dict[str, _Running] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for running in reversed(self._running.values()):
            # After an error nobody needs what the parts still write, and on a full disk they would retry until killed.
            _end(running.process, patience=_STOP_SECONDS if kind is None else 0)
        # Unlike a new file, an empty one needs no space on a full disk.
        self._pids.write_bytes(b"")

    def start(self, part: Part) -> None:
        """Start a part; it is restarted whenever it ends."""
        self._running[part.name] = _Running(part, _spawn(part))
        self._write_pids()

    def restart_dead(self) -> None:
        """Restart parts that have ended, half a second after that was noticed."""
        for running in self._running.values():
            if running.process.poll() is None:
                continue
            now = time.monotonic()
            if running.died_at is None:
                running.died_at = now
            elif now - running.died_at >= _RESTART_SECONDS:
                running.process = _spawn(running.part)
                running.restarts += 1
                running.died_at = None
                self._write_pids()

    @property
    def restarts(self) -> int:
        """How often parts were restarted."""
        return sum(running.restarts for running in self._running.values())

    def _write_pids(self) -> None:
        """Replace the file as a whole, so that a reader never sees half of it."""
        lines = [f"{name} {running.process.pid}\n" for name, running in self._running.items()]
        fresh = self._pids.with_suffix(".new")
        fresh.write_text("".join(lines))
        fresh.replace(self._pids)


def _spawn(part: Part) -> subprocess.Popen[bytes]:
    with part.log.open("ab") as log:
        return subprocess.Popen(  # noqa: S603  # our own program, arguments made by the demo
            [sys.executable, "-m", "agent", *part.arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509  # one system call, and this process has one thread
        )


def _end(process: subprocess.Popen[bytes], *, patience: float) -> None:
    """SIGTERM, then SIGKILL if it does not end in time."""
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
