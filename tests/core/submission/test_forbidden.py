"""What the pod of a job may not ask for, also where its spec is no spec at all."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.submission.forbidden import forbidden, forbidden_account

ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.sampled_from(
    ["containers", "volumes", "schedulingGates", "securityContext", "initContainers", "hostPID", "nodeName"]
)


@pytest.mark.parametrize(
    ("spec", "at"),
    [
        ({"nodeName": "node-7"}, ("nodeName",)),
        ({"hostNetwork": True}, ("hostNetwork",)),
        ({"hostPID": True}, ("hostPID",)),
        ({"hostIPC": True}, ("hostIPC",)),
        ({"volumes": [{"emptyDir": {}}, {"hostPath": {}}]}, ("volumes", 1, "hostPath")),
        (
            {"containers": [{"securityContext": {"privileged": True}}]},
            ("containers", 0, "securityContext", "privileged"),
        ),
        (
            {"initContainers": [{"securityContext": {"windowsOptions": {"hostProcess": True}}}]},
            ("initContainers", 0, "securityContext", "windowsOptions", "hostProcess"),
        ),
        ({"schedulingGates": [{"name": "failure-agent.dev/start"}]}, ("schedulingGates", 0)),
    ],
)
def test_what_reaches_the_node_or_takes_what_is_ours_is_found(spec: dict[str, Any], at: tuple[str | int, ...]) -> None:
    assert [found.at for found in forbidden(spec)] == [at]


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"nodeName": "", "hostPID": False, "hostUsers": False, "volumes": [{"emptyDir": {}}]},
        {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}], "nodeSelector": {"zone": "a"}},
    ],
)
def test_everything_else_is_allowed(spec: dict[str, Any]) -> None:
    assert list(forbidden(spec)) == []


@pytest.mark.parametrize(
    ("spec", "allowed", "found"),
    [
        ({}, (), []),
        ({"serviceAccountName": "default"}, (), []),
        ({"serviceAccountName": "admin"}, (), ["serviceAccountName"]),
        ({"serviceAccount": "admin", "serviceAccountName": "admin"}, (), ["serviceAccountName", "serviceAccount"]),
        ({"serviceAccountName": "trainer"}, ("trainer",), []),
    ],
)
def test_only_listed_service_accounts_are_allowed(
    spec: dict[str, Any], allowed: tuple[str, ...], found: list[str]
) -> None:
    assert [account.at[0] for account in forbidden_account(spec, allowed=allowed)] == found


@given(st.dictionaries(FIELDS, ANY_JSON))
def test_a_spec_that_is_none_breaks_nothing(spec: dict[str, Any]) -> None:
    assert all(found.message and found.hint for found in forbidden(spec))
