from http import HTTPStatus

import pytest

from agent.kube.connection import Connection
from agent.settings.kube import KubeSettings
from tests.servers.control_plane import ControlPlane
from tests.servers.service_accounts import Rule, ServiceAccounts

pytestmark = pytest.mark.slow

READ_PODS = Rule(verbs=("list", "watch"), resources=("pods",))


def may(control_plane: ControlPlane, token: str, path: str) -> bool:
    status = control_plane.client(token).ask("GET", path).status
    assert status in {HTTPStatus.OK, HTTPStatus.FORBIDDEN}
    return status == HTTPStatus.OK


def test_it_may_do_exactly_what_it_was_granted(
    control_plane: ControlPlane, service_accounts: ServiceAccounts, namespace: str
) -> None:
    account = service_accounts.make("agent")
    here = f"/api/v1/namespaces/{namespace}"
    assert not may(control_plane, account.token, f"{here}/pods")

    service_accounts.grant(account, [READ_PODS], everywhere=False)

    assert may(control_plane, account.token, f"{here}/pods")
    assert not may(control_plane, account.token, f"{here}/secrets")
    assert not may(control_plane, account.token, f"{here}/pods/a")
    assert not may(control_plane, account.token, "/api/v1/pods")


def test_it_may_do_it_everywhere_where_that_was_said(
    control_plane: ControlPlane, service_accounts: ServiceAccounts
) -> None:
    account = service_accounts.make("agent")
    status = Rule(verbs=("get",), resources=("pods/status",))
    service_accounts.grant(account, [READ_PODS, status], everywhere=True)

    assert may(control_plane, account.token, "/api/v1/pods")
    assert not may(control_plane, account.token, "/api/v1/nodes")


async def test_its_kubeconfig_is_its_own(service_accounts: ServiceAccounts, namespace: str) -> None:
    account = service_accounts.make("agent")
    service_accounts.grant(account, [READ_PODS], everywhere=False)
    async with await Connection.open(KubeSettings(kubeconfig=account.kubeconfig)) as connection:
        assert b'"PodList"' in await connection.get(f"/api/v1/namespaces/{namespace}/pods")
