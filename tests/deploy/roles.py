"""The roles under ``deploy/rbac``, put onto an API server as their files say."""

from collections.abc import Sequence
from typing import Final

from tests.deploy.manifests import ROLES, documents, path_of
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.service_accounts import ServiceAccount, ServiceAccounts
from tests.simulator.api import Json

HOME: Final = "failure-agent"
"""The namespace of the agent, which the files name."""

ACCOUNT: Final = "failure-agent"
_OK: Final = 200
_MADE: Final = 201
_THERE: Final = 409


def make_roles(client: Client, namespaces: Sequence[str]) -> None:
    """Make the roles, and bind in these namespaces what is bound in one. What is there stays."""
    _make(client, "/api/v1/namespaces", {"metadata": {"name": HOME}})
    for document in (document for file in ROLES for document in documents(file)):
        for path in dict.fromkeys(path_of(document, namespace=namespace) for namespace in namespaces):
            _make(client, path, document)


def _make(client: Client, path: str, body: Json) -> None:
    answer = client.ask("POST", path, body=body)
    assert answer.status in {_MADE, _THERE}, answer.body.decode()


def agents_account(control_plane: ControlPlane) -> ServiceAccount:
    """The service account that the roles are bound to."""
    accounts = ServiceAccounts(control_plane, HOME)
    there = control_plane.client().ask("GET", f"/api/v1/namespaces/{HOME}/serviceaccounts/{ACCOUNT}").status == _OK
    return accounts.token_of(ACCOUNT) if there else accounts.make(ACCOUNT)
