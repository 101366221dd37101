"""The manifests of the admission webhook fit the server, the settings, ``failctl`` and one another."""

import re
from pathlib import Path

import pytest

from agent.cluster.admission.server import PATH
from agent.ctl.admission.configuration import CONFIGURATION, NAMESPACE, SERVICE, differences, webhook_of
from agent.settings.admission import AdmissionSettings
from agent.settings.cluster import ClusterSettings
from agent.settings.load import load
from tests.deploy.manifests import DEPLOY, MODES, documents, only
from tests.simulator.api import Json

WEBHOOK = DEPLOY / "admission.yaml"
PROCESSES = DEPLOY / "admission-deployment.yaml"
SERVING = {"deployment.yaml": DEPLOY / "deployment.yaml", "daemonset.yaml": PROCESSES}


def settings(mode: str, folder: Path) -> AdmissionSettings:
    """The webhook's settings once their lines are no comments any more."""
    file = folder / "cluster.yaml"
    text = only(DEPLOY / mode, "ConfigMap")["data"]["cluster.yaml"]
    file.write_text(re.sub(r"^# (admission:|  \w+: .*)$", r"\1", text, flags=re.MULTILINE))
    given = load(ClusterSettings, file, {"FAILURE_AGENT_NODE__NAME": "node-1"}).admission
    assert given is not None
    return given


def template(mode: str) -> Json:
    found: Json = only(SERVING[mode], "Deployment")["spec"]["template"]
    return found


def test_the_configuration_is_the_one_that_is_checked() -> None:
    configuration = only(WEBHOOK, "MutatingWebhookConfiguration")
    webhook = webhook_of(configuration)

    assert configuration["metadata"]["name"] == CONFIGURATION
    assert webhook is not None
    assert list(differences(webhook)) == []
    assert webhook["clientConfig"] == {
        "service": {"namespace": NAMESPACE, "name": SERVICE, "path": PATH, "port": 443},
    }


def test_it_waits_longer_than_the_longest_deadline() -> None:
    (webhook,) = only(WEBHOOK, "MutatingWebhookConfiguration")["webhooks"]

    with pytest.raises(ValueError, match="deadline must be at most"):
        AdmissionSettings(certificate_file=Path("a"), key_file=Path("b"), deadline=f"{webhook['timeoutSeconds']}s")  # type: ignore[arg-type]  # parsed


@pytest.mark.parametrize("mode", MODES)
def test_service_and_policy_lead_to_the_processes_that_serve(mode: str, tmp_path: Path) -> None:
    pod, given = template(mode), settings(mode, tmp_path)
    (container,) = pod["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    service, policy = only(WEBHOOK, "Service"), only(WEBHOOK, "NetworkPolicy")

    assert service["metadata"]["name"] == SERVICE
    for selector in (service["spec"]["selector"], policy["spec"]["podSelector"]["matchLabels"]):
        assert selector.items() <= pod["metadata"]["labels"].items()
    assert ports[service["spec"]["ports"][0]["targetPort"]] == given.port
    assert {port["port"] for rule in policy["spec"]["ingress"] for port in rule["ports"]} == ports.keys()
    assert given.host == "0.0.0.0"  # noqa: S104 - the API server asks from outside the pod


@pytest.mark.parametrize("mode", MODES)
def test_the_certificate_is_mounted_where_settings_name_it(mode: str, tmp_path: Path) -> None:
    spec, given = template(mode)["spec"], settings(mode, tmp_path)
    (container,) = spec["containers"]
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    secrets = {volume["name"]: volume["secret"]["secretName"] for volume in spec["volumes"] if "secret" in volume}

    for file in (given.certificate_file, given.key_file):
        assert secrets[mounts[str(file.parent)]] == SERVICE
    assert (given.certificate_file.name, given.key_file.name) == ("tls.crt", "tls.key")


@pytest.mark.parametrize("mode", MODES)
def test_without_the_settings_the_webhook_is_off(mode: str, tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(only(DEPLOY / mode, "ConfigMap")["data"]["cluster.yaml"])

    assert load(ClusterSettings, file, {"FAILURE_AGENT_NODE__NAME": "node-1"}).admission is None


def test_the_processes_of_mode_daemonset_may_only_read() -> None:
    account = only(PROCESSES, "ServiceAccount")["metadata"]["name"]
    bindings = [document for document in documents(PROCESSES) if document["kind"] == "ClusterRoleBinding"]
    spec = only(PROCESSES, "Deployment")["spec"]["template"]["spec"]

    assert spec["serviceAccountName"] == account
    assert {subject["name"] for binding in bindings for subject in binding["subjects"]} == {account}
    roles = {binding["roleRef"]["name"] for binding in bindings}
    granted = [only(DEPLOY / "rbac" / f"{name.removeprefix('failure-agent-')}.yaml", "ClusterRole") for name in roles]
    verbs = {verb for role in granted for rule in role["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch"}


def test_the_processes_of_mode_daemonset_are_as_confined_as_the_agent() -> None:
    (ours,), (agents,) = (
        only(file, "Deployment")["spec"]["template"]["spec"]["containers"]
        for file in (PROCESSES, DEPLOY / "deployment.yaml")
    )

    same = ("image", "securityContext", "livenessProbe", "readinessProbe", "ports", "resources")
    assert {field: ours[field] for field in same} == {field: agents[field] for field in same}
