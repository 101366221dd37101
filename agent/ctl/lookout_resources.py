"""Resources of the scheduler, which a Lookout asks for them, for those who know only the Lookout."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import quote

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message

from agent.api.v1 import resources_pb2 as pb
from agent.console.exits import NotFoundError, UsageError
from agent.console.terminal import visible
from agent.ctl.lookout_api import LookoutClient, opened
from agent.ctl.server import ServerChoice
from agent.json_reader.reader import Reader
from agent.manifests.resource.kind import NUMBERS, Kind
from agent.wire.error import WireError

Answer = TypeVar("Answer", bound=Message)

_ANY: Final = Reader(dict[str, Any])


class ResourceReader(Protocol):
    """What reads resources: this, or ``agent.client.resources.ResourceClient``."""

    def get(self, kind: int, name: str) -> pb.Resource: ...

    def list(self, kind: int = ...) -> Sequence[pb.Resource]: ...


@contextmanager
def resource_reader(choice: ServerChoice, environ: Mapping[str, str]) -> Iterator[ResourceReader]:
    """The scheduler, or a Lookout if only that was named. Raises the errors of ``failctl``, also inside the block."""
    addresses = choice.addresses(environ)
    if addresses.lookout is None or addresses.server is not None:
        from agent.ctl.api import api  # noqa: PLC0415 - imports gRPC

        with api(choice, environ) as served:
            yield served
        return
    with opened(addresses.lookout) as client:
        try:
            yield LookoutResources(client)
        except WireError as error:
            raise UsageError(f"what the Lookout answers cannot be read: {error}; use its failctl") from error


@dataclass(frozen=True, slots=True)
class LookoutResources:
    """Implements ``ResourceReader`` by what a Lookout forwards."""

    client: LookoutClient

    def get(self, kind: int, name: str) -> pb.Resource:
        if "/" in name:  # a path would have one part more
            raise NotFoundError(f"there is no {NUMBERS[kind].word} {visible(name)}")
        path = f"{_path(NUMBERS[kind])}/{quote(name, safe='')}"
        return self._asked(path, pb.GetResourceResponse()).resource

    def list(self, kind: int = pb.RESOURCE_KIND_UNSPECIFIED) -> Sequence[pb.Resource]:
        """All resources, or those of a kind."""
        kinds = Kind if kind == pb.RESOURCE_KIND_UNSPECIFIED else (NUMBERS[kind],)
        return [
            resource
            for listed in kinds
            for resource in self._asked(_path(listed), pb.ListResourcesResponse()).resources
        ]

    def _asked(self, path: str, answer: Answer) -> Answer:
        values = self.client.get(path, (), _ANY)
        try:
            return ParseDict(values, answer, ignore_unknown_fields=True)
        except ParseError as error:
            raise UsageError(f"what the Lookout answers cannot be read: {visible(str(error))}") from error


def _path(kind: Kind) -> str:
    return f"scheduler/{kind.listed.lower()}"
