"""Reads single pods, adds and removes our finalizer, and deletes pods: always by uid, never a namesake."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, Protocol
from urllib.parse import quote

from msgspec import Struct

from agent.core.run_event import PodReference
from agent.json_reader.reader import Reader
from agent.kube.answer import read_answer
from agent.kube.codec import Codec, Undecodable, Unreadable
from agent.kube.connection import STRATEGIC_MERGE_PATCH, Connection
from agent.kube.errors import ApiError
from agent.kube.objects import ListMetadata, Pod

_POD: Final = Codec(Pod)
_ATTEMPTS: Final = 5
"""How often a patch is repeated at once while others keep changing the pod."""

_PAGE: Final = 500
_CONTESTED: Final = frozenset({HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY})
"""The pod changed under the patch, or the name belongs to another uid: the server does not say which."""


def pod_path(pod: PodReference) -> str:
    return f"/api/v1/namespaces/{quote(pod.namespace, safe='')}/pods/{quote(pod.name, safe='')}"


class Lookup(Protocol):
    """Looks a pod up at the API server."""

    async def find(self, pod: PodReference) -> Pod | None:
        """The pod with this uid, or ``None`` if it is gone. Raises ApiError, Unreachable and Unreadable."""
        ...


class Finalizers(Protocol):
    """Adds and removes finalizers. Idempotent: a pod that is gone is done."""

    async def add_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Add it to the pod with this uid. Raises ApiError and Unreachable."""
        ...

    async def remove_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Remove it from the pod with this uid. Raises ApiError and Unreachable."""
        ...


class PodWriter:
    """Patches pods, which needs the verbs get and patch on pods, and deletes them, which needs get and delete."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Add our finalizer to this very pod. Idempotent; nothing happens to a pod that is gone or being deleted.

        One strategic merge patch, which keeps the finalizers of others. Raises ApiError and Unreachable; the caller
        tries again later.
        """
        patch = {"metadata": {"uid": pod.uid, "finalizers": [finalizer]}}
        try:
            await self._connection.patch(pod_path(pod), patch, STRATEGIC_MERGE_PATCH)
        except ApiError as error:
            if error.status not in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}:
                raise

    async def remove_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Remove our finalizer from this very pod. Idempotent; nothing happens to a pod that is gone.

        One request, as Kubernetes' own Job controller does it (pkg/controller/job/tracking_utils.go): a strategic merge
        patch that names only our finalizer, and the uid, which is immutable: for a namesake the server answers 422 or
        409, and then the pod is read to find out. Raises ApiError and Unreachable; the caller tries again later.
        """
        patch = {"metadata": {"uid": pod.uid, "$deleteFromPrimitiveList/finalizers": [finalizer]}}
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                await self._connection.patch(pod_path(pod), patch, STRATEGIC_MERGE_PATCH)
            except ApiError as error:
                if error.status == HTTPStatus.NOT_FOUND:
                    return
                if error.status not in _CONTESTED or attempt == _ATTEMPTS:
                    raise
                if not await self._has_finalizer(pod, finalizer):
                    return
            else:
                return

    async def delete(
        self, pod: PodReference, *, resource_version: str | None = None, grace_seconds: int | None = None
    ) -> None:
        """Delete this very pod. Idempotent; nothing happens to a pod that is gone, or to a namesake.

        ``resource_version``: only while it is at this version, else ApiError 409. ``grace_seconds``: instead of the
        pod's own grace period; 0 deletes it without waiting for its node. Raises ApiError and Unreachable; the caller
        tries again later.
        """
        preconditions = {"uid": pod.uid} | ({} if resource_version is None else {"resourceVersion": resource_version})
        options: dict[str, object] = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        try:
            await self._connection.delete(pod_path(pod), options)
        except ApiError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return
            if error.status != HTTPStatus.CONFLICT or await self._find(pod) is not None:
                raise

    async def _has_finalizer(self, pod: PodReference, finalizer: str) -> bool:
        """Whether this very pod has the finalizer; an undecodable one is assumed to have it."""
        found = await self._find(pod)
        return found is not None and (isinstance(found, Undecodable) or finalizer in (found.metadata.finalizers or ()))

    async def _find(self, pod: PodReference) -> Pod | Undecodable | None:
        """This very pod as it is; ``None`` if it is gone or another pod has its name."""
        found = await _read_by_name(self._connection, pod)
        if found is None:
            return None
        uid = found.uid if isinstance(found, Undecodable) else found.metadata.uid
        return found if uid == pod.uid else None


async def _read_by_name(connection: Connection, pod: PodReference) -> Pod | Undecodable | None:
    """The pod that has this name now, whatever its uid; ``None`` if there is none. Raises ApiError and Unreachable."""
    try:
        return _POD.read(await connection.get(pod_path(pod)))
    except ApiError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return None
        raise


class _Spec(Struct, gc=False, frozen=True):
    nodeName: str | None = None  # noqa: N815 - Kubernetes' own field name


class _Placed(Struct, gc=False, frozen=True):
    spec: _Spec = _Spec()


class _Page(Struct, gc=False, frozen=True):
    metadata: ListMetadata = ListMetadata()
    items: list[_Placed] | None = None


_DECODER: Final = Reader(_Page)


async def nodes_with_pods(connection: Connection, path: str, *, labels: str) -> frozenset[str]:
    """The names of the nodes that run pods under this path. Raises ApiError, Unreachable and msgspec.DecodeError."""
    selectors: Mapping[str, str] = {"fieldSelector": "spec.nodeName!="} | ({"labelSelector": labels} if labels else {})
    found: set[str] = set()
    more: dict[str, str] = {}
    while True:
        page = read_answer(_DECODER, await connection.get(path, {**selectors, "limit": str(_PAGE), **more}))
        found.update(pod.spec.nodeName for pod in page.items or () if pod.spec.nodeName)
        if not page.metadata.continue_:
            return frozenset(found)
        more = {"continue": page.metadata.continue_}


class PodReader:
    """Reads pods one by one. Needs the verb get on pods."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def find(self, pod: PodReference) -> Pod | None:
        """This very pod as it is now; ``None`` if it is gone, or another pod has its name.

        Raises ApiError and Unreachable, and Unreadable for an answer that is no pod.
        """
        found = await _read_by_name(self._connection, pod)
        if isinstance(found, Undecodable):
            raise Unreadable(f"the answer is not a pod: {found.why}")
        return found if found is not None and found.metadata.uid == pod.uid else None

    async def named(self, namespace: str, name: str) -> Pod | None:
        """The pod that has this name now; ``None`` if there is none. Raises as ``find`` does."""
        found = await _read_by_name(self._connection, PodReference(namespace=namespace, name=name, uid=""))
        if isinstance(found, Undecodable):
            raise Unreadable(f"the answer is not a pod: {found.why}")
        return found
