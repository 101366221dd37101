"""A pod's JSON: its annotations, and the memory of its containers, which may be raised."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from agent.core.evidence import ContainerKind, ContainerMemory
from agent.core.units import in_bytes, whole_number
from agent.json_reader.reader import read_value

_Object = dict[str, Any]


class DecidedPod(NamedTuple):
    """What a decision needs of a pod."""

    annotations: Mapping[str, str]
    memory: tuple[ContainerMemory, ...]


def read_pod(pod: bytes, *, instead: Sequence[ContainerMemory] = ()) -> DecidedPod:
    """The annotations, and the memory of each container as in ``memory_of``, parsed once."""
    whole = read_value(pod)
    metadata = whole.get("metadata") or {}
    return DecidedPod(metadata.get("annotations") or {}, _memory_in(whole, instead))


def memory_of(pod: bytes, *, instead: Sequence[ContainerMemory] = ()) -> tuple[ContainerMemory, ...]:
    """The memory of each container, init containers included; what ``instead`` has by name takes the place of it."""
    return _memory_in(read_value(pod), instead)


def with_memory(pod: bytes, memory: Sequence[ContainerMemory]) -> bytes:
    """The pod whose containers have this memory; a request or limit that is ``None`` stays as it is."""
    if not memory:
        return pod
    by_name = {given.name: given for given in memory}
    changed = read_value(pod)
    for container, _ in _containers(changed):
        given = by_name.get(container.get("name", ""))
        if given is not None:
            _set(container, "requests", given.request)
            _set(container, "limits", given.limit)
    return msgspec.json.encode(changed)


def raised(memory: Sequence[ContainerMemory], after: Sequence[ContainerMemory]) -> tuple[ContainerMemory, ...]:
    """This memory with those of ``after`` in place of the ones of the same name."""
    return tuple({given.name: given for given in (*memory, *after)}.values())


def _memory_in(pod: _Object, instead: Sequence[ContainerMemory]) -> tuple[ContainerMemory, ...]:
    by_name = {memory.name: memory for memory in instead}
    found = [_memory(container, kind) for container, kind in _containers(pod)]
    return tuple(by_name.get(memory.name, memory) for memory in found)


def _containers(pod: Mapping[str, Any]) -> Iterator[tuple[_Object, ContainerKind]]:
    spec = pod["spec"]
    for container in spec.get("initContainers") or ():
        sidecar = container.get("restartPolicy") == "Always"
        yield container, ContainerKind.SIDECAR if sidecar else ContainerKind.INIT
    for container in spec.get("containers") or ():
        yield container, ContainerKind.APP


def _memory(container: _Object, kind: ContainerKind) -> ContainerMemory:
    return ContainerMemory(
        name=container.get("name", ""),
        kind=kind,
        request=_size(container, "requests"),
        limit=_size(container, "limits"),
    )


def _size(container: _Object, of: str) -> int | None:
    """In bytes; ``None`` if it is not set, or is a quantity that only an API server can refuse."""
    return whole_number(((container.get("resources") or {}).get(of) or {}).get("memory"))


def _set(container: _Object, of: str, size: int | None) -> None:
    if size is not None:
        resources = container.setdefault("resources", {})
        resources[of] = {**(resources.get(of) or {}), "memory": in_bytes(size)}
