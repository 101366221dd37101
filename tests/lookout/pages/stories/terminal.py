"""A terminal of 80 columns with a program in it, as a person has it: what it shows is read all the time."""

import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Final, Self

from tests.child import Child
from tests.scheduler.path import wait_until

COLUMNS: Final = 80
_LINES: Final = 24
_CONTROL: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """Starts a program; leaving kills what is left of it."""

    def __init__(self, command: Sequence[str], *, cwd: Path, environ: Mapping[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, COLUMNS, 0, 0))
        self.child: Final = Child(command, cwd=cwd, env=environ, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self._read = b""
        self._reader = Thread(target=self._read_all, daemon=True)
        self._reader.start()

    @property
    def shown(self) -> str:
        """All that it has shown so far, without colours and moves of the cursor."""
        return _CONTROL.sub("", self._read.decode(errors="replace"))

    def shows(self, pattern: str) -> re.Match[str]:
        """Wait until it shows this."""
        wait_until(lambda: re.search(pattern, self.shown) is not None or self.child.returned() is not None)
        found = re.search(pattern, self.shown)
        assert found is not None, self.shown
        return found

    def press_enter(self) -> None:
        os.write(self._ours, b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.end()
        self._reader.join()
        os.close(self._ours)

    def _read_all(self) -> None:
        """Until nobody has the other end any more, which is an error of its own on Linux."""
        try:
            while chunk := os.read(self._ours, 1 << 16):
                self._read += chunk
        except OSError:
            return
