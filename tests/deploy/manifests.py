"""What is under ``deploy/``, read, and put onto an API server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import yaml

from tests.ground.tree import ROOT
from tests.simulator.api import Json

DEPLOY: Final = ROOT / "deploy"
ROLES: Final = sorted((DEPLOY / "rbac").glob("*.yaml"))
MODES: Final = ("deployment.yaml", "daemonset.yaml")

_PLURALS: Final = {
    "Namespace": "namespaces",
    "ServiceAccount": "serviceaccounts",
    "Service": "services",
    "NetworkPolicy": "networkpolicies",
    "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
    "ConfigMap": "configmaps",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Pod": "pods",
    "Deployment": "deployments",
    "DaemonSet": "daemonsets",
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}
_CLUSTERWIDE: Final = {"Namespace", "ClusterRole", "ClusterRoleBinding", "MutatingWebhookConfiguration"}


def documents(file: Path) -> Iterator[Json]:
    """The objects of a manifest, in their order."""
    yield from yaml.load_all(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def only(file: Path, kind: str) -> Json:
    """The one object of this kind."""
    (found,) = [document for document in documents(file) if document["kind"] == kind]
    return found


def path_of(document: Json, *, namespace: str = "") -> str:
    """Where objects of its kind are made; ``namespace`` is for one that names none, as ``kubectl -n`` is."""
    version = document["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    plural = _PLURALS[document["kind"]]
    if document["kind"] in _CLUSTERWIDE:
        return f"{root}/{plural}"
    return f"{root}/namespaces/{document['metadata'].get('namespace', namespace)}/{plural}"


def pod_of(workload: Json) -> Json:
    """A pod as the workload's controller would make it."""
    template = workload["spec"]["template"]
    meta = {"generateName": "p-", "namespace": workload["metadata"]["namespace"], **template["metadata"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}
