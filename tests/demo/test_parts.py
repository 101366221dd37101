import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.demo.parts import Part, Parts

pytestmark = pytest.mark.slow


def simulator(folder: Path) -> Part:
    return Part(name="simulator", arguments=("simulator",), log=folder / "simulator.log")


def until(met: Callable[[], bool], *, parts: Parts) -> None:
    deadline = time.monotonic() + 60
    while not met():
        assert time.monotonic() < deadline
        parts.restart_dead()
        time.sleep(0.05)


def pid(folder: Path) -> int:
    return int((folder / "pids").read_text().split()[1])


def is_gone(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_part_that_dies_is_started_again(tmp_path: Path) -> None:
    with Parts(tmp_path / "pids") as parts:
        parts.start(simulator(tmp_path))
        first = pid(tmp_path)
        os.kill(first, signal.SIGKILL)

        until(lambda: pid(tmp_path) != first, parts=parts)

        assert parts.restarts == 1
        assert not is_gone(pid(tmp_path))


def test_after_an_error_no_part_is_waited_for(tmp_path: Path) -> None:
    parts = Parts(tmp_path / "pids")
    parts.start(simulator(tmp_path))
    number = pid(tmp_path)
    os.kill(number, signal.SIGSTOP)

    parts.__exit__(RuntimeError, RuntimeError("over"), None)

    assert is_gone(number)
    assert (tmp_path / "pids").read_text() == ""


def test_all_parts_end_with_the_demo(tmp_path: Path) -> None:
    with Parts(tmp_path / "pids") as parts:
        parts.start(simulator(tmp_path))
        until(lambda: (tmp_path / "simulator.log").read_text() != "", parts=parts)
        number = pid(tmp_path)

    assert is_gone(number)
