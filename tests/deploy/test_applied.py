"""What is under ``deploy/``, put before a real API server: it takes every object as it is written."""

from http import HTTPStatus
from pathlib import Path
from typing import Final

import pytest

from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Forbidden
from agent.settings.kube import KubeSettings
from tests.deploy.manifests import DEPLOY, MODES, documents, path_of, pod_of
from tests.servers.control_plane import ControlPlane
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}
ALL: Final = sorted(file.relative_to(DEPLOY) for file in DEPLOY.rglob("*.yaml"))


async def make(control_plane: ControlPlane, document: Json, *, namespace: str) -> None:
    """As ``kubectl apply --dry-run=server`` would. Raises ApiError."""
    async with await Connection.open(KubeSettings(kubeconfig=control_plane.kubeconfig())) as connection:
        await connection.post(path_of(document, namespace=namespace), document, STRICT)


@pytest.fixture(name="home")
def a_namespace_of_the_agents_own(control_plane: ControlPlane) -> str:
    status = (
        control_plane.client().ask("POST", "/api/v1/namespaces", body={"metadata": {"name": "failure-agent"}}).status
    )
    assert status in {HTTPStatus.CREATED, HTTPStatus.CONFLICT}
    return "failure-agent"


@pytest.mark.parametrize("file", ALL, ids=str)
async def test_the_server_takes_every_object_and_knows_every_field(
    file: Path, control_plane: ControlPlane, home: str, namespace: str
) -> None:
    for document in documents(DEPLOY / file):
        if document["kind"] == "Namespace":
            document["metadata"]["name"] = f"{namespace}-more"
        await make(control_plane, document, namespace=namespace)
    assert control_plane.client().ask("GET", f"/apis/apps/v1/namespaces/{home}/deployments/failure-agent").status == 404


async def test_the_server_would_say_so_if_a_field_were_wrong(control_plane: ControlPlane, home: str) -> None:
    (deployment,) = [each for each in documents(DEPLOY / "deployment.yaml") if each["kind"] == "Deployment"]
    deployment["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}

    with pytest.raises(ApiError, match=r'unknown field "spec.template.spec.containers.*readinesProbe"'):
        await make(control_plane, deployment, namespace=home)


@pytest.mark.parametrize("mode", MODES)
async def test_its_pods_are_let_into_its_namespace(mode: str, control_plane: ControlPlane, home: str) -> None:
    """Under the level of pod security that the manifest gives the namespace, and for one mode under no laxer one."""
    every = {each["kind"]: each for each in documents(DEPLOY / mode)}
    labels = every["Namespace"]["metadata"]["labels"]
    pod = pod_of(every.get("Deployment") or every["DaemonSet"])
    control_plane.client().patch(f"/api/v1/namespaces/{home}", {"metadata": {"labels": labels}})

    await make(control_plane, pod, namespace=home)

    if mode == "daemonset.yaml":
        lax = {"pod-security.kubernetes.io/enforce": "baseline"}
        control_plane.client().patch(f"/api/v1/namespaces/{home}", {"metadata": {"labels": lax}})
        with pytest.raises(Forbidden, match="hostPath volumes"):
            await make(control_plane, pod, namespace=home)
