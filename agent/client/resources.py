"""A client of the service of resources."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import grpc

from agent.api.v1 import resources_pb2 as pb
from agent.api.v1 import resources_pb2_grpc as grpc_pb
from agent.client.errors import translated_errors
from agent.wire import caller

_SECONDS: Final = 30.0
"""The deadline of a call; a change waits for others that are being made."""


def metadata(who: str) -> Sequence[tuple[str, str]]:
    """What says who asks."""
    return ((caller.WHO, caller.encode(who)),)


class ResourceClient:
    """Calls the API; see ``agent/api/v1/resources.proto`` for what each call means. Kinds are numbers of its enum."""

    def __init__(self, channel: grpc.Channel, *, address: str, who: str) -> None:
        self.address = address
        self._stub: Any = grpc_pb.ResourceServiceStub(channel)  # type: ignore[no-untyped-call]  # generated
        self._metadata = metadata(who)

    def create(self, text: str, *, replace: bool = False, dry_run: bool = False) -> Sequence[pb.ChangedResource]:
        request = pb.CreateResourcesRequest(text=text, replace=replace, dry_run=dry_run)
        return tuple(self._call(self._stub.CreateResources, request).changed)

    def update(self, text: str, *, version: int = 0, dry_run: bool = False) -> Sequence[pb.ChangedResource]:
        request = pb.UpdateResourcesRequest(text=text, version=version, dry_run=dry_run)
        return tuple(self._call(self._stub.UpdateResources, request).changed)

    def apply(self, text: str, *, dry_run: bool = False) -> Sequence[pb.ChangedResource]:
        request = pb.ApplyResourcesRequest(text=text, dry_run=dry_run)
        return tuple(self._call(self._stub.ApplyResources, request).changed)

    def get(self, kind: int, name: str) -> pb.Resource:
        found: pb.Resource = self._call(
            self._stub.GetResource, pb.GetResourceRequest(kind=_numbered(kind), name=name)
        ).resource
        return found

    def list(self, kind: int = pb.RESOURCE_KIND_UNSPECIFIED) -> Sequence[pb.Resource]:
        """All resources, or those of a kind."""
        return tuple(self._call(self._stub.ListResources, pb.ListResourcesRequest(kind=_numbered(kind))).resources)

    def watch(self, after: int = -1) -> Iterator[pb.ResourceVersion]:
        """Every change after a revision, without end; from now on, if it is negative."""
        with translated_errors(self.address):
            request = pb.WatchResourcesRequest(after=after)
            for response in self._stub.WatchResources(request, metadata=self._metadata):
                yield response.version

    def delete(
        self,
        kind: int,
        name: str,
        *,
        version: int = 0,
        detach: bool = False,
        allow_missing: bool = False,
        dry_run: bool = False,
    ) -> pb.ChangedResource:
        request = pb.DeleteResourceRequest(
            kind=_numbered(kind),
            name=name,
            version=version,
            detach=detach,
            allow_missing=allow_missing,
            dry_run=dry_run,
        )
        changed: pb.ChangedResource = self._call(self._stub.DeleteResource, request).changed
        return changed

    def roll_back(self, kind: int, name: str, *, version: int = 0, dry_run: bool = False) -> pb.ChangedResource:
        request = pb.RollbackResourceRequest(kind=_numbered(kind), name=name, version=version, dry_run=dry_run)
        changed: pb.ChangedResource = self._call(self._stub.RollbackResource, request).changed
        return changed

    def versions(self, kind: int, name: str) -> Sequence[pb.ResourceVersion]:
        request = pb.ListResourceVersionsRequest(kind=_numbered(kind), name=name)
        return tuple(self._call(self._stub.ListResourceVersions, request).versions)

    def _call(self, method: Any, request: object) -> Any:  # noqa: ANN401 - generated stubs have no types
        with translated_errors(self.address):
            return method(request, timeout=_SECONDS, metadata=self._metadata)


def _numbered(kind: int) -> pb.ResourceKind:
    return cast("pb.ResourceKind", kind)


@contextmanager
def connect(address: str, *, who: str) -> Iterator[ResourceClient]:
    """Open a channel to ``host:port``; calls raise ApiError."""
    with grpc.insecure_channel(address) as channel:
        yield ResourceClient(channel, address=address, who=who)
