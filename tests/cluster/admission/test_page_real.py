"""The ten lines of docs/plain-jobs.md, on a real API server with its Job controller.

There are no nodes: the test runs the agent as the Deployment would, and says how pods end.
"""

import base64
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.cluster.admission import patience
from tests.cluster.admission.patience import SETTING, patient
from tests.cluster.admission.plain_job import BUG, LOST_GPU, PlainJob, ours
from tests.cluster.process import AgentProcess
from tests.ground.tree import ROOT
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.patience import until
from tests.servers.ports import free_ports
from tests.servers.service_accounts import ServiceAccounts
from tests.starter.page import read_page
from tests.starter.shell import Shell, newcomer

pytestmark = pytest.mark.slow

PAGE: Final = read_page((ROOT / "docs" / "plain-jobs.md").read_text(encoding="utf-8"))
LINES: Final = [step.command for step in PAGE.steps][-10:]
HOME: Final = "failure-agent"
WEBHOOK: Final = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/failure-agent"
SWITCHED_OFF: Final = re.compile(r"^    # (admission:)\n    # (.*)\n    # (.*)\n    # (.*)\n", re.MULTILINE)


def at(start: str) -> int:
    """The place of the line that starts so."""
    (place,) = (place for place, line in enumerate(LINES) if line.startswith(start))
    return place


ENDPOINTS: Final = {
    "metadata": {"name": "webhook", "labels": {"kubernetes.io/service-name": "failure-agent-webhook"}},
    "addressType": "IPv4",
    "ports": [{"name": "webhook", "port": 8443}],
    "endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": True}}],
}
INSTALLED: Final = at("kubectl -n failure-agent rollout status")
CHECKED: Final = at("failctl admission check") + 1


@pytest.fixture(name="plane")
def a_control_plane_with_its_job_controller(start_control_plane: Callable[[Options], ControlPlane]) -> ControlPlane:
    plane = start_control_plane(Options())
    plane.run_controllers("job-controller")
    return plane


@pytest.fixture(name="folder")
def the_manifests_changed_as_the_page_says(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "deploy", tmp_path / "here" / "deploy")
    file = tmp_path / "here" / "deploy" / "deployment.yaml"
    changed, count = SWITCHED_OFF.subn(r"    \1\n    \2\n    \3\n    \4\n", file.read_text(encoding="utf-8"))
    assert count == 1
    file.write_text(changed, encoding="utf-8")
    (tmp_path / "here" / "job.yaml").write_text(PAGE.files["job.yaml"], encoding="utf-8")
    return tmp_path / "here"


def run(shell: Shell, lines: list[str]) -> str:
    """The output of the last of the lines; all of them end well."""
    output = ""
    for line in lines:
        ran = shell.run(line)
        output = ran.output
        assert ran.code == 0, f"$ {line}\n{output}"
    return output


@contextmanager
def deployed(plane: ControlPlane, folder: Path, *, port: int) -> Iterator[AgentProcess]:
    """The agent, by the ConfigMap, the Secret and the roles of the Deployment, which is said to be there."""
    client = plane.client()
    core = f"/api/v1/namespaces/{HOME}"
    settings = yaml.safe_load(client.get(f"{core}/configmaps/failure-agent-settings")["data"]["cluster.yaml"])
    rules = client.get(f"{core}/configmaps/failure-agent-categories")["data"]["error-categories.yaml"]
    keys = client.get(f"{core}/secrets/failure-agent-webhook")["data"]
    files = {"rules.yaml": rules.encode(), **{name: base64.b64decode(key) for name, key in keys.items()}}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    admission = {"certificateFile": str(folder / "tls.crt"), "keyFile": str(folder / "tls.key"), "port": port}
    settings |= {
        "kube": {"kubeconfig": str(ServiceAccounts(plane, HOME).token_of(HOME).kubeconfig)},
        "categories": str(folder / "rules.yaml"),
        "broker": {"url": f"sqlite:///{folder}/log.db"},
        "spool": {"path": str(folder / "spool.db")},
        "health": {"port": 0},
        "admission": {**settings["admission"], **SETTING, **admission},
    }
    (folder / "cluster.yaml").write_text(yaml.safe_dump(settings))
    with AgentProcess(folder / "cluster.yaml", log=folder / "agent.log", program=patience.__name__) as agent:
        until(lambda: agent.has_ended() or agent.is_ready(), "the agent ready", seconds=60)
        assert not agent.has_ended(), (folder / "agent.log").read_text()
        deployment = f"/apis/apps/v1/namespaces/{HOME}/deployments/{HOME}/status"
        counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), 2)
        client.patch(deployment, {"status": {"observedGeneration": 1, **counts}})
        served = client.ask("POST", f"/apis/discovery.k8s.io/v1/namespaces/{HOME}/endpointslices", body=ENDPOINTS)
        assert served.status == 201, served.body
        yield agent


def route(plane: ControlPlane, *, port: int) -> None:
    """Let the Service lead to this machine, as its addresses do in a cluster; and give it time to answer."""
    client = plane.client()
    service = {"spec": {"type": "ExternalName", "externalName": "localhost", "clusterIP": None, "clusterIPs": None}}
    client.patch(f"/api/v1/namespaces/{HOME}/services/failure-agent-webhook", service)
    webhook = patient(client.get(WEBHOOK))
    webhook["webhooks"][0]["clientConfig"]["service"]["port"] = port
    answer = client.ask("PUT", WEBHOOK, body=webhook)
    assert answer.status == 200, answer.body


def test_a_job_survives_a_broken_gpu_and_fails_of_a_bug(
    plane: ControlPlane, folder: Path, kubernetes_program: Path, tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    environ = newcomer(
        tmp_path / "home", ROOT / ".venv" / "bin", kubernetes_program, KUBECONFIG=str(plane.kubeconfig())
    )
    with Shell(folder, notes=tmp_path / "notes", environ=environ) as shell:
        run(shell, LINES[:INSTALLED])
        with deployed(plane, tmp_path, port=port):
            run(shell, LINES[INSTALLED:CHECKED])
            route(plane, port=port)
            output = run(shell, LINES[CHECKED:])
            assert "active" in output

            job = PlainJob(client=plane.client(), namespace="default")
            job.until_runs(range(5))
            lost = job.fail(dict.fromkeys(range(5), LOST_GPU))
            assert [ours(pod) for pod in lost.values()] == [["failure-agent.dev/Infrastructure"]] * 5
            job.until_runs(range(5), but=[pod["metadata"]["name"] for pod in lost.values()])
            assert (job.status().get("failed", 0), job.why_failed()) == (0, None)

            job.fail({0: BUG})
            assert job.until_failed() == "PodFailurePolicy"
