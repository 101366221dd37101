"""More memory for the next run, as values: what a policy asks for, and what it comes to. ``memory`` computes it."""

from msgspec import Struct

from agent.core.evidence import ContainerMemory


class MemoryGrowth(Struct, frozen=True, kw_only=True):
    """``mutate.resources.memory``: either times ``factor`` or plus ``static`` bytes; never above ``ceiling``.

    ``ceiling`` is in bytes and per container; ``None`` is no ceiling.
    """

    factor: float | None = None
    static: int | None = None
    ceiling: int | None = None


class Mutation(Struct, frozen=True, kw_only=True):
    """More memory for the next run. ``container`` is the one that grows, empty if all do.

    ``before`` and ``after`` are the memory of the containers that change; empty if the memory of the run is not known.
    """

    growth: MemoryGrowth
    container: str = ""
    before: tuple[ContainerMemory, ...] = ()
    after: tuple[ContainerMemory, ...] = ()
