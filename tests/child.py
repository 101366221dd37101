"""A process that a test starts: signals at their defaults, ended whole, and no wait for it without a bound.

``with Child(command) as child`` for one that the test talks to, ``run(command)`` for one that is only to end. Nothing
else in ``tests`` starts processes with ``subprocess``, because there every one of these is easy to forget.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Final, Self

PIPE: Final = subprocess.PIPE
STDOUT: Final = subprocess.STDOUT
SECONDS: Final = 60.0
"""How long a wait or a read takes at most, unless it says otherwise."""

_CHUNK: Final = 1 << 16
_BY_THE_KERNEL: Final = 60.0
"""Enough for a process that waits for a slow disk: it is gone only when the disk has answered."""

_NOT_CAUGHT: Final = {signal.SIGKILL, signal.SIGSTOP}

Word = str | bytes | Path
Output = int | IO[bytes] | IO[str] | None


class Child:
    """One process in a session and a process group of its own, running from the start.

    Its standard input is empty unless it is ``PIPE``. What it prints into a ``PIPE`` is read as UTF-8. When it is left,
    whatever is left of its process group is killed.
    """

    def __init__(
        self,
        command: Sequence[Word],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: Output = subprocess.DEVNULL,
        stdout: Output = None,
        stderr: Output = None,
    ) -> None:
        catch_ignored_signals()
        self.command: Final = command
        self._process: Final = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr, bufsize=0, start_new_session=True
        )
        self._read = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._process.pid

    def returned(self) -> int | None:
        """How it ended: its exit code, or the signal's number below zero; ``None`` while it runs."""
        return self._process.poll()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process alone, as ``kill`` does; nothing happens if it has ended."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the process alone, and wait until it is gone; what it started lives on until :meth:`end`."""
        self._process.kill()
        self._process.wait(_BY_THE_KERNEL)

    def wait(self, seconds: float = SECONDS) -> int:
        """Return how it ended. Raises TimeoutExpired if it goes on."""
        return self._process.wait(seconds)

    def write(self, text: str) -> None:
        """Write to its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())

    def line(self, seconds: float = SECONDS) -> str:
        """Return its next line of standard output with the line's end; empty if it prints no more.

        Raises TimeoutExpired if there is none in time.
        """
        deadline = time.monotonic() + seconds
        while b"\n" not in self._read and (chunk := self._chunk(deadline, seconds)):
            self._read += chunk
        line, newline, self._read = self._read.partition(b"\n")
        return _text(line + newline)

    def lines(self, seconds: float = SECONDS) -> Iterator[str]:
        """Its lines of standard output until it prints no more, each as :meth:`line` returns it."""
        return iter(partial(self.line, seconds), "")

    def rest(self, seconds: float = SECONDS, *, given: str = "") -> tuple[str, str]:
        """Return what it prints until it ends, to standard output and to standard error, and wait for the end.

        ``given`` is written to its standard input if that is a ``PIPE``, which is then closed. Raises TimeoutExpired if
        it goes on, or if something that it started has its output open still.
        """
        out, err = self._process.communicate(given.encode() if self._process.stdin else None, seconds)
        read, self._read = self._read, b""
        return _text(read + (out or b"")), _text(err or b"")

    def stop_reading(self) -> None:
        """Close the reading end of its standard output."""
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.stdout = None

    def end(self) -> None:
        """Kill the whole process group, whoever is left in it, and close the pipes; fine if it is done already."""
        with suppress(ProcessLookupError):  # nobody is left
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait(_BY_THE_KERNEL)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _chunk(self, deadline: float, seconds: float) -> bytes:
        assert self._process.stdout is not None
        pipe, waiting = self._process.stdout.fileno(), select.poll()
        waiting.register(pipe, select.POLLIN)
        if not waiting.poll(max(deadline - time.monotonic(), 0) * 1000):
            raise subprocess.TimeoutExpired(self.command, seconds, self._read)
        return os.read(pipe, _CHUNK)


def run(
    command: Sequence[Word],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: str = "",
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with ``given`` as its standard input. Raises TimeoutExpired if it goes on."""
    with Child(command, cwd=cwd, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE) as child:
        out, err = child.rest(seconds, given=given)
        return subprocess.CompletedProcess(command, child.wait(), out, err)


def output_of(
    command: Sequence[Word],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: str = "",
    seconds: float = SECONDS,
) -> str:
    """What a command prints to standard output. Fails, with all that it printed, unless it exits with 0."""
    ran = run(command, cwd=cwd, env=env, given=given, seconds=seconds)
    assert ran.returncode == 0, f"{command} exited with {ran.returncode}:\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def catch_ignored_signals() -> None:
    """Catch what this process was started to ignore, and do nothing then: it goes on ignoring it.

    A shell starts background jobs of scripts with SIGINT ignored, ``nohup`` with SIGHUP. A program starts with such a
    signal ignored if its parent ignores it, but with the default if its parent catches it. Only in the main thread.
    """
    for number in signal.valid_signals() - _NOT_CAUGHT:
        # Python itself ignores these two, and subprocess restores them.
        if signal.getsignal(number) is signal.SIG_IGN and number not in {signal.SIGPIPE, signal.SIGXFSZ}:
            signal.signal(number, _do_nothing)


def _text(read: bytes) -> str:
    return read.decode(errors="backslashreplace")


def _do_nothing(number: int, frame: FrameType | None) -> None:
    del number, frame
