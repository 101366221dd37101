"""Lists pods in pages that all show the same moment. Needs the verb list on pods."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final
from urllib.parse import quote

from agent.kube.codec import Codec, Page, Unreadable
from agent.kube.connection import Connection
from agent.kube.objects import Pod

_PODS: Final = Codec(Pod)
_PAGE: Final = 250


async def list_pods(connection: Connection, namespace: str, *, labels: str) -> AsyncGenerator[Sequence[Pod]]:
    """The pods with these labels, page by page, as they were at one moment after the call (no ``resourceVersion``).

    Raises ApiError (Gone if the moment is too long ago to go on), Unreachable and Unreadable, also where one pod cannot
    be decoded. Then what came so far is no list.
    """
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods"
    asked: Mapping[str, str] = {"labelSelector": labels, "limit": str(_PAGE)}
    token = ""
    while True:
        page = await _read(connection, path, {**asked, "continue": token} if token else asked)
        yield page.objects
        if not page.continue_token:
            return
        token = page.continue_token


async def _read(connection: Connection, path: str, asked: Mapping[str, str]) -> Page[Pod]:
    page = _PODS.read_page(await connection.get(path, asked))
    if page.undecodable:
        first = page.undecodable[0]
        raise Unreadable(f"the pod {first.name} of the list cannot be decoded: {first.why}")
    return page
