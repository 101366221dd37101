"""The README's command for a cluster, with the starter files as they are written, on a real API server."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.starter.files import Part, starter_files, write_files
from tests.child import Child
from tests.cluster.real import Real
from tests.ground.tree import ROOT
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until

pytestmark = pytest.mark.slow

COMMAND = re.compile(r"^ {4}\S*/failure-agent (cluster --settings cluster\.yaml)$", re.MULTILINE)


@pytest.fixture(name="folder")
def a_folder_with_starter_files(tmp_path: Path) -> Path:
    write_files(tmp_path, starter_files([Part.CLUSTER]))
    return tmp_path


@pytest.fixture(name="agent")
def the_readmes_command(control_plane: ControlPlane, folder: Path) -> Iterator[Child]:
    (command,) = COMMAND.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    environ = {name: value for name, value in os.environ.items() if not name.startswith("FAILURE_AGENT_")}
    own = {"FAILURE_AGENT_HEALTH__PORT": "0", "KUBECONFIG": str(control_plane.kubeconfig()), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "agent", *command.split()]
    with (
        (folder / "agent.log").open("wb") as log,
        Child(words, cwd=folder, stderr=log, env={**environ, **own}) as agent,
    ):
        yield agent


def test_a_failed_pod_is_reported(control_plane: ControlPlane, namespace: str, folder: Path, agent: Child) -> None:
    real = Real(
        client=control_plane.client(), namespace=namespace, kubeconfig=control_plane.kubeconfig(), folder=folder
    )
    log = folder / "agent.log"
    until(lambda: "reporting" in log.read_text() or agent.returned() is not None, "reporting")
    assert agent.returned() is None, log.read_text()
    real.create(f"a-{namespace}")
    real.fail(f"a-{namespace}", code=137)

    broker = folder / "event-log.db"
    until(broker.exists, "the event log there")
    until(lambda: f"a-{namespace}" in reported(folder), "told of")


def reported(folder: Path) -> str:
    """What ``strings`` finds in the event log: this is not about the format of messages."""
    files = (folder / "event-log.db", folder / "event-log.db-wal")
    return "".join(file.read_bytes().decode(errors="ignore") for file in files if file.exists())
