"""The memory of one container of a run."""

from dataclasses import dataclass

from agent.core.evidence import ContainerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerMemory:
    """The memory of one container of the run, in bytes; ``None`` if the pod does not set it."""

    name: str
    kind: ContainerKind = ContainerKind.APP
    request: int | None = None
    limit: int | None = None
