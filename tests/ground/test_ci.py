"""What CI runs keeps the answer of its parts, runs all of them, and says what each took."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.ground.tree import ROOT

pytestmark = pytest.mark.slow

PARTS = ("test", "fuzz", "bench-quick", "demo-check")


def run(tree: Path, *, failing: str | None) -> subprocess.CompletedProcess[str]:
    shutil.copytree(ROOT / ".ci", tree / ".ci")
    targets = (f"{part}:\n\t@.ci/step 'part {part}' {'false' if part == failing else 'true'}\n" for part in PARTS)
    (tree / "Makefile").write_text("".join(targets), encoding="utf-8")
    environ = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL"}}
    return subprocess.run(
        ["bash", tree / ".ci" / "run"], cwd="/", env=environ, capture_output=True, text=True, check=False, timeout=60
    )


def test_when_all_parts_pass_it_passes(tmp_path: Path) -> None:
    ran = run(tmp_path, failing=None)

    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("failing", PARTS)
def test_one_part_that_fails_fails_it(tmp_path: Path, failing: str) -> None:
    ran = run(tmp_path, failing=failing)

    assert ran.returncode == 1
    assert f"Failed: {failing}" in ran.stdout
    assert re.findall(r"^ +\d+:\d\d  part (\S+)", ran.stdout, flags=re.MULTILINE) == list(PARTS)
    assert re.findall(r"^ +\d+:\d\d  part (\S+)  FAILED", ran.stdout, flags=re.MULTILINE) == [failing]


def test_without_a_usable_python_it_says_which_is_needed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    ran = subprocess.run(
        [tmp_path / ".ci" / "python"],
        env={**os.environ, "PYTHON": "no-such-python"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 1
    assert "Python 3.11 or later" in ran.stderr
