"""Tests that hang are named and ended, with all that they started; a command that does not hang is left alone."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.child import PIPE, Child, run
from tests.ground.tree import ROOT
from tests.servers.patience import until
from tests.servers.process import alive

pytestmark = pytest.mark.slow

WATCHDOG = [sys.executable, str(ROOT / ".ci" / "watchdog.py")]
HANGS = """
import subprocess, threading

def wait_for_ever(pid):
    threading.Event().wait()

def test_quick(): ...

def test_that_hangs():
    wait_for_ever(subprocess.Popen(["sleep", "600"], start_new_session=True).pid)
"""


def test_a_test_that_hangs_is_named_and_ended_with_what_it_started(tmp_path: Path) -> None:
    (tmp_path / "test_hangs.py").write_text(HANGS, encoding="utf-8")
    pytest_there = [str(Path(sys.executable).parent / "pytest"), "-p", "tests.running", "-p", "no:cacheprovider"]
    environ = {name: value for name, value in os.environ.items() if name != "TESTS_RUNNING"}

    ran = run(
        [str(ROOT / ".ci" / "tests"), *pytest_there, "-s", str(tmp_path)],
        cwd=tmp_path,
        env={
            **environ,
            "CI": "true",
            "PYTHONPATH": str(ROOT),
            "TESTS_IDLE_SECONDS": "8",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # on a busy machine to import them takes longer than that
        },
    )

    assert ran.returncode == 124, ran.stderr
    assert "HUNG: no test has finished for 8 s" in ran.stderr
    assert re.search(r"Running: \n  test_hangs.py::test_that_hangs \(\d s\)\n\Z", ran.stderr), ran.stderr
    assert "wait_for_ever" in ran.stderr
    assert "RERUN" not in ran.stdout
    processes = [int(pid) for pid in re.findall(r"^--- process (\d+)", ran.stderr, flags=re.MULTILINE)]
    assert len(processes) == 2
    assert alive(processes) == []


def test_what_runs_is_said_when_nothing_has_finished(tmp_path: Path) -> None:
    running = f"echo -n tests/test_a.py::test_b >{tmp_path}/$$"
    environ = {**os.environ, "TESTS_RUNNING": str(tmp_path)}

    ran = run([*WATCHDOG, "--quiet", "0.5", "sh", "-c", f"{running}; sleep 1.2"], env=environ)

    assert ran.returncode == 0
    assert re.search(r"no test has finished for 1 s; running: \n  tests/test_a.py::test_b \([01] s\)\n", ran.stderr)
    assert "HUNG" not in ran.stderr


def test_a_test_that_finishes_puts_it_off(tmp_path: Path) -> None:
    command = f"for i in 1 2 3 4 5 6; do sleep 0.3; touch {tmp_path}/finished; done"

    ran = run([*WATCHDOG, "--idle", "1.5", "sh", "-c", command], env={**os.environ, "TESTS_RUNNING": str(tmp_path)})

    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("cat", 0)])
def test_it_ends_as_the_command(command: str, code: int) -> None:
    assert run([*WATCHDOG, "--whole", "60", "sh", "-c", command]).returncode == code


def test_a_command_that_is_not_there_is_named() -> None:
    ran = run([*WATCHDOG, "nowhere"])

    assert (ran.returncode, ran.stderr) == (127, "nowhere cannot be started: No such file or directory\n")


def test_a_step_has_a_bound_of_its_own() -> None:
    environ = {name: value for name, value in os.environ.items() if name != "STEP_TIMES"}

    ran = run([str(ROOT / ".ci" / "step"), "slow", "1", "sleep", "600"], env=environ)

    assert ran.returncode == 124
    assert "it has taken 1 s, the most it may" in ran.stderr
    assert "<== slow: FAILED (exit 124) after" in ran.stdout


def test_what_a_command_leaves_running_ends_with_it() -> None:
    ran = run([*WATCHDOG, "sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!"])

    assert alive([int(ran.stdout)]) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_handed_on(number: signal.Signals) -> None:
    command = "trap 'echo ended; exit 3' INT TERM; echo started; while :; do sleep 0.1; done"
    with Child([*WATCHDOG, "sh", "-c", command], stdout=PIPE) as watchdog:
        assert watchdog.line() == "started\n"
        watchdog.send(number)

        assert watchdog.rest()[0] == "ended\n"
        assert watchdog.wait() == 3


def test_in_a_scripts_background_job_the_command_is_interrupted_as_at_a_terminal() -> None:
    ignoring = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *WATCHDOG, "sh", "-c", "echo $$; exec sleep 600"]
    with Child(ignoring, stdout=PIPE) as watchdog:
        command = int(watchdog.line())
        until(lambda: Path(f"/proc/{command}/comm").read_text() == "sleep\n", "started")
        os.kill(command, signal.SIGINT)

        assert watchdog.wait() == 128 + signal.SIGINT
