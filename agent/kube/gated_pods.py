"""Pods of submitted jobs: created behind a scheduling gate, and started by its removal, always by uid (KEP-3521)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from agent.core.run_event import PodReference
from agent.kube.codec import Codec, Undecodable, Unreadable
from agent.kube.connection import STRATEGIC_MERGE_PATCH, Connection, Params
from agent.kube.errors import ApiError
from agent.kube.objects import Pod
from agent.kube.pods import PodReader, pod_path

_POD: Final = Codec(Pod)
_ATTEMPTS: Final = 5
"""How often a patch is repeated at once while others keep changing the pod."""

_CONTESTED: Final = frozenset({HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY})
"""The pod changed under the patch, or the name belongs to another uid: the server does not say which."""


class GatedPods:
    """Creates pods, removes gates and annotates. Needs the verbs create, get and patch on pods.

    Every call raises ApiError and Unreachable, and Unreadable for an answer that is no pod.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._reader = PodReader(connection)

    async def create(self, namespace: str, body: Mapping[str, Any]) -> Pod:
        """Create the pod. Returns it as the API server stored it."""
        return await self._post(namespace, body, {})

    async def try_to_create(self, namespace: str, body: Mapping[str, Any]) -> Pod:
        """What ``create`` would return; the API server does all but store it."""
        return await self._post(namespace, body, {"dryRun": "All"})

    async def remove_gate(self, pod: PodReference, gate: str) -> Pod | None:
        """Remove a gate from this very pod. Returns the pod as it is then, ``None`` if it is gone.

        By the gate's name, because indexes shift when others remove theirs. Idempotent.
        """
        return await self._patch(pod, {"spec": {"schedulingGates": [{"name": gate, "$patch": "delete"}]}})

    async def annotate(self, pod: PodReference, name: str, value: str) -> Pod | None:
        """Set an annotation of this very pod. Returns the pod as it is then, ``None`` if it is gone. Idempotent."""
        return await self._patch(pod, {"metadata": {"annotations": {name: value}}})

    async def _patch(self, pod: PodReference, changes: Mapping[str, Any]) -> Pod | None:
        patch = {**changes, "metadata": {**changes.get("metadata", {}), "uid": pod.uid}}
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return _read(await self._connection.patch(pod_path(pod), patch, STRATEGIC_MERGE_PATCH))
            except ApiError as error:
                if error.status == HTTPStatus.NOT_FOUND:
                    return None
                if error.status not in _CONTESTED or attempt == _ATTEMPTS:
                    raise
                if await self._reader.find(pod) is None:
                    return None
        raise AssertionError("the last attempt returns or raises")

    async def _post(self, namespace: str, body: Mapping[str, Any], params: Params) -> Pod:
        path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods"
        return _read(await self._connection.post(path, dict(body), params))


def has_gate(pod: Pod, gate: str) -> bool:
    return any(scheduling_gate.name == gate for scheduling_gate in pod.spec.schedulingGates or ())


def _read(body: bytes) -> Pod:
    found = _POD.read(body)
    if isinstance(found, Undecodable):
        raise Unreadable(f"the answer is not a pod: {found.why}")
    return found
