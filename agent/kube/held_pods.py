"""Pods that carry our finalizer, and since when, according to their managedFields."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from agent.core.run_event import PodReference
from agent.json_reader.reader import Reader
from agent.kube.answer import read_answer
from agent.kube.connection import Connection
from agent.kube.finalizer import FINALIZER
from agent.kube.objects import ListMetadata

_PAGE: Final = 500
_MARK: Final = json.dumps(f'v:"{FINALIZER}"').encode()
"""How managedFields records who set our item of the finalizers (structured-merge-diff, FieldsV1)."""


class _Managed(Struct, gc=False, frozen=True):
    time: datetime | None = None
    fieldsV1: msgspec.Raw = msgspec.Raw(b"{}")  # noqa: N815 - Kubernetes' own field name


class _Metadata(Struct, gc=False, frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    creationTimestamp: datetime | None = None  # noqa: N815 - as above
    deletionTimestamp: datetime | None = None  # noqa: N815 - as above
    deletionGracePeriodSeconds: int | None = None  # noqa: N815 - as above
    finalizers: list[str] | None = None
    managedFields: list[_Managed] | None = None  # noqa: N815 - as above


class _Status(Struct, gc=False, frozen=True):
    phase: str = ""


class _Pod(Struct, gc=False, frozen=True):
    metadata: _Metadata = _Metadata()
    status: _Status = _Status()


class _Page(Struct, gc=False, frozen=True):
    metadata: ListMetadata = ListMetadata()
    items: list[_Pod] | None = None


_PAGES: Final = Reader(_Page)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPod:
    """A pod with our finalizer, added at ``since``; ``None`` where the API server does not say.

    ``others`` are its other finalizers. ``deleted_at`` is the deletionTimestamp: the time by which it should be gone.
    ``waits_for_node``: its kubelet has not confirmed yet that its containers ended.
    """

    pod: PodReference
    phase: str
    since: datetime | None
    deleted_at: datetime | None
    waits_for_node: bool
    others: tuple[str, ...]


async def held_pods(connection: Connection, *, namespace: str = "") -> list[HeldPod]:
    """List held pods in one namespace, or in all (``""``). Raises ApiError, Unreachable and msgspec.DecodeError."""
    path = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
    found: list[HeldPod] = []
    more: dict[str, str] = {}
    while True:
        page = read_answer(_PAGES, await connection.get(path, {"limit": str(_PAGE), **more}))
        found.extend(_held(pod) for pod in page.items or () if FINALIZER in (pod.metadata.finalizers or ()))
        if not page.metadata.continue_:
            return found
        more = {"continue": page.metadata.continue_}


def _held(pod: _Pod) -> HeldPod:
    meta = pod.metadata
    return HeldPod(
        pod=PodReference(namespace=meta.namespace, name=meta.name, uid=meta.uid),
        phase=pod.status.phase,
        since=_since(meta),
        deleted_at=meta.deletionTimestamp,
        waits_for_node=meta.deletionTimestamp is not None and bool(meta.deletionGracePeriodSeconds),
        others=tuple(finalizer for finalizer in meta.finalizers or () if finalizer != FINALIZER),
    )


def _since(meta: _Metadata) -> datetime | None:
    """The earliest time of an entry of managedFields with our finalizer; an entry has one time for all its fields."""
    written = [
        managed.time for managed in meta.managedFields or () if managed.time and _MARK in bytes(managed.fieldsV1)
    ]
    return min(written, default=meta.creationTimestamp)
