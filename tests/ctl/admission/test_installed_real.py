"""The webhook installed on a real API server with kubectl, as deploy/admission.yaml says, and checked by failctl."""

import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from agent.ctl.admission.configuration import RESOURCE
from agent.ctl.admission.installed import bundle_of
from tests.child import output_of, run
from tests.deploy.manifests import DEPLOY, only
from tests.servers.control_plane import ControlPlane
from tests.servers.control_plane_program import KUBECTL

pytestmark = pytest.mark.slow

SLICES = "/apis/discovery.k8s.io/v1/namespaces/failure-agent/endpointslices"
SLICE = {
    "metadata": {"name": "webhook", "labels": {"kubernetes.io/service-name": "failure-agent-webhook"}},
    "addressType": "IPv4",
    "ports": [{"name": "webhook", "port": 8443}],
    "endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": True}}],
}
INSTALLED = f"{RESOURCE}/failure-agent"
WITHOUT_CONDITIONS = [{"op": "remove", "path": "/webhooks/0/matchConditions"}]
SECRET = "/api/v1/namespaces/failure-agent/secrets/failure-agent-webhook"


@pytest.fixture(name="home", autouse=True)
def a_namespace_and_nothing_left(control_plane: ControlPlane) -> Iterator[None]:
    client = control_plane.client()
    made = client.ask("POST", "/api/v1/namespaces", body={"metadata": {"name": "failure-agent"}}).status
    assert made in {HTTPStatus.CREATED, HTTPStatus.CONFLICT}
    yield
    for path in (INSTALLED, SECRET, f"{SLICES}/webhook"):
        client.ask("DELETE", path)


@pytest.fixture(name="kubectl")
def kubectl_of_the_control_plane(control_plane: ControlPlane, kubernetes_program: Path) -> tuple[str, ...]:
    return (str(kubernetes_program / KUBECTL), "--kubeconfig", str(control_plane.kubeconfig()))


def failctl(control_plane: ControlPlane, *words: str) -> tuple[int | None, str]:
    command = [sys.executable, "-m", "agent.ctl.main", "admission", *words]
    done = run([*command, "--kubeconfig", str(control_plane.kubeconfig())])
    return done.returncode, done.stdout + done.stderr


def configure(kubectl: tuple[str, ...], folder: Path) -> None:
    """Apply the configuration of the manifest, without the rest."""
    file = folder / "admission.yaml"
    file.write_text(yaml.safe_dump(only(DEPLOY / "admission.yaml", "MutatingWebhookConfiguration")))
    output_of([*kubectl, "apply", "--server-side", "-f", str(file)])


def certify(control_plane: ControlPlane, kubectl: tuple[str, ...], folder: Path, *words: str) -> None:
    """Apply what ``failctl admission certificate`` prints, as its help says."""
    code, printed = failctl(control_plane, "certificate", *words)
    assert code == 0, printed
    file = folder / "certificate.yaml"
    file.write_text(printed)
    output_of([*kubectl, "apply", "--server-side", "--field-manager=failctl", "-f", str(file)])


def test_installed_as_written_it_passes_until_somebody_changes_it(
    control_plane: ControlPlane, kubectl: tuple[str, ...], tmp_path: Path
) -> None:
    nothing = failctl(control_plane, "check")
    configure(kubectl, tmp_path)
    untrusted = failctl(control_plane, "check")
    certify(control_plane, kubectl, tmp_path)
    unserved = failctl(control_plane, "check")
    assert control_plane.client().ask("POST", SLICES, body=SLICE).status == HTTPStatus.CREATED
    installed = failctl(control_plane, "check")
    configure(kubectl, tmp_path)
    applied_again = failctl(control_plane, "check")
    control_plane.client().patch(INSTALLED, WITHOUT_CONDITIONS, "application/json-patch+json")
    wide = failctl(control_plane, "check")

    assert (nothing[0], "there is no MutatingWebhookConfiguration failure-agent" in nothing[1]) == (1, True)
    assert (untrusted[0], "there is no Secret failure-agent/failure-agent-webhook" in untrusted[1]) == (1, True)
    assert (unserved[0], "failure-agent-webhook has no ready endpoint" in unserved[1]) == (1, True)
    assert [installed[0], applied_again[0]] == [0, 0], installed[1] + applied_again[1]
    assert (wide[0], "matchConditions is missing" in wide[1]) == (1, True)


def test_a_renewal_trusts_the_old_authority_too(
    control_plane: ControlPlane, kubectl: tuple[str, ...], tmp_path: Path
) -> None:
    configure(kubectl, tmp_path)
    certify(control_plane, kubectl, tmp_path)
    before = control_plane.client().get(INSTALLED)["webhooks"][0]
    configure(kubectl, tmp_path)
    certify(control_plane, kubectl, tmp_path, "--renew")
    configure(kubectl, tmp_path)
    after = control_plane.client().get(INSTALLED)["webhooks"][0]
    assert control_plane.client().ask("POST", SLICES, body=SLICE).status == HTTPStatus.CREATED
    checked = failctl(control_plane, "check")

    new, old = x509.load_pem_x509_certificates(bundle_of(after))
    assert [old] == x509.load_pem_x509_certificates(bundle_of(before))
    assert (new == old, checked[0]) == (False, 0), checked[1]


def test_there_is_nothing_to_renew_where_nothing_is_installed(control_plane: ControlPlane) -> None:
    code, said = failctl(control_plane, "certificate", "--renew")

    assert (code, "apply deploy/admission.yaml, or leave --renew out" in said) == (1, True)
