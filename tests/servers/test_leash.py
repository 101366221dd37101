import os
import pwd
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.child import PIPE, Child, run
from tests.ground.tree import ROOT
from tests.servers.leash import leashed
from tests.servers.patience import until
from tests.servers.process import alive

pytestmark = pytest.mark.slow


def test_it_becomes_the_command() -> None:
    ran = run(leashed(["sh", "-c", "echo $$ told; exit 7"]))

    assert (ran.returncode, ran.stdout.split()[1], ran.stderr) == (7, "told", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
def test_root_becomes_whom_it_is_told_with_no_groups_but_his() -> None:
    nobody = pwd.getpwnam("nobody")

    assert run(leashed(["id", "-u"], user="nobody")).stdout == f"{nobody.pw_uid}\n"
    assert run(leashed(["id", "-G"], user="nobody")).stdout == f"{nobody.pw_gid}\n"


START_AND_WAIT = """
import subprocess, sys, time
from tests.servers.leash import leashed
for user in sys.argv[1:]:
    print(subprocess.Popen(leashed(["sleep", "600"], user=user or None)).pid, flush=True)
time.sleep(600)
"""


def test_the_command_dies_with_who_started_it_whoever_it_is(start: Callable[..., Child]) -> None:
    users = ["", "nobody"] if os.geteuid() == 0 else [""]
    command = [sys.executable, "-c", START_AND_WAIT, *users]
    starter = start(command, cwd=ROOT, stdout=PIPE)
    pids = [int(starter.line()) for _ in users]
    until(lambda: all(_runs(pid, "sleep") for pid in pids), "running")

    starter.kill()

    until(lambda: alive(pids) == [], "dead")


def test_it_does_not_start_what_nobody_holds() -> None:
    command = leashed(["sh", "-c", "echo started"])
    command[3] = "1"
    ran = run(command)

    assert (ran.returncode, ran.stdout) == (1, "")
    assert "process 1, which started this one, is gone" in ran.stderr


def _runs(pid: int, program: str) -> bool:
    return Path(f"/proc/{pid}/comm").read_text().strip() == program
