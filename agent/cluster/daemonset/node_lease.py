"""A Lease for each node says that the node's process sees its pods. The Node owns it, so it goes with the Node."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from typing import Final

import msgspec
import structlog

from agent.kube.errors import ApiError, Unreachable
from agent.kube.lease import Leases, Owner, Record

_log = structlog.get_logger(__name__)
_RETRY_SECONDS: Final = 2.0


class NodeLease:
    """Renews the lease of our own node every ``every`` seconds, while ``sees`` says that its pods are seen."""

    def __init__(
        self,
        leases: Leases,
        *,
        prefix: str,
        record: Record,
        node: str,
        owner: Callable[[], Owner | None],
        sees: Callable[[], bool],
        every: float,
        clock: Callable[[], datetime],
    ) -> None:
        self._leases = leases
        self._prefix = prefix
        self._record = record
        self._node = node
        self._owner = owner
        self._sees = sees
        self._every = every
        self._clock = clock

    async def run(self) -> None:
        while True:
            renewed = self._sees() and await self._renew()
            await asyncio.sleep(self._every if renewed else min(self._every, _RETRY_SECONDS))

    async def leases_by_node(self) -> Mapping[str, Record]:
        """The lease of every node that has one, by node. Raises what Leases raises."""
        mark = f"{self._prefix}."
        return {
            name.removeprefix(mark): record
            for name, record in (await self._leases.all()).items()
            if name.startswith(mark)
        }

    async def _renew(self) -> bool:
        name = f"{self._prefix}.{self._node}"
        try:
            wanted = replace(self._record, renewed=self._clock())
            self._record = await self._leases.write(name, wanted, owner=self._owner())
        except ApiError as error:
            # 409: an earlier process of this node wrote it. 404: it was deleted, perhaps with the Node.
            if error.status not in {HTTPStatus.CONFLICT, HTTPStatus.NOT_FOUND}:
                return _failed(error)
            return await self._read_again(name)
        except (Unreachable, msgspec.DecodeError) as error:
            return _failed(error)
        return True

    async def _read_again(self, name: str) -> bool:
        """Our version of the lease is out of date, or it was deleted: take what is there, for the next try."""
        try:
            found = await self._leases.read(name)
        except (ApiError, Unreachable, msgspec.DecodeError) as error:
            return _failed(error)
        self._record = replace(self._record, version="" if found is None else found.version)
        return False


def _failed(error: Exception) -> bool:
    _log.warning(
        "this node's lease cannot be renewed; will try again, meanwhile the elected process may watch the node",
        error=str(error),
    )
    return False
