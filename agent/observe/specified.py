"""The resources that a pod's spec has for its containers and for itself."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from agent.core.evidence import Specified
from agent.core.units import QuantityError, parse
from agent.kube import objects


def specified(spec: objects.PodSpec) -> Iterator[Specified]:
    """Those of each container that sets some, and those of the pod, without a name."""
    for container in (*(spec.containers or ()), *(spec.initContainers or ())):
        yield from _read(container.name or "", container.resources)
    yield from _read("", spec.resources)


def _read(name: str, given: objects.Resources | None) -> Iterator[Specified]:
    if given is not None and (given.limits or given.requests):
        yield Specified(
            name=name, limits=tuple(_quantities(given.limits or {})), requests=tuple(_quantities(given.requests or {}))
        )


def _quantities(given: Mapping[str, str | float | None]) -> Iterator[tuple[str, str]]:
    """What is a quantity: only an API server refuses anything else."""
    for resource, written in given.items():
        quantity = str(written)
        if _is_quantity(quantity):
            yield resource, quantity


@lru_cache(maxsize=1024)
def _is_quantity(text: str) -> bool:
    """Cached: pods of few kinds fail by the thousand, and to read a quantity takes longer than the rest of a pod."""
    try:
        parse(text)
    except QuantityError:
        return False
    return True
