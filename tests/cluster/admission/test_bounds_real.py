"""What the agent gives at most, and to whom it answers: the brake, shadow mode, and clients with a certificate."""

from pathlib import Path

import pytest
import yaml

from agent.core.failure import Admission
from agent.core.identity.conditions import INFRASTRUCTURE
from tests.cluster.admission.admitting import admitting, reported_admissions
from tests.cluster.admission.plain_job import IGNORES_INFRASTRUCTURE, LOST_GPU, first_half, of_infrastructure, ours
from tests.servers.audit import audited, status_writes
from tests.servers.authority import Authority
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.patience import until

pytestmark = pytest.mark.slow

OF_A_JOB = {"batch.kubernetes.io/job-name": "j"}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "j1", "controller": True}
STOPPED = "failure_agent_admission_stopped"


def test_above_a_rate_of_the_cluster_nobody_gets_a_condition_and_it_says_so(
    job_controller: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    with admitting(job_controller, namespace, tmp_path, brake={"atMost": 3}) as webhook:
        job = webhook.job("train")
        job.create(IGNORES_INFRASTRUCTURE)
        marked = [ours(webhook.fail(job, {index: LOST_GPU})[index]) for index in range(3)]
        running = webhook.metrics()[STOPPED]
        rest = webhook.fail(job, dict.fromkeys(range(3, 8), LOST_GPU))
        until(lambda: webhook.metrics()[STOPPED] == 1, "the brake shown")
        logged = [line for line in webhook.agent.logged() if "too many pods of this cluster" in line["event"]]

    assert (marked, running) == ([[INFRASTRUCTURE]] * 3, 0)
    assert [ours(failed) for failed in rest.values()] == [[]] * 5
    assert job.until_failed() == "BackoffLimitExceeded"
    assert [line["level"] for line in logged] == ["error"]


def test_in_shadow_mode_it_decides_and_counts_and_the_job_fails_as_today(
    job_controller: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    with admitting(job_controller, namespace, tmp_path, shadow=True) as webhook:
        job = webhook.job("train")
        job.create(IGNORES_INFRASTRUCTURE)
        failed = webhook.fail(job, first_half(of_infrastructure))
        names = [found["metadata"]["name"] for found in failed.values()]
        assert job.until_failed() == "BackoffLimitExceeded"
        shadowed = webhook.metrics()[
            f'failure_agent_admission_shadowed_conditions_total{{condition="{INFRASTRUCTURE}"}}'
        ]
        webhook.real.until_reported(*names)

    assert [ours(found) for found in failed.values()] == [[]] * len(failed)
    assert shadowed == len(failed)
    reported = reported_admissions(webhook)
    assert {reported[name] for name in names} == {Admission(conditions=(INFRASTRUCTURE,), shadow=True)}
    written = [write for write in status_writes(job_controller.site.folder, namespace) if write.pod in names]
    assert [(write.asked, write.changed) for write in written if write.asked] == [(1, 0)] * len(names)


def test_with_client_ca_only_the_api_server_may_ask(kubernetes_program: Path, tmp_path: Path) -> None:
    """The API server shows the certificate that its own admission configuration names for the webhook."""
    authority, own = Authority(tmp_path / "clients", name="clients"), tmp_path / "kubernetes"
    own.mkdir()
    flags = (*audited(own), f"--admission-control-config-file={admission_control(tmp_path, authority)}")
    with (
        ControlPlane(kubernetes_program, own, options=Options(api_server=flags)) as plane,
        admitting(plane, "default", tmp_path, clientCaFile=str(authority.certificate)) as webhook,
    ):
        webhook.real.create("a", labels=OF_A_JOB, ownerReferences=[JOB])
        webhook.until_watched()
        failed = plane.client().patch(f"{webhook.real.pods}/a/status", {"status": LOST_GPU})
        with pytest.raises(OSError, match=r"certificate required|reset|closed|EOF|pipe"):
            webhook.ask(b"{}")

    assert ours(failed) == [INFRASTRUCTURE]


def admission_control(folder: Path, authority: Authority) -> Path:
    """The file by which kube-apiserver shows a certificate of this authority to webhooks."""
    client = authority.issue("kube-apiserver")
    user = {"client-certificate": str(client.certificate), "client-key": str(client.key)}
    kubeconfig = folder / "webhooks.kubeconfig"
    kubeconfig.write_text(
        yaml.safe_dump({"apiVersion": "v1", "kind": "Config", "users": [{"name": "*", "user": user}]})
    )
    configuration = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "WebhookAdmissionConfiguration",
        "kubeConfigFile": str(kubeconfig),
    }
    file = folder / "admission-control.yaml"
    file.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "apiserver.config.k8s.io/v1",
                "kind": "AdmissionConfiguration",
                "plugins": [{"name": "MutatingAdmissionWebhook", "configuration": configuration}],
            }
        )
    )
    return file
