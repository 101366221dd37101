"""Resources of the scheduler, which a Lookout asks for them, for those who know only the Lookout."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from agent.api.v1 import resources_pb2 as pb
from agent.console.exits import NotFoundError
from agent.console.terminal import visible
from agent.ctl import forwarded
from agent.ctl.asked import Asked
from agent.ctl.lookout_api import LookoutClient, opened
from agent.manifests.resource.kind import NUMBERS, Kind


class ResourceReader(Protocol):
    """What reads resources: this, or ``agent.client.resources.ResourceClient``."""

    def get(self, kind: int, name: str) -> pb.Resource: ...

    def list(self, kind: int = ...) -> Sequence[pb.Resource]: ...

    def versions(self, kind: int, name: str) -> Sequence[pb.ResourceVersion]: ...


@contextmanager
def resource_reader(asked: Asked) -> Iterator[ResourceReader]:
    """The scheduler, or a Lookout. Raises the errors of ``failctl``, also inside the block."""
    if asked.lookout is None:
        from agent.ctl.api import api_at  # noqa: PLC0415 - imports gRPC

        with api_at(asked.server) as served:
            yield served
        return
    with opened(asked.lookout) as client, forwarded.reading():
        yield LookoutResources(client)


@dataclass(frozen=True, slots=True)
class LookoutResources:
    """Implements ``ResourceReader`` by what a Lookout forwards."""

    client: LookoutClient

    def get(self, kind: int, name: str) -> pb.Resource:
        return forwarded.ask(self.client, _path_of(kind, name), pb.GetResourceResponse()).resource

    def list(self, kind: int = pb.RESOURCE_KIND_UNSPECIFIED) -> Sequence[pb.Resource]:
        """All resources, or those of a kind."""
        kinds = Kind if kind == pb.RESOURCE_KIND_UNSPECIFIED else (NUMBERS[kind],)
        return [
            resource
            for listed in kinds
            for resource in forwarded.ask(self.client, _path(listed), pb.ListResourcesResponse()).resources
        ]

    def versions(self, kind: int, name: str) -> Sequence[pb.ResourceVersion]:
        """The versions, the latest first."""
        path = f"{_path_of(kind, name)}/versions"
        return forwarded.ask(self.client, path, pb.ListResourceVersionsResponse()).versions


def _path(kind: Kind) -> str:
    return kind.listed.lower()


def _path_of(kind: int, name: str) -> str:
    """Raises NotFoundError for a name that no resource has: a path would have one part more."""
    if "/" in name:
        raise NotFoundError(f"there is no {NUMBERS[kind].word} {visible(name)}")
    return f"{_path(NUMBERS[kind])}/{quote(name, safe='')}"
