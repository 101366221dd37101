"""The demo as somebody starts it, from the first line to the command it ends with."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

COMMAND = (sys.executable, "-m", "agent", "demo", "--for", "5s")


@pytest.mark.parametrize("options", [(), ("--dir", "my demo", "--wide")])
def test_the_command_at_the_end_works_as_it_stands(tmp_path: Path, options: tuple[str, ...]) -> None:
    demo = subprocess.run([*COMMAND, *options], cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = demo.stdout.splitlines()
    command = lines[-1].strip()

    explained = subprocess.run(  # noqa: S602 - it is to be pasted into a shell
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (explained.returncode, explained.stderr) == (0, ""), command
    assert explained.stdout.startswith(("FAILED  ", "HALTED  "))
    assert lines[-2] == "Ask why a job failed:"
    if "--wide" not in options:
        assert max(map(len, lines[:-1])) <= 100 + len(str(tmp_path))

    hint = explained.stdout[explained.stdout.rindex("\n\n") :].partition(" get failures")[0].rpartition("\n")[0]
    details = subprocess.run(  # noqa: S602 - as above
        hint,
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (details.returncode, details.stderr) == (0, ""), hint
    assert "mode: policies" in details.stdout


def test_ctrl_c_ends_it_with_the_table_so_far(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND[:-1], "60s"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if line[:2].isdigit():
                break
        second = subprocess.run([*COMMAND], cwd=tmp_path, capture_output=True, text=True, check=False)
        pids = [int(line.split()[1]) for line in (tmp_path / "demo-data" / "pids").read_text().splitlines()]
        demo.send_signal(signal.SIGINT)
        out, err = demo.communicate()

    assert (demo.returncode, err) == (130, "")
    assert "Interrupted: some failures may not be decided yet." in out
    assert "CATEGORY" in out
    assert second.returncode == 2
    assert "another demo is running in" in second.stderr
    assert [pid for pid in pids if is_alive(pid)] == []


def is_alive(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True
