"""Watching Jobs, JobSets and the Workloads of Kueue, where the API server has them and the agent may list them.

Permission is reviewed before the first list, so that an agent without this role causes no refused requests.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import msgspec
import structlog

from agent.kube import objects
from agent.kube.access import Access, is_granted
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Unreachable
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Reflector

_log = structlog.get_logger(__name__)
_RETRY_SECONDS: Final = 300.0

OnOwner = Callable[[Change[Any, None]], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    group: str
    version: str
    resource: str
    decode: type[objects.Job] | type[objects.JobSet] | type[objects.MetadataOnly]

    def path(self, namespace: str) -> str:
        within = f"/namespaces/{namespace}" if namespace else ""
        return f"/apis/{self.group}/{self.version}{within}/{self.resource}"


_KINDS: Final = (
    _Kind(group="batch", version="v1", resource="jobs", decode=objects.Job),
    _Kind(group="jobset.x-k8s.io", version="v1alpha2", resource="jobsets", decode=objects.JobSet),
    _Kind(group="kueue.x-k8s.io", version="v1beta1", resource="workloads", decode=objects.MetadataOnly),
)


class OwnerInformer:
    """One kind of owner in one namespace, or in all (``""``).

    ``synced`` is also set while there is nothing to watch, so that nobody waits for it. A kind that is not installed or
    not granted is tried again every ``retry_seconds``. Each reason is logged once: ``logged`` has those that were, and
    informers share it.
    """

    def __init__(
        self,
        connection: Connection,
        kind: _Kind,
        *,
        namespace: str,
        on_owner: OnOwner,
        logged: set[str],
        retry_seconds: float = _RETRY_SECONDS,
    ) -> None:
        self.reflector: Reflector[Any, None] = Reflector(
            connection, path=kind.path(namespace), decode=kind.decode, handler=on_owner
        )
        self.synced = self.reflector.synced
        self._connection = connection
        self._name = f"{kind.resource}.{kind.group}"
        self._path = kind.path(namespace)
        self._logged = logged
        self._needed = [
            Access(verb=verb, resource=kind.resource, group=kind.group, namespace=namespace)
            for verb in ("list", "watch")
        ]
        self._retry_seconds = retry_seconds

    async def run(self) -> None:
        while (why := await self._why_not()) is not None:
            self._report(why)
            self.synced.set()
            await asyncio.sleep(self._retry_seconds)
        await self.reflector.run()

    def _report(self, why: str) -> None:
        if why not in self._logged:
            self._logged.add(why)
            _log.info(
                "owners of pods are not watched; the containers that were submitted and events about owners are"
                " found from the pods alone",
                why=why,
            )

    async def _why_not(self) -> str | None:
        try:
            for access in self._needed:
                if not await is_granted(self._connection, access):
                    return f"may not {access}"
            # A permission may be granted on a kind whose CRD is not installed: then the list is a 404.
            await self._connection.get(self._path, {"limit": "1"})
        except (ApiError, Unreachable, msgspec.DecodeError) as error:
            if isinstance(error, ApiError) and error.status == HTTPStatus.NOT_FOUND:
                return f"the API server does not serve {self._name}: {error}"  # the same in every namespace
            return f"{self._needed[0]}: {error}"
        return None


def owner_informers(
    connection: Connection, namespaces: Sequence[str], *, on_owner: OnOwner, retry_seconds: float = _RETRY_SECONDS
) -> list[OwnerInformer]:
    """Watches of what makes pods or stands for them, in these namespaces or in all."""
    logged: set[str] = set()
    return [
        OwnerInformer(
            connection, kind, namespace=namespace, on_owner=on_owner, logged=logged, retry_seconds=retry_seconds
        )
        for kind in _KINDS
        for namespace in namespaces or ("",)
    ]
