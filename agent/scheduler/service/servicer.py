"""The gRPC service of resources: requests in, messages out, every error with its code."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any, Final

import grpc
import structlog

from agent.api.v1 import resources_pb2 as pb
from agent.api.v1 import resources_pb2_grpc as grpc_pb
from agent.manifests.resource.kind import Kind
from agent.scheduler.config.stored import StoredResources
from agent.scheduler.service.messages import of_result, of_shown, of_version, read_kind
from agent.scheduler.service.plan import Intent, Refused, Why
from agent.scheduler.service.resources import Resources, Shown
from agent.scheduler.service.rights import Denied, RightsUnknown
from agent.store.errors import StoreError

_log = structlog.get_logger(__name__)

WHO: Final = "failure-agent-user"
"""The metadata in which a client says who asks. Nobody checks it: the API listens on loopback only."""

_LONGEST_WHO: Final = 256

CODES: Final = {
    Why.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Why.EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    Why.CONFLICT: grpc.StatusCode.ABORTED,
    Why.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Why.REFERENCED: grpc.StatusCode.FAILED_PRECONDITION,
    Why.READ_ONLY: grpc.StatusCode.ALREADY_EXISTS,
    Why.PROTECTED: grpc.StatusCode.FAILED_PRECONDITION,
}
"""The code of each refusal. A name that a file holds exists already."""


class ResourceServicer(grpc_pb.ResourceServiceServicer):
    """Serves resources. ``in_force`` is what this scheduler decides by; ``stop`` ends watches."""

    def __init__(
        self, resources: Resources, *, in_force: Callable[[], StoredResources], stop: Event, poll: float
    ) -> None:
        self._resources = resources
        self._in_force = in_force
        self._stop = stop
        self._poll = poll

    def CreateResources(self, request: pb.CreateResourcesRequest, context: Any) -> pb.CreateResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with _answering(context):
            intent = Intent.REPLACE if request.replace else Intent.CREATE
            done = self._resources.put(request.text, who=who(context), intent=intent, dry_run=request.dry_run)
            return pb.CreateResourcesResponse(changed=[of_result(one, dry_run=request.dry_run) for one in done])

    def UpdateResources(self, request: pb.UpdateResourcesRequest, context: Any) -> pb.UpdateResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with _answering(context):
            done = self._resources.put(
                request.text,
                who=who(context),
                intent=Intent.UPDATE,
                version=request.version,
                dry_run=request.dry_run,
            )
            return pb.UpdateResourcesResponse(changed=[of_result(one, dry_run=request.dry_run) for one in done])

    def ApplyResources(self, request: pb.ApplyResourcesRequest, context: Any) -> pb.ApplyResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with _answering(context):
            done = self._resources.put(request.text, who=who(context), intent=Intent.APPLY, dry_run=request.dry_run)
            return pb.ApplyResourcesResponse(changed=[of_result(one, dry_run=request.dry_run) for one in done])

    def GetResource(self, request: pb.GetResourceRequest, context: Any) -> pb.GetResourceResponse:  # noqa: ANN401, N802 - gRPC's
        with _answering(context):
            shown = self._resources.get(read_kind(request.kind), request.name)
            return pb.GetResourceResponse(resource=self._message(shown))

    def ListResources(self, request: pb.ListResourcesRequest, context: Any) -> pb.ListResourcesResponse:  # noqa: ANN401, N802 - gRPC's
        with _answering(context):
            kind: Kind | None = read_kind(request.kind) if request.kind else None
            shown, revision = self._resources.everything(kind)
            return pb.ListResourcesResponse(resources=map(self._message, shown), revision=revision)

    def WatchResources(self, request: pb.WatchResourcesRequest, context: Any) -> Iterator[pb.WatchResourcesResponse]:  # noqa: ANN401, N802 - gRPC's
        with _answering(context):
            after = self._resources.revision() if request.after < 0 else request.after
            while context.is_active() and not self._stop.is_set():
                for version in self._resources.since(after):
                    after = version.revision
                    yield pb.WatchResourcesResponse(version=of_version(version))
                self._stop.wait(self._poll)

    def DeleteResource(self, request: pb.DeleteResourceRequest, context: Any) -> pb.DeleteResourceResponse:  # noqa: ANN401, N802 - gRPC's
        with _answering(context):
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
        with _answering(context):
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
        with _answering(context):
            found = self._resources.versions(read_kind(request.kind), request.name)
            return pb.ListResourceVersionsResponse(versions=map(of_version, found))

    def _message(self, shown: Shown) -> pb.Resource:
        unusable = self._in_force().unusable if shown.stored is not None else ()
        own = next((one for one in unusable if (one.kind, one.name) == (shown.kind, shown.name)), None)
        return of_shown(shown, own)


def who(context: Any) -> str:  # noqa: ANN401 - gRPC's
    """Who asks, as the client says; printable, and of a bounded length."""
    said = dict(context.invocation_metadata() or ()).get(WHO, "")
    text = said if isinstance(said, str) else said.decode(errors="replace")
    return "".join(one for one in text if one.isprintable())[:_LONGEST_WHO] or "unknown"


@contextmanager
def _answering(context: Any) -> Iterator[None]:  # noqa: ANN401 - gRPC's
    """End the call with the code of an error that was foreseen; another one is logged, and tells the client nothing."""
    try:
        yield
    except Refused as error:
        context.abort(CODES[error.why], str(error))
    except Denied as error:
        context.abort(grpc.StatusCode.PERMISSION_DENIED, str(error))
    except RightsUnknown as error:
        context.abort(grpc.StatusCode.UNAVAILABLE, f"rights cannot be checked: {error}")
    except StoreError as error:
        context.abort(grpc.StatusCode.UNAVAILABLE, f"the store does not answer: {error}")
