"""What we do to pods: hold them, and let go of them."""

from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from agent.core.failure import PodReference
from agent.kube.codec import Codec, Odd
from agent.kube.connection import STRATEGIC_MERGE_PATCH, Connection
from agent.kube.errors import ApiError
from agent.kube.objects import Pod

_POD: Final = Codec(Pod)
_ATTEMPTS: Final = 5
_CONTESTED: Final = frozenset({HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY})


def pod_path(pod: PodReference) -> str:
    """The path of a pod on the API server."""
    return f"/api/v1/namespaces/{quote(pod.namespace, safe='')}/pods/{quote(pod.name, safe='')}"


class PodWriter:
    """Patches pods. Needs the verbs get and patch on pods."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Put our finalizer on this very pod. Twice is the same as once; a pod that is gone, or on its way, is done.

        One strategic merge patch: the list of finalizers is merged. Raises ApiError and Unreachable; the caller tries
        again later.
        """
        patch = {"metadata": {"uid": pod.uid, "finalizers": [finalizer]}}
        try:
            await self._connection.patch(pod_path(pod), patch, STRATEGIC_MERGE_PATCH)
        except ApiError as error:
            if error.status not in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}:
                raise

    async def remove_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Take our finalizer off this very pod. Twice is the same as once; a pod that is gone is done.

        One request, as Kubernetes' own Job controller does it (pkg/controller/job/tracking_utils.go): a strategic merge
        patch that names only our finalizer, and the uid, which the server will not change: for a namesake it answers
        422 or 409, and then it is looked up. Raises ApiError and Unreachable; the caller tries again later.
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
                if not await self._holds(pod, finalizer):
                    return
            else:
                return

    async def _holds(self, pod: PodReference, finalizer: str) -> bool:
        """Whether this very pod has the finalizer; of one that cannot be read it is believed."""
        try:
            found = _POD.read(await self._connection.get(pod_path(pod)))
        except ApiError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return False
            raise
        if isinstance(found, Odd):
            return found.uid == pod.uid
        return found.metadata.uid == pod.uid and finalizer in (found.metadata.finalizers or ())
