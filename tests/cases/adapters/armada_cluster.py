"""A cluster of a few plain pods, as an API server shows them, without a server."""

from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from agent.core.run_event import PodReference
from agent.kube.errors import ApiError
from agent.kube.finalizer import FINALIZER
from agent.kube.objects import Pod
from agent.kube.reflector.cache import Change, ChangeKind
from tests.cases.adapter import Differs

_POD = msgspec.json.Decoder(Pod)


class PlainCluster:
    """Keeps pods, does to them what it is asked, and has news of that.

    Fits ``Finalizers``, ``Deletions`` and ``Lookup``.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.refuses_deletions = False
        self.deleted: set[str] = set()
        self._clock = clock
        self._pods: dict[str, dict[str, Any]] = {}
        self._version = 0
        self._news: deque[Change[Pod, None]] = deque()

    def put(self, pod: dict[str, Any]) -> None:
        """The pod is in this state."""
        self._version += 1
        meta = pod["metadata"]
        kind = ChangeKind.MODIFIED if meta["uid"] in self._pods else ChangeKind.ADDED
        meta["resourceVersion"] = str(self._version)
        self._pods[meta["uid"]] = pod
        self._news.append(Change(kind=kind, object=_read(pod), uid=meta["uid"], previous=None))

    def news(self) -> Change[Pod, None] | None:
        """The next change nobody was told of."""
        return self._news.popleft() if self._news else None

    def touch(self, uid: str) -> None:
        """The pod, if it is still there, is told of again as it is."""
        if uid in self._pods:
            self.put(self._pods[uid])

    def is_gone(self, uid: str) -> bool:
        """Whether nothing is left of the pod, or nothing but our finalizer keeps it."""
        meta = self._pods.get(uid, {"metadata": {"deletionTimestamp": "gone"}})["metadata"]
        return "deletionTimestamp" in meta and set(meta.get("finalizers", ())) <= {FINALIZER}

    async def find(self, pod: PodReference) -> Pod | None:
        found = self._pods.get(pod.uid)
        return None if found is None else _read(found)

    async def add_finalizer(self, pod: PodReference, finalizer: str) -> None:
        if (found := self._pods.get(pod.uid)) is not None:
            meta = found["metadata"]
            self.put({**found, "metadata": {**meta, "finalizers": [*meta.get("finalizers", ()), finalizer]}})

    async def remove_finalizer(self, pod: PodReference, finalizer: str) -> None:
        if (found := self._pods.get(pod.uid)) is not None:
            meta = found["metadata"]
            left = [each for each in meta.get("finalizers", ()) if each != finalizer]
            self._settle({**found, "metadata": {**meta, "finalizers": left}})

    async def delete(
        self, pod: PodReference, *, resource_version: str | None = None, grace_seconds: int | None = None
    ) -> None:
        """Delete a pod as if its node ended it at once."""
        del grace_seconds
        if self.refuses_deletions:
            raise ApiError(500, "InternalError", "told to refuse")
        if (found := self._pods.get(pod.uid)) is None:
            return
        meta = found["metadata"]
        if resource_version not in (None, meta["resourceVersion"]):
            raise ApiError(409, "Conflict", "the pod has changed")
        self.deleted.add(pod.uid)
        gone = {"deletionTimestamp": self._clock().isoformat(), "deletionGracePeriodSeconds": 0}
        self._settle({**found, "metadata": {**meta, **gone}})

    def _settle(self, pod: dict[str, Any]) -> None:
        meta = pod["metadata"]
        if meta.get("finalizers") or "deletionTimestamp" not in meta:
            self.put(pod)
            return
        self.deleted.add(meta["uid"])
        del self._pods[meta["uid"]]
        self._news.append(Change(kind=ChangeKind.DELETED, object=_read(pod), uid=meta["uid"], previous=None))


def _read(pod: dict[str, Any]) -> Pod:
    try:
        return _POD.decode(msgspec.json.encode(pod))
    except msgspec.DecodeError as error:
        raise Differs(f"not readable: {error}") from error
