import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import child
from tests.failed import ungrouped
from tests.ground.tree import ROOT

IDS = [
    ("tests/a/test_b.py::test_c", "tests/a/test_b.py::test_c"),
    ("tests/a/test_b.py::test_c@pulsar", "tests/a/test_b.py::test_c"),
    ("tests/a/test_b.py::test_c[d]@pulsar", "tests/a/test_b.py::test_c[d]"),
    ("tests/a/test_b.py::test_c[e@f]", "tests/a/test_b.py::test_c[e@f]"),
]
FLAKY = """
import pathlib

def test_second_time_lucky():
    been = pathlib.Path(__file__).with_suffix(".been")
    assert been.exists() or been.touch()

def test_fine(): ...
"""


@pytest.mark.parametrize(("test", "alone"), IDS)
def test_the_group_is_no_part_of_a_tests_name(test: str, alone: str) -> None:
    assert ungrouped(test) == alone


def run(folder: Path, *command: str, ci: str = "true") -> subprocess.CompletedProcess[str]:
    """Run ``.ci/tests`` with pytest in a folder of its own."""
    program = str(Path(sys.executable).parent / "pytest")
    pytest_there = [program, "-p", "tests.failed", "-p", "no:cacheprovider", str(folder)]
    environ = {**os.environ, "CI": ci, "PYTHONPATH": str(ROOT)}
    return child.run([str(ROOT / ".ci" / "tests"), *pytest_there, *command], cwd=folder, env=environ)


@pytest.mark.slow
def test_under_ci_what_failed_beside_others_is_run_once_more_and_named(tmp_path: Path) -> None:
    (tmp_path / "test_flaky.py").write_text(FLAKY, encoding="utf-8")

    ran = run(tmp_path)

    assert ran.returncode == 0, ran.stdout
    assert "1 failed, 1 passed" in ran.stdout
    assert "RERUN, ALONE: test_flaky.py::test_second_time_lucky" in ran.stdout
    assert ran.stdout.rstrip().splitlines()[-1].count("1 passed") == 1


@pytest.mark.slow
@pytest.mark.parametrize("ci", ["true", ""])
def test_what_fails_again_or_elsewhere_is_a_failure(tmp_path: Path, ci: str) -> None:
    (tmp_path / "test_bad.py").write_text("def test_bad(): assert False\n", encoding="utf-8")

    ran = run(tmp_path, ci=ci)

    assert ran.returncode == 1
    assert ran.stdout.count("1 failed") == (2 if ci else 1)
