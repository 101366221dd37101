"""On which nodes there are pods, asked without keeping any pod."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from agent.kube.connection import Connection
from agent.kube.objects import ListMetadata

_PAGE: Final = 500


class _Spec(Struct, gc=False, frozen=True):
    nodeName: str | None = None  # noqa: N815 - Kubernetes' own field name


class _Placed(Struct, gc=False, frozen=True):
    spec: _Spec = _Spec()


class _Page(Struct, gc=False, frozen=True):
    metadata: ListMetadata = ListMetadata()
    items: list[_Placed] | None = None


_DECODER: Final = msgspec.json.Decoder(_Page)


async def nodes_with_pods(connection: Connection, path: str, *, labels: str) -> frozenset[str]:
    """The names of nodes that pods under this path are on. Raises ApiError, Unreachable and msgspec.DecodeError."""
    selectors: Mapping[str, str] = {"fieldSelector": "spec.nodeName!="} | ({"labelSelector": labels} if labels else {})
    found: set[str] = set()
    more: dict[str, str] = {}
    while True:
        page = _DECODER.decode(await connection.get(path, {**selectors, "limit": str(_PAGE), **more}))
        found.update(each.spec.nodeName for each in page.items or () if each.spec.nodeName)
        if not page.metadata.continue_:
            return frozenset(found)
        more = {"continue": page.metadata.continue_}
