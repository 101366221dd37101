"""The gRPC service of resources: requests in, messages out, every error with its code."""

import asyncio
from collections.abc import AsyncIterator, Callable
from threading import Event
from typing import Any, Final

from agent.api.v1 import resources_pb2 as pb
from agent.api.v1 import resources_pb2_grpc as grpc_pb
from agent.manifests.resource.kind import Kind
from agent.scheduler.config.stored import StoredResources
from agent.scheduler.service.answering import answering, answering_stream, who
from agent.scheduler.service.messages import of_result, of_shown, of_version, read_kind
from agent.scheduler.service.plan import Intent
from agent.scheduler.service.resources import Resources, Shown
from agent.scheduler.service.streams import OpenStreams

_LOOK_SECONDS: Final = 0.2
"""How soon a watch that waits sees that the server stops."""


class ResourceServicer(grpc_pb.ResourceServiceServicer):
    """Serves resources. ``in_force`` is what this scheduler decides by; ``stop`` ends watches."""

    def __init__(
        self, resources: Resources, *, in_force: Callable[[], StoredResources], stop: Event, poll: float
    ) -> None:
        self._resources = resources
        self._in_force = in_force
        self._stop = stop
        self._poll = poll
        self._watches = OpenStreams("watches")

    def CreateResources(self, request: pb.CreateResourcesRequest, context: Any) -> pb.CreateResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            intent = Intent.REPLACE if request.replace else Intent.CREATE
            done = self._resources.put(request.text, who=who(context), intent=intent, dry_run=request.dry_run)
            return pb.CreateResourcesResponse(changed=[of_result(result, dry_run=request.dry_run) for result in done])

    def UpdateResources(self, request: pb.UpdateResourcesRequest, context: Any) -> pb.UpdateResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._resources.put(
                request.text,
                who=who(context),
                intent=Intent.UPDATE,
                version=request.version,
                dry_run=request.dry_run,
            )
            return pb.UpdateResourcesResponse(changed=[of_result(result, dry_run=request.dry_run) for result in done])

    def ApplyResources(self, request: pb.ApplyResourcesRequest, context: Any) -> pb.ApplyResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._resources.put(request.text, who=who(context), intent=Intent.APPLY, dry_run=request.dry_run)
            return pb.ApplyResourcesResponse(changed=[of_result(result, dry_run=request.dry_run) for result in done])

    def GetResource(self, request: pb.GetResourceRequest, context: Any) -> pb.GetResourceResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            shown = self._resources.get(read_kind(request.kind), request.name)
            return pb.GetResourceResponse(resource=self._message(shown))

    def ListResources(self, request: pb.ListResourcesRequest, context: Any) -> pb.ListResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            kind: Kind | None = read_kind(request.kind) if request.kind else None
            shown, revision = self._resources.everything(kind)
            return pb.ListResourcesResponse(resources=map(self._message, shown), revision=revision)

    async def WatchResources(  # noqa: N802 - gRPC's
        self,
        request: pb.WatchResourcesRequest,
        context: Any,  # noqa: ANN401 - gRPC's
    ) -> AsyncIterator[pb.WatchResourcesResponse]:
        async with answering_stream(context), self._watches.counted(context):
            after = await asyncio.to_thread(self._resources.revision) if request.after < 0 else request.after
            while not self._stop.is_set():
                for version in await asyncio.to_thread(self._resources.since, after):
                    after = version.revision
                    yield pb.WatchResourcesResponse(version=of_version(version))
                await self._pause()

    async def _pause(self) -> None:
        clock = asyncio.get_running_loop().time
        until = clock() + self._poll
        while not self._stop.is_set() and (left := until - clock()) > 0:  # noqa: ASYNC110 - threads' event
            await asyncio.sleep(min(left, _LOOK_SECONDS))

    def DeleteResource(self, request: pb.DeleteResourceRequest, context: Any) -> pb.DeleteResourceResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._resources.delete(
                read_kind(request.kind),
                request.name,
                who=who(context),
                version=request.version,
                detach=request.detach,
                allow_missing=request.allow_missing,
                dry_run=request.dry_run,
            )
            return pb.DeleteResourceResponse(changed=of_result(done, dry_run=request.dry_run))

    def RollbackResource(self, request: pb.RollbackResourceRequest, context: Any) -> pb.RollbackResourceResponse:  # noqa: ANN401, N802 - gRPC's
        with answering(context):
            done = self._resources.roll_back(
                read_kind(request.kind),
                request.name,
                who=who(context),
                version=request.version,
                dry_run=request.dry_run,
            )
            return pb.RollbackResourceResponse(changed=of_result(done, dry_run=request.dry_run))

    def ListResourceVersions(  # noqa: N802 - gRPC's
        self,
        request: pb.ListResourceVersionsRequest,
        context: Any,  # noqa: ANN401 - gRPC's
    ) -> pb.ListResourceVersionsResponse:
        with answering(context):
            found = self._resources.versions(read_kind(request.kind), request.name)
            return pb.ListResourceVersionsResponse(versions=map(of_version, found))

    def _message(self, shown: Shown) -> pb.Resource:
        unusable = self._in_force().unusable if shown.stored is not None else ()
        own = next(
            (document for document in unusable if (document.kind, document.name) == (shown.kind, shown.name)), None
        )
        return of_shown(shown, own)
