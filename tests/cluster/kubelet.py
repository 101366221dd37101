"""Plays the rows of tests/observe/occurrences.yaml on a real API server, in the place of kubelet and scheduler."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.observe.rows import Row
from tests.servers.client import Client
from tests.simulator.api import Json

_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubelet:
    """Writes in one namespace."""

    client: Client
    namespace: str

    def play(self, row: Row, name: str) -> None:
        """Show the API server all that the row says is seen. Times that only pass are the agent's to wait for."""
        made: Json = {}
        shown: dict[str, Any] | None = None
        for look in row.looks:
            pod = look.pod
            assert pod is not None, "a pod that nobody sees go cannot be played"
            if not made:
                made = self._create(name, pod.get("spec") or {}, debugged="ephemeralContainerStatuses" in pod["status"])
                for event in row.events:
                    self._tell(made, event)
            if pod is not shown:
                self.show(name, pod)
                shown = pod
            if look.deleted:
                self.client.delete(self._path(name), gracePeriodSeconds=0)

    def _create(self, name: str, spec: dict[str, Any], *, debugged: bool) -> Json:
        wanted = {"nodeName": "n1", "restartPolicy": "Never", "containers": [{"name": "main"}], **spec}
        for kind in ("containers", "initContainers"):
            if kind in wanted:
                wanted[kind] = [{"image": "example", **each} for each in wanted[kind]]
        made = self.client.create(
            self._path(), {"metadata": {"name": name}, "spec": {key: each for key, each in wanted.items() if each}}
        )
        if debugged:
            shell = {"name": "shell", "image": "example", "terminationMessagePolicy": "File"}
            self.client.patch(f"{self._path(name)}/ephemeralcontainers", {"spec": {"ephemeralContainers": [shell]}})
        return made

    def _tell(self, about: Json, event: dict[str, Any]) -> None:
        meta = about["metadata"]
        body = {
            "metadata": {"name": f"{meta['name']}.{uuid.uuid4().hex[:8]}"},
            "involvedObject": {"kind": "Pod", "namespace": self.namespace, "name": meta["name"], "uid": meta["uid"]},
            **event,
        }
        self.client.create(f"/api/v1/namespaces/{self.namespace}/events", body)

    def show(self, name: str, pod: dict[str, Any]) -> None:
        """Write the pod's status, and delete it gently if it is being deleted."""
        status = dict(pod["status"])
        for kind in _STATUSES:
            if kind in status:
                status[kind] = [_whole(each) for each in status[kind]]
        self.client.patch(f"{self._path(name)}/status", {"status": _written(status)})
        if "deletionTimestamp" in (pod.get("metadata") or {}):
            self.client.delete(self._path(name), gracePeriodSeconds=1)

    def _path(self, name: str = "") -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods" + (f"/{name}" if name else "")


def _whole(status: dict[str, Any]) -> dict[str, Any]:
    """A container's status with all that the API server asks of it."""
    return {"image": "example", "imageID": "", "ready": False, "restartCount": 0, **status}


def _written(value: Any) -> Any:  # noqa: ANN401 - any value of a document
    """The value with its times written as JSON has them."""
    match value:
        case dict():
            return {key: _written(each) for key, each in value.items()}
        case list():
            return [_written(each) for each in value]
        case datetime():
            return value.strftime("%Y-%m-%dT%H:%M:%SZ")
        case _:
            return value
