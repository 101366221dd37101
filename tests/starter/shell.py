"""A shell in which a test does what a page says, command by command, as somebody at a terminal."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.child import PIPE, Child
from tests.ground.tree import ROOT

_PATIENCE_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.05


class Shell:
    """One bash. Whatever it starts ends with it. The output of each command goes to a file in ``notes``."""

    def __init__(self, folder: Path, *, notes: Path, environ: Mapping[str, str]) -> None:
        notes.mkdir()
        self._notes = notes
        self._count = 0
        self._bash = Child(["/bin/bash", "--norc", "--noprofile"], stdin=PIPE, stdout=PIPE, cwd=folder, env=environ)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bash.end()

    def run(self, command: str) -> "Ran":
        """Run a command until it ends, or until it is in the background."""
        self._count += 1
        output = self._notes / f"{self._count}"
        self._bash.write(f"{{ {command}\n}} </dev/null >'{output}' 2>&1; echo $?\n")
        try:
            code = self._bash.line(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"{command} did not end") from error
        return Ran(output, code=int(code))


class Ran:
    """A command that has ended, or runs in the background and still writes its output."""

    def __init__(self, output: Path, *, code: int) -> None:
        self._output = output
        self.code = code

    @property
    def output(self) -> str:
        return self._output.read_text(encoding="utf-8")


def until(holds: Callable[[], bool], why: Callable[[], str]) -> None:
    """Return once the condition holds. Fails with ``why`` if it does not within a minute."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end, why()
        time.sleep(_POLL_SECONDS)


def clone(folder: Path) -> Path:
    """A folder that looks like a clone in which ``make setup`` was done."""
    folder.mkdir()
    for name in (".venv", "config", "docs"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def newcomer(home: Path, *programs: Path, **given: str) -> Mapping[str, str]:
    """The environment of somebody with an empty home; ``programs`` are folders of more programs."""
    home.mkdir()
    # Any free port, because other tests run processes beside these.
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join([*map(str, programs), "/usr/bin", "/bin"]),
        "FAILURE_AGENT_HEALTH__PORT": "0",
        **given,
    }
