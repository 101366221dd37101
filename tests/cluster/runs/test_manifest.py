"""The pod of a create: what the agent adds, and what it refuses whatever the scheduler says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.cluster.runs.manifest import Allowed, pod_of
from agent.core.identity.labels import CONTAINERS, JOB, JOB_SET, QUEUE, RUN, RUN_INDEX, START_GATE
from agent.core.run_event import CreationFailed
from agent.kube.finalizer import FINALIZER
from tests.cluster.runs.commanding import command, create

ALLOWED = Allowed(namespaces=("default",), service_accounts=("trainer",))
MAIN = {"name": "main", "image": "i"}


def made(spec: object, *, metadata: object = None, **more: Any) -> dict[str, Any] | CreationFailed:
    given = create(pod={"metadata": metadata, "spec": spec}, **more)
    return pod_of(command(given, cluster_id="c"), given, allowed=ALLOWED)


def test_the_pod_says_whose_run_it_is_and_waits_behind_our_gate() -> None:
    spec = {"initContainers": [{"name": "fetch"}], "containers": [MAIN], "schedulingGates": [{"name": "theirs"}]}
    pod = made(spec, metadata={"labels": {"team": "ml", RUN: "forged"}, "annotations": {"note": "x"}}, index=3)

    assert pod == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "armada-j1-0",
            "namespace": "default",
            "labels": {"team": "ml", JOB: "j1", RUN: "r1", QUEUE: "physics", RUN_INDEX: "3"},
            "annotations": {"note": "x", JOB_SET: "sweep", CONTAINERS: "fetch,main"},
            "finalizers": [FINALIZER],
        },
        "spec": {
            "initContainers": [{"name": "fetch"}],
            "containers": [MAIN],
            "restartPolicy": "Never",
            "schedulingGates": [{"name": START_GATE}, {"name": "theirs"}],
        },
    }


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"nodeName": "n1"}, "spec.nodeName"),
    ({"hostNetwork": True}, "spec.hostNetwork"),
    ({"hostPID": True}, "spec.hostPID"),
    ({"hostIPC": True}, "spec.hostIPC"),
    ({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, "spec.volumes.0.hostPath"),
    (
        {"containers": [{**MAIN, "securityContext": {"privileged": True}}]},
        "spec.containers.0.securityContext.privileged",
    ),
    ({"serviceAccountName": "admin"}, "spec.serviceAccountName: the ServiceAccount admin is not allowed"),
    ({"schedulingGates": [{"name": START_GATE}]}, "spec.schedulingGates.0"),
    ({"restartPolicy": "Always"}, "spec.restartPolicy"),
]


@pytest.mark.parametrize(("added", "said"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_forbidden_is_refused_by_the_agent_too(added: dict[str, Any], said: str) -> None:
    refused = made({"containers": [MAIN], **added})

    assert isinstance(refused, CreationFailed)
    assert refused.reason == "Forbidden"
    assert refused.message.startswith(said)


def test_a_label_of_armada_is_refused() -> None:
    refused = made({"containers": [MAIN]}, metadata={"labels": {"armada_job_id": "x"}})

    assert isinstance(refused, CreationFailed)
    assert refused.message.startswith("metadata.labels.armada_job_id")


def test_an_account_that_the_settings_allow_is_none_of_them() -> None:
    assert not isinstance(made({"containers": [MAIN], "serviceAccountName": "trainer"}), CreationFailed)
    assert not isinstance(made({"containers": [MAIN], "serviceAccountName": "default"}), CreationFailed)


def test_a_namespace_that_the_settings_do_not_name_is_refused() -> None:
    refused = made({"containers": [MAIN]}, namespace="kube-system")

    assert isinstance(refused, CreationFailed)
    assert refused.reason == "NamespaceNotServed"


@pytest.mark.parametrize("text", [b"", b"[]", b'{"spec": 1}', b'{"metadata": 1, "spec": {}}', b"{" * 100_000, b"\xff"])
def test_a_pod_that_cannot_be_read_is_refused(text: bytes) -> None:
    unreadable = replace(create(), pod=text)
    refused = pod_of(command(unreadable, cluster_id="c"), unreadable, allowed=ALLOWED)

    assert isinstance(refused, CreationFailed)
    assert refused.reason == "Unreadable"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SPECS = st.dictionaries(
    st.sampled_from(["containers", "initContainers", "volumes", "schedulingGates", "securityContext", "restartPolicy"]),
    JSON,
)


@given(spec=SPECS, metadata=st.none() | st.dictionaries(st.sampled_from(["labels", "annotations"]), JSON))
def test_whatever_the_broker_sends_is_a_pod_behind_our_gate_or_refused(spec: object, metadata: object) -> None:
    pod = made(spec, metadata=metadata)

    if not isinstance(pod, CreationFailed):
        json.dumps(pod)
        assert pod["spec"]["schedulingGates"][0] == {"name": START_GATE}
        assert pod["metadata"]["labels"][RUN] == "r1"
        assert pod["metadata"]["finalizers"] == [FINALIZER]
