import os
import sys
from pathlib import Path

import pytest

from tests.child import run
from tests.ground.tree import ROOT
from tests.servers.grouping import server_of

WANTED = [
    (("tmp_path",), None),
    (("control_plane", "shared_control_plane", "kubernetes_program", "tmp_path"), "kubernetes"),
    (("shared_control_plane", "shared_pulsar"), "pulsar"),
    (("shared_postgres", "shared_control_plane"), "kubernetes"),
    (("shared_secure_pulsar",), "secure-pulsar"),
    (("start_control_plane", "kubernetes_program"), None),
]
TESTS = """
import pytest

@pytest.fixture
def shared_control_plane(): ...

@pytest.mark.parametrize("number", range(9))
def test_one(shared_control_plane, number): ...
"""


@pytest.mark.parametrize(("fixtures", "server"), WANTED)
def test_a_test_runs_where_its_dearest_server_does(fixtures: tuple[str, ...], server: str | None) -> None:
    assert server_of(fixtures) == server


@pytest.mark.slow
def test_tests_of_one_server_run_in_one_process(tmp_path: Path) -> None:
    """Were the group put on later than xdist looks, or where it does not look, every process would start the server."""
    (tmp_path / "test_one.py").write_text(TESTS, encoding="utf-8")
    grouped = ["-p", "tests.servers.grouping", "--numprocesses=2", "--dist=loadgroup", "-v", "-p", "no:cacheprovider"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = run([sys.executable, "-m", "pytest", *grouped, str(tmp_path)], cwd=tmp_path, env=environ)
    processes = {line.split("]")[0] for line in ran.stdout.splitlines() if line.startswith("[gw") and "PASSED" in line}

    assert "9 passed" in ran.stdout, ran.stdout + ran.stderr
    assert len(processes) == 1
