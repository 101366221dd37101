"""The real API server asks admission webhooks on loopback, and its audit log says so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.servers.audit import status_writes
from tests.servers.authority import Authority
from tests.servers.control_plane import ControlPlane
from tests.servers.scripted_webhook import ScriptedWebhook, allowed, scripted
from tests.servers.statuses import ended
from tests.servers.webhook_configuration import installed
from tests.simulator.api import Json, pod

pytestmark = pytest.mark.slow

WEBHOOK: Final[Json] = {
    "name": "failures.example.dev",
    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["pods/status"]}],
    "matchConditions": [{"name": "fails", "expression": "object.status.phase == 'Failed'"}],
    "admissionReviewVersions": ["v1"],
    "failurePolicy": "Ignore",
    "sideEffects": "None",
    "timeoutSeconds": 30,
}
CONDITION: Final[Json] = {"type": "example.dev/Marked", "status": "True"}


def mark(review: Json) -> bytes:
    return allowed(review, [{"op": "add", "path": "/status/conditions", "value": [CONDITION]}])


@pytest.fixture
def webhook(control_plane: ControlPlane, namespace: str, tmp_path: Path) -> Iterator[ScriptedWebhook]:
    authority = Authority(tmp_path)
    with scripted(mark, authority.issue("webhook")) as server:
        configuration = {"metadata": {"name": namespace}, "webhooks": [WEBHOOK]}
        with installed(configuration, control_plane, url=server.url, authority=authority.certificate, within=namespace):
            yield server


def test_a_webhook_on_loopback_changes_a_status_that_is_written(
    webhook: ScriptedWebhook, control_plane: ControlPlane, namespace: str
) -> None:
    client, pods = control_plane.client(), f"/api/v1/namespaces/{namespace}/pods"
    client.create(pods, pod("a"))
    client.patch(f"{pods}/a/status", {"status": {"phase": "Running"}})
    client.patch(f"{pods}/a/status", ended(42))

    conditions = client.get(f"{pods}/a")["status"]["conditions"]
    assert [(each["type"], each["status"]) for each in conditions] == [("example.dev/Marked", "True")]
    assert webhook.asked(namespace).count("a") == 1
    found = [write for write in status_writes(control_plane.site.folder, namespace) if write.pod == "a"]
    assert [(write.asked, write.changed) for write in found] == [(0, 0), (1, 1)]
    assert webhook.reviews[-1]["request"]["oldObject"]["status"]["phase"] == "Running"


def test_it_asks_no_longer_when_the_configuration_is_gone(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    client, pods = control_plane.client(), f"/api/v1/namespaces/{namespace}/pods"
    authority = Authority(tmp_path)
    configuration = {"metadata": {"name": namespace}, "webhooks": [WEBHOOK]}
    with scripted(mark, authority.issue("webhook")) as server:
        with installed(configuration, control_plane, url=server.url, authority=authority.certificate, within=namespace):
            pass

        made = client.create(pods, pod("a"))["metadata"]["name"]
        unmarked = client.patch(f"{pods}/{made}/status", ended(1))["status"]

    assert "conditions" not in unmarked
