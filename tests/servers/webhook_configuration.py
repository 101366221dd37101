"""A MutatingWebhookConfiguration for one namespace of a control plane, in force while a context lasts."""

import base64
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.servers.audit import status_writes
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.statuses import ended
from tests.simulator.api import Json, pod

_PATH: Final = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
_OF_A_JOB: Final = {"batch.kubernetes.io/job-name": "probe"}


@contextmanager
def installed(
    configuration: Json, control_plane: ControlPlane, *, url: str, authority: Path, within: str
) -> Iterator[Json]:
    """Install it for the namespace ``within``, asking ``url``, and wait until the API server asks; it as it was kept.

    Pods called ``probe-...`` fail for that, and are deleted.
    """
    client = control_plane.client()
    made = client.create(_PATH, _pointed(configuration, url=url, authority=authority, within=within))
    try:
        until(lambda: _asks(control_plane, within), "asking the webhook")
        yield made
    finally:
        client.delete(f"{_PATH}/{made['metadata']['name']}")
        until(lambda: not _asks(control_plane, within), "asking the webhook no longer")


def _pointed(configuration: Json, *, url: str, authority: Path, within: str) -> Json:
    pointed = copy.deepcopy(configuration)
    for webhook in pointed["webhooks"]:
        webhook["clientConfig"] = {"url": url, "caBundle": base64.b64encode(authority.read_bytes()).decode()}
        webhook["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": within}}
    return pointed


def _asks(control_plane: ControlPlane, namespace: str) -> bool:
    client, pods = control_plane.client(), f"/api/v1/namespaces/{namespace}/pods"
    name = client.create(pods, pod("", generateName="probe-", labels=_OF_A_JOB))["metadata"]["name"]
    client.patch(f"{pods}/{name}/status", ended(1))
    client.delete(f"{pods}/{name}", gracePeriodSeconds=0)
    return any(write.asked for write in status_writes(control_plane.site.folder, namespace) if write.pod == name)
