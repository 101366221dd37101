"""What CI runs keeps the answer of its parts, runs all of them, and says what each took."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import child
from tests.ground.tree import ROOT

pytestmark = pytest.mark.slow

PARTS = ("fuzz", "demo-check", "test", "bench-quick")


SERVERS = "servers, beside other parts"


def run(
    tree: Path, *, failing: str | None = None, servers: str = "true", ci: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run CI on parts that do nothing. ``servers`` is the shell's word for making the servers."""
    shutil.copytree(ROOT / ".ci", tree / ".ci")
    targets = (f"{part}:\n\t@.ci/step 'part {part}' 60 {'false' if part == failing else 'true'}\n" for part in PARTS)
    (tree / "Makefile").write_text(f"setup:\n{''.join(targets)}", encoding="utf-8")
    python = tree / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$@"\n{servers}\n', encoding="utf-8")
    python.chmod(0o700)
    environ = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL"}}
    return child.run(["bash", tree / ".ci" / "run"], cwd=Path("/"), env={**environ, "CI": ci})


def test_when_all_parts_pass_it_passes(tmp_path: Path) -> None:
    ran = run(tmp_path)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert SERVERS not in ran.stdout


@pytest.mark.parametrize("failing", PARTS)
def test_one_part_that_fails_fails_it(tmp_path: Path, failing: str) -> None:
    ran = run(tmp_path, failing=failing)

    assert ran.returncode == 1
    assert f"Failed: {failing}" in ran.stdout
    assert re.findall(r"^ +\d+:\d\d  part (\S+)", ran.stdout, flags=re.MULTILINE) == list(PARTS)
    assert re.findall(r"^ +\d+:\d\d  part (\S+)  FAILED", ran.stdout, flags=re.MULTILINE) == [failing]


def test_under_ci_the_servers_are_made_beside_the_parts(tmp_path: Path) -> None:
    ran = run(tmp_path, ci="true")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(rf"^ +\d+:\d\d  {SERVERS}$", ran.stdout, flags=re.MULTILINE)
    assert "-m tests.servers prepare" in (tmp_path / "build" / "servers.log").read_text(encoding="utf-8")


def test_servers_that_cannot_be_made_fail_it_and_say_why(tmp_path: Path) -> None:
    ran = run(tmp_path, ci="true", servers="echo no go here; exit 1")

    assert ran.returncode == 1
    assert "no go here" in ran.stdout
    assert "Failed: servers" in ran.stdout


def test_without_a_usable_python_it_says_which_is_needed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    ran = child.run([tmp_path / ".ci" / "python"], env={**os.environ, "PYTHON": "no-such-python"})

    assert ran.returncode == 1
    assert "Python 3.11 or later" in ran.stderr
