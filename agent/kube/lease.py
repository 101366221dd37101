"""Leases of coordination.k8s.io: who holds one, since when, and how long it lasts without renewal."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from agent.json_reader.reader import Reader
from agent.kube.answer import read_answer
from agent.kube.connection import Connection
from agent.kube.errors import ApiError
from agent.kube.objects import ListMetadata, Metadata

BEHIND: Final = "failure-agent.dev/behind-seconds"
"""Annotation: how many seconds the broker may lag behind what the holder has seen."""


class LeaseSpec(Struct, gc=False, frozen=True):
    holderIdentity: str | None = None  # noqa: N815 - Kubernetes' own field name
    leaseDurationSeconds: int | None = None  # noqa: N815 - as above
    acquireTime: datetime | None = None  # noqa: N815 - as above
    renewTime: datetime | None = None  # noqa: N815 - as above
    leaseTransitions: int | None = None  # noqa: N815 - as above


class _Lease(Struct, gc=False, frozen=True):
    metadata: Metadata = Metadata()
    spec: LeaseSpec = LeaseSpec()


class _Leases(Struct, gc=False, frozen=True):
    metadata: ListMetadata = ListMetadata()
    items: list[_Lease] | None = None


_LEASE: Final = Reader(_Lease)
_LEASES: Final = Reader(_Leases)
_FROM_CACHE: Final = {"resourceVersion": "0"}
"""Lets the API server answer from its watch cache; a stale answer is harmless, because a write names a version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The Node that owns the lease: when it is deleted, the garbage collector deletes the lease."""

    name: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a lease says. ``holder`` is ``""`` once it was released; times are by the holder's own clock.

    ``version`` is the object's resourceVersion, ``""`` before the first write. ``behind`` is the annotation in seconds,
    ``None`` where the holder does not say. ``duration`` is in whole seconds.
    """

    holder: str
    duration: int
    transitions: int
    acquired: datetime | None = None
    renewed: datetime | None = None
    behind: float | None = None
    version: str = ""


class Leases:
    """The leases of one namespace. Needs the verbs get, create, update, and for ``all`` list, on leases.

    Every call raises ApiError (409 if somebody else wrote first), Unreachable, and ``msgspec.DecodeError`` for an
    answer that is no lease.
    """

    def __init__(self, connection: Connection, namespace: str, *, seconds: float) -> None:
        self._connection = connection
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{quote(namespace, safe='')}/leases"
        self._seconds = seconds

    async def read(self, name: str) -> Record | None:
        """The lease, perhaps as of a moment ago; ``None`` if there is none."""
        try:
            body = await self._connection.get(self._of(name), _FROM_CACHE, seconds=self._seconds)
        except ApiError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise
        return _record(read_answer(_LEASE, body))

    async def write(self, name: str, record: Record, *, owner: Owner | None = None) -> Record:
        """Create it, or, if the record has a version, replace exactly that version. Returns it as it is now."""
        body = _body(name, record, owner)
        if record.version:
            answer = await self._connection.put(self._of(name), body, seconds=self._seconds)
        else:
            answer = await self._connection.post(self._path, body, seconds=self._seconds)
        return _record(read_answer(_LEASE, answer))

    async def all(self) -> dict[str, Record]:
        """Every lease of the namespace by name, perhaps as of a moment ago."""
        found = read_answer(_LEASES, await self._connection.get(self._path, _FROM_CACHE, seconds=self._seconds))
        return {lease.metadata.name or "": _record(lease) for lease in found.items or ()}

    def _of(self, name: str) -> str:
        return f"{self._path}/{quote(name, safe='')}"


def _record(lease: _Lease) -> Record:
    spec = lease.spec
    return Record(
        holder=spec.holderIdentity or "",
        duration=spec.leaseDurationSeconds or 0,
        transitions=spec.leaseTransitions or 0,
        acquired=spec.acquireTime,
        renewed=spec.renewTime,
        behind=_seconds((lease.metadata.annotations or {}).get(BEHIND)),
        version=lease.metadata.resourceVersion or "",
    )


def _seconds(text: str | None) -> float | None:
    """A number of seconds; ``None`` for anything else."""
    try:
        seconds = float(text or "nan")
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def _body(name: str, record: Record, owner: Owner | None) -> dict[str, object]:
    metadata: dict[str, object] = {"name": name, "labels": {"app.kubernetes.io/name": "failure-agent"}}
    if record.version:
        metadata["resourceVersion"] = record.version
    if record.behind is not None:
        metadata["annotations"] = {BEHIND: f"{record.behind:.1f}"}
    if owner is not None:
        metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": owner.name, "uid": owner.uid}]
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": _spec(record)}


def _spec(record: Record) -> dict[str, object]:
    return {
        "holderIdentity": record.holder,
        "leaseDurationSeconds": record.duration,
        "leaseTransitions": record.transitions,
        "acquireTime": _micro_time(record.acquired),
        "renewTime": _micro_time(record.renewed),
    }


def _micro_time(at: datetime | None) -> str | None:
    """As a MicroTime: RFC 3339 in UTC with six digits."""
    return None if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
