"""A command that runs to its end, and the processor time that it took."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class CommandFailed(Exception):
    """The command did not exit with 0; the text has its exit code and the last line that it printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Seconds of processor of a process and of those that it waited for, and what it printed."""

    seconds: float
    printed: str


def ended(command: Sequence[str], *, env: Mapping[str, str], folder: Path) -> Ended:
    """Run a command in a folder. Raises CommandFailed."""
    with subprocess.Popen(
        command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        printed = process.stdout.read() if process.stdout is not None else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    text = printed.decode(errors="replace")
    if process.returncode:
        last = text.strip().rpartition("\n")[2]
        raise CommandFailed(f"exit code {process.returncode}: {last}")
    return Ended(seconds=usage.ru_utime + usage.ru_stime, printed=text)
