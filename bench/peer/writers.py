"""Kubelets of many nodes in one loop: they make pods, and write how these end, each write when it is due."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, Self

import aiohttp

from bench.peer.clusters import NAMESPACE, Cluster
from bench.peer.kubelets import Refused

Json = dict[str, Any]
End = tuple[str, Json]
"""A pod's name, and its last status."""

_PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_CREATING: Final = 16
_NODES: Final = "system:nodes"
_NUMBER_OF_NODES: Final = 200
"""The server lets few requests of one node wait."""
_ADMIN: Final[Mapping[str, str]] = {}
_NAME: Final = "bench-nodes"
_RBAC: Final = "/apis/rbac.authorization.k8s.io/v1"
_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A status that was written: how long after it was due, and the conditions that the pod has."""

    seconds: float
    conditions: frozenset[str]


class Writers:
    """As many connections to a cluster as there are writes at one time; to be used in ``async with``.

    Statuses are written as a node: the API server works on some of its requests at one time, and lets the rest wait.
    All calls raise Refused where the server does not do what it is asked.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._session = aiohttp.ClientSession(
            cluster.url,
            connector=aiohttp.TCPConnector(ssl=cluster.tls or False, limit=0),
            headers={"Authorization": f"Bearer {cluster.token}"},
            timeout=aiohttp.ClientTimeout(total=_SECONDS),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def allow(self) -> None:
        """Allow nodes to write statuses. Kubernetes has an authorizer of its own for that."""
        rules = [{"apiGroups": [""], "resources": ["pods/status"], "verbs": ["patch"]}]
        await self._ask("POST", f"{_RBAC}/clusterroles", {"metadata": {"name": _NAME}, "rules": rules})
        group = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": _NODES}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": _NAME}
        binding = {"metadata": {"name": _NAME}, "subjects": [group], "roleRef": role}
        await self._ask("POST", f"{_RBAC}/clusterrolebindings", binding)

    async def create(self, pods: Sequence[Json]) -> None:
        """Make these pods."""
        some = asyncio.Semaphore(_CREATING)

        async def make(pod: Json) -> None:
            async with some:
                await self._ask("POST", _PODS, pod)

        await asyncio.gather(*(make(pod) for pod in pods))

    async def write_evenly(self, ends: Sequence[End], *, per_second: float) -> list[Written]:
        """Write these statuses, so many a second."""
        began = time.monotonic()
        due = [began + at / per_second for at in range(len(ends))]
        return await asyncio.gather(*(self._write(end, at) for end, at in zip(ends, due, strict=True)))

    async def write_at_once(self, ends: Sequence[End]) -> list[Written]:
        """Write these statuses at one time, each over a connection that is open already."""
        await asyncio.gather(*(self._ask("GET", "/version", None) for _ in ends))
        due = time.monotonic()
        return await asyncio.gather(*(self._write(end, due) for end in ends))

    async def _write(self, end: End, due: float) -> Written:
        await asyncio.sleep(due - time.monotonic())
        name, status = end
        pod = await self._ask("PATCH", f"{_PODS}/{name}/status", {"status": status}, _as_a_node(name))
        seconds = time.monotonic() - due
        types = frozenset(str(condition["type"]) for condition in pod["status"].get("conditions") or ())
        return Written(seconds=seconds, conditions=types)

    async def _ask(self, method: str, path: str, body: Json | None, identity: Mapping[str, str] = _ADMIN) -> Json:
        headers = {"Content-Type": _STRATEGIC if method == "PATCH" else "application/json", **identity}
        data = None if body is None else json.dumps(body).encode()
        async with self._session.request(method, path, data=data, headers=headers) as answer:
            said = await answer.read()
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise Refused(f"{method} {path}: {answer.status} {said.decode(errors='replace')}")
        found: Json = json.loads(said)
        return found


def _as_a_node(pod: str) -> Mapping[str, str]:
    """Headers by which we are the node of a pod."""
    number = int(pod.rpartition("-")[2]) % _NUMBER_OF_NODES
    return {"Impersonate-User": f"system:node:n{number}", "Impersonate-Group": _NODES}
