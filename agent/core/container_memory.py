"""The memory of one container of a run."""

from msgspec import Struct

from agent.core.evidence import ContainerKind


class ContainerMemory(Struct, frozen=True, kw_only=True):
    """The memory of one container of the run, in bytes; ``None`` if the pod does not set it."""

    name: str
    kind: ContainerKind = ContainerKind.APP
    request: int | None = None
    limit: int | None = None
