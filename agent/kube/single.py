"""Reads single objects other than pods, by name, where they are not watched: a node, a Job, a JobSet."""

import asyncio
from typing import Final, TypeVar
from urllib.parse import quote

from agent.kube.codec import Codec, Readable, Undecodable
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Unreachable
from agent.kube.objects import Job, JobSet, Node

T = TypeVar("T", bound=Readable)

_NODE: Final = Codec(Node)
_JOB: Final = Codec(Job)
_JOB_SET: Final = Codec(JobSet)


class ObjectUnavailable(Exception):
    """The object could not be read; the text says why, for the list of missing evidence."""


class ObjectReader:
    """Reads objects one by one, each within ``deadline`` seconds. Needs the verb get on what it reads.

    Every call raises ObjectUnavailable.
    """

    def __init__(self, connection: Connection, *, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline

    async def node(self, name: str) -> Node:
        return await self._read(_NODE, f"/api/v1/nodes/{quote(name, safe='')}")

    async def job(self, namespace: str, name: str) -> Job:
        return await self._read(_JOB, _path("batch/v1", namespace, "jobs", name))

    async def job_set(self, namespace: str, name: str) -> JobSet:
        return await self._read(_JOB_SET, _path("jobset.x-k8s.io/v1alpha2", namespace, "jobsets", name))

    async def _read(self, codec: Codec[T], path: str) -> T:
        try:
            async with asyncio.timeout(self._deadline):
                found = codec.read(await self._connection.get(path, seconds=self._deadline))
        except TimeoutError as error:
            raise ObjectUnavailable(f"it was not read within {self._deadline:g} s") from error
        except (ApiError, Unreachable) as error:
            raise ObjectUnavailable(str(error)) from error
        if isinstance(found, Undecodable):
            raise ObjectUnavailable(f"it cannot be read: {found.why}")
        return found


def _path(group: str, namespace: str, resource: str, name: str) -> str:
    return f"/apis/{group}/namespaces/{quote(namespace, safe='')}/{resource}/{quote(name, safe='')}"
