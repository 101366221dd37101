"""The agent under exactly the roles of ``deploy/rbac``, with a service account's token on a real API server."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import pytest

from agent.cluster.rbac import GRANTED
from agent.kube.finalizer import HOLD_LABEL
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real, metrics_of
from tests.deploy.manifests import DEPLOY, documents, path_of
from tests.deploy.roles import HOME, make_roles
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.patience import until
from tests.servers.service_accounts import ServiceAccount, ServiceAccounts
from tests.simulator.api import Json, pod

pytestmark = pytest.mark.slow

ML: Final = "ml"
OTHER: Final = "other"
HELD: Final = {HOLD_LABEL: "true"}
RULES: Final = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"

OWNERS: Final = {pair for pair, file in GRANTED.items() if file.endswith("owners.yaml")}
ELSEWHERE: Final = {"deployment": {("list", "leases")}, "daemonset": {("watch", "events"), *OWNERS}}
"""What only the other mode needs."""


NOT_GRANTED: Final[list[tuple[str, str, Json | None]]] = [
    ("GET", "/api/v1/secrets", None),
    ("GET", f"/api/v1/namespaces/{ML}/secrets", None),
    ("GET", f"/api/v1/namespaces/{ML}/configmaps", None),
    ("GET", "/api/v1/namespaces", None),
    ("GET", "/api/v1/namespaces/default", None),
    ("POST", f"/api/v1/namespaces/{OTHER}/pods", pod("b")),
    ("DELETE", f"/api/v1/namespaces/{OTHER}/pods/a", None),
    ("PATCH", f"/api/v1/namespaces/{OTHER}/pods/a", {"metadata": {"finalizers": []}}),
    ("GET", f"/api/v1/namespaces/{OTHER}/pods/a/log", None),
    ("DELETE", f"/api/v1/namespaces/{ML}/pods", None),
    ("PUT", f"/api/v1/namespaces/{ML}/pods/a", pod("a")),
    ("PATCH", f"/api/v1/namespaces/{ML}/pods/a/status", {"status": {"phase": "Succeeded"}}),
    ("POST", f"/api/v1/namespaces/{ML}/pods/a/exec?command=sh", None),
    ("POST", f"/api/v1/namespaces/{ML}/pods/a/eviction", {"apiVersion": "policy/v1", "kind": "Eviction"}),
    ("POST", f"/api/v1/namespaces/{ML}/events", {}),
    ("PATCH", "/api/v1/nodes/node-1", {"spec": {"unschedulable": True}}),
    ("DELETE", "/api/v1/nodes/node-1", None),
    ("GET", f"/apis/coordination.k8s.io/v1/namespaces/{ML}/leases", None),
    ("DELETE", f"/apis/coordination.k8s.io/v1/namespaces/{HOME}/leases/failure-agent", None),
    ("POST", f"/api/v1/namespaces/{HOME}/serviceaccounts/failure-agent/token", {}),
    ("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles", None),
    ("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {}),
]


def make_roles_in_ml(client: Client) -> None:
    """Make the roles and their namespaces. Roles that are bound in one namespace are bound in ``ml``."""
    for namespace in (ML, OTHER):
        client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    make_roles(client, [ML])


@pytest.fixture(name="plane")
def a_control_plane_with_the_roles(start_control_plane: Callable[[Options], ControlPlane]) -> ControlPlane:
    plane = start_control_plane(Options())
    make_roles_in_ml(plane.client())
    return plane


@pytest.fixture(name="account")
def the_agents_service_account(plane: ControlPlane) -> ServiceAccount:
    return ServiceAccounts(plane, HOME).make("failure-agent")


@pytest.fixture(name="client", scope="module")
def the_agents_client(kubernetes_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """What the agent may ask, on a control plane in which its tests change nothing."""
    with ControlPlane(kubernetes_program, tmp_path_factory.mktemp("kubernetes")) as plane:
        make_roles_in_ml(plane.client())
        yield plane.client(ServiceAccounts(plane, HOME).make("failure-agent").token)


def settings_of(mode: str) -> Json:
    return {
        "mode": mode,
        "node": {"name": "node-1"} if mode == "daemonset" else None,
        "lease": {"namespace": HOME},
        "watch": None,
        "run": {"namespaces": [ML]},
        "logTails": {"namespaces": [ML]},
        "rightsReview": "200ms",
    }


def role_with(client: Client, file: str, verb: str, resource: str) -> tuple[str, Json]:
    """The role of a file, as it is on the server, and its path."""
    (document,) = [each for each in documents(DEPLOY.parent / file) if "rules" in each]
    path = f"{path_of(document)}/{document['metadata']['name']}"
    role = client.get(path)
    assert any(verb in rule["verbs"] and resource in rule["resources"] for rule in role["rules"])
    return path, role


@contextmanager
def without(client: Client, file: str, verb: str, resource: str) -> Iterator[None]:
    """The role without the verb on the resource."""
    path, role = role_with(client, file, verb, resource)
    less = copy.deepcopy(role)
    for rule in less["rules"]:
        if resource in rule["resources"] and verb in rule["verbs"]:
            rest = [each for each in rule["resources"] if each != resource]
            less["rules"].append({**rule, "resources": [resource], "verbs": [v for v in rule["verbs"] if v != verb]})
            rule["resources"] = rest
    replace(client, path, [rule for rule in less["rules"] if rule["resources"] and rule["verbs"]])
    yield
    replace(client, path, role["rules"])


def replace(client: Client, path: str, rules: list[Any]) -> None:
    client.patch(path, {"rules": rules})


def readiness(process: AgentProcess) -> str:
    return process.ask("/readyz")[1]


@pytest.mark.parametrize("mode", ["deployment", "daemonset"])
def test_it_does_all_of_its_work_and_misses_each_verb_aloud(
    mode: str, plane: ControlPlane, account: ServiceAccount, tmp_path: Path
) -> None:
    real = Real(client=plane.client(), namespace=ML, kubeconfig=account.kubeconfig, folder=tmp_path)
    with real.agent(real.settings(**settings_of(mode))) as process:
        does_all_of_its_work(real)
        assert missing(process) == {}

        for (verb, resource), file in GRANTED.items():
            if (verb, resource) not in ELSEWHERE[mode]:
                misses(real, process, file, verb, resource)

        real.create("after", labels=HELD)
        until(lambda: real.is_held("after"), "held again", seconds=90)


def does_all_of_its_work(real: Real) -> None:
    real.create("a", labels=HELD, node="node-1")
    until(lambda: real.is_held("a"), "held")
    real.fail("a")
    real.until_reported("a")
    until(lambda: not real.is_held("a"), "let go of")


def misses(real: Real, process: AgentProcess, file: str, verb: str, resource: str) -> None:
    """Without the verb it says so in readiness, metric and log, with the file that grants it; and takes it back."""
    sentence = f"may not {verb} {resource}"
    with without(real.client, file, verb, resource):
        if verb == "patch":
            real.create("asks", labels=HELD)
        until(lambda: sentence in readiness(process), sentence)
        assert f"{file} grants it" in readiness(process)
        assert process.ask("/readyz")[0] == HTTPStatus.SERVICE_UNAVAILABLE
        assert list(missing(process)) == [(verb, resource, file)]
    until(process.is_ready, f"may {verb} {resource} again")
    assert missing(process) == {}
    alarms = [line for line in process.logged() if line["level"] == "error" and line["event"].startswith(sentence)]
    assert [(line["verb"], line["resource"], line["role"]) for line in alarms] == [(verb, resource, file)]


def missing(process: AgentProcess) -> dict[tuple[str, str, str], float]:
    """Rights that are missing, by the metric: verb, resource, role."""
    found = {}
    for name, value in metrics_of(process).items():
        if name.startswith("failure_agent_missing_rights{") and value:
            labels = dict(part.split("=") for part in name.partition("{")[2].rstrip("}").replace('"', "").split(","))
            found[labels["verb"], labels["resource"], labels["role"]] = value
    return found


def test_the_roles_allow_what_they_say_and_no_more(client: Client) -> None:
    def allowed(namespace: str) -> set[tuple[str, str]]:
        review = client.create(RULES, {"spec": {"namespace": namespace}})["status"]
        assert review["incomplete"] is False
        return {
            (verb, resource)
            for rule in review["resourceRules"]
            if not {"authorization.k8s.io", "authentication.k8s.io"} & set(rule["apiGroups"])
            for resource in rule["resources"]
            for verb in rule["verbs"]
        }

    observe = {pair for pair, file in GRANTED.items() if file.endswith("observe.yaml")}
    elect = {pair for pair, file in GRANTED.items() if file.endswith("elect.yaml")}
    assert allowed(OTHER) == observe | OWNERS
    assert allowed(HOME) == observe | OWNERS | elect
    assert allowed(ML) == GRANTED.keys() - elect


def test_what_is_not_granted_is_refused(client: Client) -> None:
    def answered(method: str, path: str, body: Json | None) -> tuple[int, str]:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        answer = client.ask(method, path, body=body, content_type=kind)
        return answer.status, answer.json()["reason"]

    answers = {f"{method} {path}": answered(method, path, body) for method, path, body in NOT_GRANTED}
    refused = (HTTPStatus.FORBIDDEN, "Forbidden")
    assert {asked: answer for asked, answer in answers.items() if answer != refused} == {}
    assert len(answers) == len(NOT_GRANTED)


def test_who_cannot_renew_the_lease_publishes_and_releases_nothing(
    plane: ControlPlane, account: ServiceAccount, tmp_path: Path
) -> None:
    real = Real(client=plane.client(), namespace=ML, kubeconfig=account.kubeconfig, folder=tmp_path)
    elect = "deploy/rbac/elect.yaml"
    with real.agent(real.settings(**settings_of("deployment"))) as process:
        until(lambda: metrics_of(process)["failure_agent_leads"] == 1.0, "leading")
        with without(real.client, elect, "update", "leases"), without(real.client, elect, "get", "leases"):
            until(lambda: metrics_of(process)["failure_agent_leads"] == 0.0, "no longer leading")
            real.create("a", held=True)
            real.fail("a")
            until(lambda: metrics_of(process)["failure_agent_shelved"] == 1.0, "on the shelf")
            assert real.events() == []
            assert real.is_held("a")

        real.until_reported("a")
        until(lambda: not real.is_held("a"), "let go of")
        assert real.reported() == {"a": 1}
        until(lambda: max(each.epoch for each in real.heartbeats()) > 1, "a heartbeat of the new term")
