"""Looking up one pod."""

from http import HTTPStatus
from typing import Final

from agent.core.failure import PodReference
from agent.kube.codec import Codec, Odd, Unreadable
from agent.kube.connection import Connection
from agent.kube.errors import ApiError
from agent.kube.objects import Pod
from agent.kube.pods import pod_path

_POD: Final = Codec(Pod)


class PodReader:
    """Reads pods one by one. Needs the verb get on pods."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def find(self, pod: PodReference) -> Pod | None:
        """This very pod as it is now; ``None`` if it is gone, or its name is taken by another.

        Raises ApiError and Unreachable, and Unreadable for an answer that is no pod.
        """
        try:
            found = _POD.read(await self._connection.get(pod_path(pod)))
        except ApiError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise
        if isinstance(found, Odd):
            raise Unreadable(f"not a pod: {found.why}")
        return found if found.metadata.uid == pod.uid else None
