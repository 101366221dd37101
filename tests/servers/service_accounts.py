"""Service accounts on a real API server: somebody with exactly the rights a test gives, and a real token."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.credential import Token
from tests.servers.patience import until
from tests.simulator.api import Json

_RBAC: Final = "/apis/rbac.authorization.k8s.io/v1"
_RBAC_GROUP: Final = "rbac.authorization.k8s.io"
_REVIEWS: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_TOKEN_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of RBAC. Subresources are written as in ``pods/status``; the core group is ``""``."""

    verbs: tuple[str, ...]
    resources: tuple[str, ...]
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccount:
    """A service account: its name, a token, and a kubeconfig that holds the token."""

    namespace: str
    name: str
    token: str
    kubeconfig: Path


class ServiceAccounts:
    """Makes service accounts in one namespace. Who is made has no rights until ``grant``."""

    def __init__(self, control_plane: ControlPlane, namespace: str) -> None:
        self._control_plane: Final = control_plane
        self._namespace: Final = namespace
        self._admin: Final = control_plane.client()

    def make(self, name: str) -> ServiceAccount:
        """Make one, with a token that is good for an hour, from the server's TokenRequest."""
        accounts = f"/api/v1/namespaces/{self._namespace}/serviceaccounts"
        self._admin.create(accounts, {"metadata": {"name": name}})
        return self.token_of(name)

    def token_of(self, name: str) -> ServiceAccount:
        """Ask for a token of one that is there."""
        accounts = f"/api/v1/namespaces/{self._namespace}/serviceaccounts"
        asked = self._admin.create(f"{accounts}/{name}/token", {"spec": {"expirationSeconds": _TOKEN_SECONDS}})
        token = asked["status"]["token"]
        kubeconfig = self._control_plane.kubeconfig(Token(token), name=f"{self._namespace}-{name}")
        return ServiceAccount(namespace=self._namespace, name=name, token=token, kubeconfig=kubeconfig)

    def grant(self, account: ServiceAccount, rules: Sequence[Rule], *, everywhere: bool) -> None:
        """Let it do this, in its namespace or everywhere; it can when this returns.

        The role is named as the account (``NAMESPACE-NAME`` where it is for everywhere); once for each of the two.
        """
        kind, path = ("ClusterRole", _RBAC) if everywhere else ("Role", f"{_RBAC}/namespaces/{account.namespace}")
        name = f"{account.namespace}-{account.name}" if everywhere else account.name
        subject = {"kind": "ServiceAccount", "namespace": account.namespace, "name": account.name}
        self._admin.create(
            f"{path}/{kind.lower()}s", {"metadata": {"name": name}, "rules": [_written(rule) for rule in rules]}
        )
        binding = {"roleRef": {"apiGroup": _RBAC_GROUP, "kind": kind, "name": name}, "subjects": [subject]}
        self._admin.create(f"{path}/{kind.lower()}bindings", {"metadata": {"name": name}, **binding})
        reach = {} if everywhere else {"namespace": account.namespace}
        for rule in rules:
            _wait_until_allowed(self._control_plane.client(account.token), _asked(rule) | reach)


def _written(rule: Rule) -> Json:
    return {"apiGroups": [rule.group], "resources": list(rule.resources), "verbs": list(rule.verbs)}


def _asked(rule: Rule) -> Json:
    resource, _, subresource = rule.resources[0].partition("/")
    return {"verb": rule.verbs[0], "group": rule.group, "resource": resource, "subresource": subresource}


def _wait_until_allowed(client: Client, attributes: Json) -> None:
    """The API server hears of roles as everybody does: by a watch, a little later."""
    review = {"spec": {"resourceAttributes": attributes}}
    until(lambda: bool(client.create(_REVIEWS, review)["status"]["allowed"]), f"allowed: {attributes}")
