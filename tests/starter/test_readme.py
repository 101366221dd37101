"""README's section about a cluster of one's own works word for word, on a simulated cluster."""

import json
import re
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.ground.tree import ROOT
from tests.starter.shell import Ran, Shell, clone, newcomer, until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("default-ports")]

SECTION = re.compile(r"^## A real cluster\n(.*?)^## ", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^ {4}(\S.*)$", re.MULTILINE)
POD = {
    "metadata": {"name": "train-0", "annotations": {"simulator.failure-agent.dev/script": "oom"}},
    "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]},
}
SIMULATOR = "../.venv/bin/failure-agent simulator --scripts ../config/simulator/user.yaml --kubeconfig kubeconfig &"


def commands() -> list[str]:
    found = SECTION.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    return COMMAND.findall(found[1])


@pytest.fixture(name="shell")
def a_shell_in_a_clone(tmp_path: Path) -> Iterator[Shell]:
    with Shell(clone(tmp_path / "clone"), notes=tmp_path / "notes", environ=newcomer(tmp_path / "home")) as shell:
        yield shell


def test_the_section_is_five_commands() -> None:
    assert [words[1] for words in map(str.split, commands())] == ["init", "my-cluster", "cluster", "scheduler", "get"]


def create(pod: object, *, url: str) -> None:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.request("POST", "/api/v1/namespaces/default/pods", json.dumps(pod))
    assert connection.getresponse().status == 201
    connection.close()


def test_a_failed_pod_is_decided(shell: Shell) -> None:
    init, go, cluster, scheduler, ask = commands()
    assert shell.run(init).code == shell.run(go).code == 0
    simulator = shell.run(SIMULATOR)
    until(lambda: simulator.output.endswith("\n"), lambda: "the simulator does not serve")
    served = json.loads(simulator.output)
    shell.run(f"export KUBECONFIG={served['kubeconfig']}")

    running = [shell.run(f"{process} &") for process in (cluster, scheduler)]
    until(lambda: all("health is served" in process.output for process in running), lambda: outputs(running))
    create(POD, url=served["url"])
    until(lambda: "oom/container-limit" in shell.run(ask).output, lambda: outputs(running))


def outputs(running: Sequence[Ran]) -> str:
    return "\n".join(process.output for process in running)
