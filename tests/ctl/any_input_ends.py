"""Runs a command in this process or in one of its own, and returns how it ended."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.main import get_command

from agent.console import program
from agent.ctl.main import main
from tests.child import Child
from tests.ctl.any_input_outputs import output
from tests.ctl.any_input_places import Run

FAILCTL = str(Path(sys.executable).with_name("failctl"))
LAUNCHER = Path(__file__).with_name("any_input_launcher.py")
MADE_ONCE = cache(get_command)
"""The commands, which know nothing of the last run; to make them all takes longer than most of them run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a command ended."""

    exit: int
    out: bytes
    err: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd(End):
    """How a process ended; ``kib``: its most resident memory."""

    kib: int


def called(words: Sequence[str], run: Run, folder: Path) -> End:
    """Run the command here by what its console script calls, between standard descriptors of its own."""
    with (
        output(run) as (out, written),
        (folder / "stderr").open("wb") as err,
        _descriptors(out, err.fileno()),
        _environment(run, folder),
        _streams(run),
    ):
        code = _exit_of_main([os.fsencode(word).decode(run.encoding, "surrogateescape") for word in words])
    return End(exit=code, out=written(), err=(folder / "stderr").read_bytes())


def _exit_of_main(words: Sequence[str]) -> int:
    with (
        patch.object(sys, "argv", [FAILCTL, *words]),
        patch.object(program, "get_command", MADE_ONCE),
        patch.object(os, "_exit", sys.exit),  # a process that ends at once would be that of the tests
        pytest.raises(SystemExit) as ended,
    ):
        copy_context().run(main)
    return int(ended.value.code or 0)


@contextmanager
def _environment(run: Run, folder: Path) -> Iterator[None]:
    with patch.dict(os.environ, _variables(run, folder), clear=True), chdir(folder):
        yield


def _variables(run: Run, folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder)} | run.env


@contextmanager
def _descriptors(out: int, err: int) -> Iterator[None]:
    """Use these as 1 and 2: C libraries write to 2, and Python asks 1 how wide the terminal is. 0 is empty."""
    kept = [os.dup(number) for number in range(3)]
    with Path(os.devnull).open("rb") as nothing:
        for number, given in enumerate((nothing.fileno(), out, err)):
            os.dup2(given, number)
    try:
        yield
    finally:
        for number, before in enumerate(kept):
            os.dup2(before, number)
            os.close(before)


@contextmanager
def _streams(run: Run) -> Iterator[None]:
    """Open Python's streams on the standard descriptors, as it does when it starts.

    Behind a closed standard input descriptor 0 stays open: gRPC would keep it for the next tests.
    """
    with (
        open(0, encoding=run.encoding, closefd=False) as stdin,
        open(1, "w", encoding=run.encoding, closefd=False) as stdout,
        open(2, "w", encoding=run.encoding, closefd=False) as stderr,
        patch.multiple(sys, stdin=None if run.closed_stdin else stdin, stdout=stdout, stderr=stderr),
    ):
        yield


def started(words: Sequence[str], run: Run, folder: Path) -> ProcessEnd:
    """Run the command as people do, in a process of its own."""
    report = folder / "report.json"
    asked = {"argv": [FAILCTL, *words], "env": _variables(run, folder), "closedStdin": run.closed_stdin}
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(asked | {"report": str(report)})]
    with (
        output(run) as (out, written),
        (folder / "stderr").open("wb") as err,
        Child(launcher, cwd=folder, stdout=out, stderr=err) as child,
    ):
        assert child.wait() == 0
    ended = json.loads(report.read_text())
    return ProcessEnd(exit=ended["exit"], kib=ended["kib"], out=written(), err=(folder / "stderr").read_bytes())
