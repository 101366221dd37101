import pytest

from agent.cluster.actions.removal import RunRole
from agent.kube.objects import Metadata, Pod


@pytest.mark.parametrize(
    ("namespace", "labels", "ours"),
    [
        ("jobs", {"run": "r1"}, True),
        ("jobs", {"run": ""}, False),
        ("jobs", {"run": None}, False),
        ("jobs", {}, False),
        ("jobs", None, False),
        ("other", {"run": "r1"}, False),
        (None, {"run": "r1"}, False),
    ],
)
def test_only_labelled_pods_in_named_namespaces_are_ours(
    *, namespace: str | None, labels: dict[str, str | None] | None, ours: bool
) -> None:
    role = RunRole(namespaces=["jobs"], label="run")

    assert role.may_delete(Pod(metadata=Metadata(namespace=namespace, labels=labels))) is ours


def test_without_namespaces_nothing_is_ours() -> None:
    role = RunRole(namespaces=[], label="run")

    assert not role.may_delete(Pod(metadata=Metadata(namespace="jobs", labels={"run": "r"})))
