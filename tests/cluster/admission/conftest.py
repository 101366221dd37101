"""Time to answer, and one agent with its webhook, for all tests of a room."""

from collections.abc import Iterator

import pytest

from tests.cluster.admission.admitting import Admitting, admitting
from tests.cluster.admission.patience import allow_patience
from tests.servers.control_plane import ControlPlane


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the webhook more time than operators may."""
    allow_patience(monkeypatch)


@pytest.fixture(scope="package")
def webhook(shared_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Admitting]:
    """An agent that is asked about the pods of a namespace of the shared control plane, with the Job controller."""
    shared_control_plane.mend()
    if "kube-controller-manager" not in shared_control_plane.living():
        shared_control_plane.run_controllers("job-controller")
    namespace = "plain-jobs"
    shared_control_plane.client().create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    with admitting(shared_control_plane, namespace, tmp_path_factory.mktemp("admission")) as running:
        yield running
