"""The resources that a pod's spec has for its containers and for itself."""

from collections.abc import Iterator, Mapping

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
        try:
            parse(quantity)
        except QuantityError:
            continue
        yield resource, quantity
