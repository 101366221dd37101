"""``watchdog.py [--idle SECONDS] [--quiet SECONDS] [--whole SECONDS] COMMAND...``: runs a command that may hang.

The command hangs if no test has finished for ``--idle`` seconds, or if it takes longer than ``--whole`` seconds. Then
the stacks of all its processes are printed, all of them are killed, whatever group they are in, and the names of the
tests that were running are the last lines. The exit code is 124 then, else the command's. Every ``--quiet`` seconds
without a finished test it says which ones are running.

Tests write what they do into the folder that ``TESTS_RUNNING`` names: ``tests/running.py``. Only the standard library,
because this runs before anything is installed. Linux only.
"""

import argparse
import ctypes
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

FOLDER: Final = "TESTS_RUNNING"
FINISHED: Final = "finished"
HUNG: Final = 124
NOT_STARTED: Final = 127
"""As ``timeout`` of the coreutils, like the one before."""

_TOOLS: Final = Path(__file__).parents[1] / ".venv" / "bin"
_PR_SET_CHILD_SUBREAPER: Final = 36
_POLL_SECONDS: Final = 0.2
_KILLING_SECONDS: Final = 30.0
_DUMP_SECONDS: Final = 20.0
_AT_DEFAULTS: Final = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT)
"""Python ignores the first two. A shell starts background jobs with the others ignored, to survive Ctrl-C, but
no terminal reaches the process group of the command."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Seconds: without a finished test, until that is said; without one, in all, and after a signal, until it hangs."""

    quiet: float
    idle: float
    whole: float
    ending: float = 30.0


@dataclass(slots=True)
class Progress:
    """What tests have written. Times are of ``time.monotonic``."""

    folder: Path
    finished_at: float
    finished: int = 0
    """The last change of the file that every finished test touches, in nanoseconds."""
    begun: dict[tuple[str, str], float] = field(default_factory=dict)
    """When each running test was first seen, by its process and its name."""

    def look(self, now: float) -> None:
        """Read what has changed."""
        with suppress(FileNotFoundError):
            finished = (self.folder / FINISHED).stat().st_mtime_ns
            if finished != self.finished:
                self.finished, self.finished_at = finished, now
        self.begun = {test: self.begun.get(test, now) for test in self._running()}

    def running(self, now: float) -> list[str]:
        """The tests that are running, the longest first, each with its seconds."""
        begun = sorted(self.begun.items(), key=lambda item: item[1])
        return [f"{name} ({now - since:.0f} s)" for (_, name), since in begun]

    def _running(self) -> Iterator[tuple[str, str]]:
        for file in self.folder.iterdir():
            with suppress(FileNotFoundError):
                # A process that crashed has left its file.
                if Path(f"/proc/{file.name}/stat").exists() and (name := file.read_text(encoding="utf-8")):
                    yield file.name, name


@dataclass(slots=True)
class Command:
    """The command, once it is started. ``code`` is how it ended; ``asked_at`` when it was asked to end."""

    pid: int
    code: int | None = None
    asked_at: float = math.inf

    def reap(self) -> None:
        """Take note of what has ended: the command, or what it left to this process."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.pid:
                    self.code = os.waitstatus_to_exitcode(ended[1])

    def ending(self, now: float) -> float:
        """For how many seconds it has been asked to end."""
        return now - self.asked_at

    def forward(self, number: int, frame: FrameType | None) -> None:
        """Hand a signal on to the command and what it runs in its own process group."""
        del frame
        self.asked_at = min(self.asked_at, time.monotonic())
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    asked = _parser().parse_args(arguments)
    bounds = Bounds(quiet=asked.quiet, idle=asked.idle, whole=asked.whole)
    # What its parent leaves becomes a child of this process, so that nothing escapes.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with _folder() as folder:
        try:
            command = _start(asked.command, folder)
        except OSError as error:
            _say(f"{asked.command[0]} cannot be started: {error.strerror}")
            return NOT_STARTED
        code = _watch(command, Progress(folder, time.monotonic()), bounds=bounds)
        _kill_descendants(command)
    return code if code >= 0 else 128 - code


@contextmanager
def _folder() -> Iterator[Path]:
    """The folder that an outer watchdog has made, else one of its own."""
    if (given := os.environ.get(FOLDER)) is not None:
        yield Path(given)
        return
    with tempfile.TemporaryDirectory(prefix="running-") as made:
        yield Path(made)


def _start(words: Sequence[str], folder: Path) -> Command:
    """Start the command in a process group of its own, with nothing to read."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # until there is a process to hand them to
    pid = os.posix_spawnp(
        words[0],
        list(words),
        {**os.environ, FOLDER: str(folder)},
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)],
        setpgroup=0,
        setsigdef=_AT_DEFAULTS,
        setsigmask=mask,
    )
    command = Command(pid)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, command.forward)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return command


def _watch(command: Command, progress: Progress, *, bounds: Bounds) -> int:
    """Wait until the command has ended, or hangs. Returns how it ended."""
    began = said_at = time.monotonic()
    while True:
        command.reap()
        if command.code is not None:
            return command.code
        now = time.monotonic()
        progress.look(now)
        quiet = now - progress.finished_at
        if why := _why_hung(bounds, quiet=quiet, took=now - began, ending=command.ending(now)):
            _report(why, progress.running(now))
            return HUNG
        if min(quiet, now - said_at) > bounds.quiet:
            said_at = now
            _say(f"\nno test has finished for {quiet:.0f} s; running: {_listed(progress.running(now))}")
        time.sleep(_POLL_SECONDS)


def _why_hung(bounds: Bounds, *, quiet: float, took: float, ending: float) -> str | None:
    if quiet > bounds.idle:
        return f"no test has finished for {quiet:.0f} s"
    if took > bounds.whole:
        return f"it has taken {took:.0f} s, the most it may"
    if ending > bounds.ending:
        return f"it has not ended {ending:.0f} s after it was asked to"
    return None


def _report(why: str, running: Sequence[str]) -> None:
    """Print the stacks of all processes, then why, and the tests."""
    processes = _processes()
    for pid in _descendants(processes, os.getpid()):
        _say(f"\n--- process {pid}, of {processes[pid]}: {_command_line(pid)}\n{_stack(pid)}")
    _say(f"\nHUNG: {why}; every process of it is killed. Running: {_listed(running)}")


def _listed(running: Sequence[str]) -> str:
    return "".join(f"\n  {test}" for test in running) or "no test"


def _stack(pid: int) -> str:
    """Where each of its threads is: in Python if it is one, else in the kernel."""
    spy = shutil.which("py-spy", path=f"{_TOOLS}{os.pathsep}{os.environ.get('PATH', '')}")
    if spy is not None and _is_python(pid):
        try:
            shown = subprocess.run(
                [spy, "dump", "--pid", str(pid)], capture_output=True, text=True, check=False, timeout=_DUMP_SECONDS
            )
        except subprocess.TimeoutExpired:
            return "py-spy did not answer\n" + _kernel_stack(pid)
        return shown.stdout or shown.stderr + _kernel_stack(pid)
    return _kernel_stack(pid)


def _is_python(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/exe").readlink().name.startswith("python")
    return False


def _kernel_stack(pid: int) -> str:
    threads = sorted(Path(f"/proc/{pid}/task").glob("[0-9]*"))
    return "\n".join(
        f"thread {thread.name} {_read(thread / 'comm')}: in {_read(thread / 'wchan')}" for thread in threads
    )


def _command_line(pid: int) -> str:
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="backslashreplace").strip()
    except OSError:
        return "?"


def _kill_descendants(command: Command) -> None:
    """Kill all that is left, and what that leaves to this process, until nothing is."""
    deadline = time.monotonic() + _KILLING_SECONDS
    while (left := _descendants(_processes(), os.getpid())) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        command.reap()
        time.sleep(_POLL_SECONDS / 10)


def _processes() -> dict[int, int]:
    """The parent of each process that has not ended."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        # The name, in parentheses, may hold anything.
        state, parent = (_read(stat).rpartition(")")[2].split() or ["Z", "0"])[:2]
        if state != "Z":
            parents[int(stat.parent.name)] = int(parent)
    return parents


def _descendants(parents: Mapping[int, int], ancestor: int) -> list[int]:
    """The processes below one, parents before their children."""
    children = sorted(pid for pid, parent in parents.items() if parent == ancestor)
    return [pid for child in children for pid in (child, *_descendants(parents, child))]


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bound = partial(parser.add_argument, type=float, metavar="SECONDS", default=math.inf)
    bound("--idle", help="the longest time without a finished test")
    bound("--quiet", help="the time without a finished test after which the running ones are named")
    bound("--whole", help="the longest time in all")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
