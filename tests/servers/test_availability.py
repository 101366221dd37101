"""A test without its server: skipped with one loud line, failed under CI."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import child
from tests.ground.tree import ROOT
from tests.servers.__main__ import prepare
from tests.servers.availability import NotPrepared, Prepared, look, must_have, not_run, require
from tests.servers.cache import VARIABLE, Cache
from tests.servers.paper import Paper
from tests.servers.progress import Progress

TESTS = """
import pytest

def test_without(): pass
def test_with(kubernetes_program): raise AssertionError("never gets here")
@pytest.mark.parametrize("number", range(2))
def test_with_more(control_plane, number): raise AssertionError("never gets here")
"""


def test_what_is_made_is_prepared(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert look(Paper(), cache) == NotPrepared("it is not prepared, `make servers` does that")

    folder = prepare(Paper(), cache, jobs=1, progress=Progress(io.StringIO(), clock=lambda: 0.0))

    assert look(Paper(), cache) == Prepared(folder)


@pytest.mark.parametrize(
    ("ci", "must"), [("true", True), ("1", True), ("yes", True), ("", False), ("0", False), ("False", False)]
)
def test_under_ci_servers_must_be_there(ci: str, *, must: bool) -> None:
    assert must_have({"CI": ci}) is must
    assert must_have({}) is False


def test_a_missing_server_skips_or_fails_the_test_that_asks(tmp_path: Path) -> None:
    environ = {VARIABLE: str(tmp_path)}

    with pytest.raises(pytest.skip.Exception, match="needs a real kubernetes: "):
        require("kubernetes", environ)
    with pytest.raises(pytest.fail.Exception, match="needs a real kubernetes: "):
        require("kubernetes", environ | {"CI": "true"})


def test_the_line_counts_what_was_skipped_for_want_of_a_server_only() -> None:
    reason = "('f.py', 1, 'Skipped: needs a real kubernetes: it is not prepared')"

    tests = [
        ("tests/a/test_x.py::one[1]", reason),
        ("tests/a/test_y.py::two", reason),
        ("tests/b/test_z.py::C::m", reason),
    ]

    assert not_run([]) is None
    assert not_run([("tests/a/test_x.py::one", "needs a real friend")]) is None
    line = not_run([*tests, ("tests/c/test_x.py::one", "needs a real friend")])
    assert line is not None
    assert line.startswith(
        "NOT RUN: 3 tests, in tests/a (2), tests/b (1). `make servers` prepares what they need, once: "
    )
    assert line.count("kubernetes") == 1


def run(folder: Path, *more: str, ci: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(TESTS)
    environ = {**os.environ, VARIABLE: str(folder / "cache"), "CI": ci, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "tests.servers.kubernetes", "-p", "no:cacheprovider"]
    return child.run([*command, f"--rootdir={folder}", *more, "test_it.py"], cwd=folder, env=environ, seconds=120)


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("-n2",)], ids=["alone", "in workers"])
def test_a_run_without_servers_passes_and_says_in_one_line_what_was_not_run(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    ran = run(tmp_path, *more, ci="")

    assert ran.returncode == 0, ran.stdout
    assert "1 passed, 3 skipped" in ran.stdout
    loud = [line for line in ran.stdout.splitlines() if "make servers" in line and line.startswith("NOT RUN")]
    assert len(loud) == 1
    assert "NOT RUN: 3 tests" in loud[0]
    assert ran.stdout.count("SKIPPED") == 1
    assert "SKIPPED [3] test_it.py" in ran.stdout


@pytest.mark.slow
def test_a_run_under_ci_without_servers_fails(tmp_path: Path) -> None:
    ran = run(tmp_path, ci="true")

    assert ran.returncode == 1, ran.stdout
    assert "1 passed, 3 errors" in ran.stdout
    assert "needs a real kubernetes" in ran.stdout
