"""More memory for the next run: Armada's ``mutate.resources.memory``, and ours."""

import math
from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from agent.core.evidence import ContainerKind, ContainerMemory
from agent.core.retry.dialect import Spread
from agent.core.retry.growth import MemoryGrowth, Mutation

NOT_INIT = frozenset({ContainerKind.APP})


def mutate(
    growth: MemoryGrowth, *, spread: Spread, culprit: str, memory: Sequence[ContainerMemory]
) -> tuple[Mutation | None, tuple[ContainerMemory, ...]]:
    """The mutation, and the memory of all containers after it; no mutation if nothing would grow."""
    if spread is Spread.EVERY:
        after = every(growth, memory)
    else:
        if not culprit:
            return None, tuple(memory)
        after = tuple(_with_more(growth, container) if container.name == culprit else container for container in memory)
    name = "" if spread is Spread.EVERY else culprit
    changed = [(old, new) for old, new in zip(memory, after, strict=True) if old != new]
    if not changed and any(container.name == name for container in memory if name):
        return None, tuple(memory)
    mutation = Mutation(
        growth=growth,
        container=name,
        before=tuple(old for old, _ in changed),
        after=tuple(new for _, new in changed),
    )
    return mutation, after


def every(growth: MemoryGrowth, memory: Sequence[ContainerMemory]) -> tuple[ContainerMemory, ...]:
    """Armada's: the factor for each; a static amount split over the app containers by requests, whole for init.

    The share of a container is that of its request, for its request and limit both. Bytes are rounded down.
    Source: armadaproject/armada internal/scheduler/api.go, applyResourceMutations.
    """
    if growth.factor is not None:
        return tuple(_times(growth.factor, container) for container in memory)
    requests = sum(container.request or 0 for container in memory if container.kind in NOT_INIT)
    return tuple(_plus(_share(growth.static or 0, container, of=requests), container) for container in memory)


def _with_more(growth: MemoryGrowth, container: ContainerMemory) -> ContainerMemory:
    return replace(container, request=_grown(growth, container.request), limit=_grown(growth, container.limit))


def _grown(growth: MemoryGrowth, size: int | None) -> int | None:
    """Rounded up to whole bytes; unset values stay unset, and nothing shrinks."""
    if not size:
        return size
    grown = math.ceil(size * Fraction(growth.factor)) if growth.factor is not None else size + (growth.static or 0)
    return grown if growth.ceiling is None else max(size, min(grown, growth.ceiling))


def _share(static: int, container: ContainerMemory, *, of: int) -> int:
    if container.kind not in NOT_INIT:
        return static
    return static * container.request // of if container.request else 0


def _times(factor: float, container: ContainerMemory) -> ContainerMemory:
    return replace(
        container,
        request=container.request and int(container.request * factor),
        limit=container.limit and int(container.limit * factor),
    )


def _plus(share: int, container: ContainerMemory) -> ContainerMemory:
    return replace(
        container,
        request=container.request and container.request + share,
        limit=container.limit and container.limit + share,
    )
