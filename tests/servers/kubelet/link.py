"""The way of a kubelet to the API server: it asks until it is answered, and can be cut off."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

import aiohttp

from tests.simulator.api import Json

_STRATEGIC: Final = "application/strategic-merge-patch+json"
_AGAIN_SECONDS: Final = 0.1
_BUSY: Final = 429
_BROKEN: Final = 500
_WATCH_SECONDS: Final = 300


class Link:
    """Sends the requests of one kubelet. While it is closed, requests wait; one that was sent may still be obeyed."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session: Final = session
        self._url: Final = url
        self._open: Final = asyncio.Event()
        self._open.set()

    def open(self) -> None:
        """Send requests, and those that wait."""
        self._open.set()

    def close(self) -> None:
        """Send nothing."""
        self._open.clear()

    async def ask(self, method: str, path: str, body: object = None, **query: str) -> tuple[int, Json]:
        """Ask until there is an answer that another attempt would not change; its status and body."""
        while True:
            await self._open.wait()
            try:
                async with self._session.request(
                    method, self._url + path, data=_written(body), headers=_headers(method), params=query
                ) as answer:
                    if answer.status != _BUSY and answer.status < _BROKEN:
                        return answer.status, json.loads(await answer.read())
            except (aiohttp.ClientError, TimeoutError):
                pass  # the API server is down, which a kubelet lives with
            await asyncio.sleep(_AGAIN_SECONDS)

    async def pods(self, path: str, node: str) -> AsyncIterator[Json]:
        """Events about the pods of the node, until the watch ends. First a list of all as one event, ``LISTED``."""
        selector = f"spec.nodeName={node}"
        _, listed = await self.ask("GET", path, fieldSelector=selector)
        yield {"type": "LISTED", "items": listed["items"]}
        query = {
            "watch": "true",
            "fieldSelector": selector,
            "resourceVersion": listed["metadata"]["resourceVersion"],
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        try:
            async with self._session.get(self._url + path, params=query, raise_for_status=True) as answer:
                async for line in answer.content:
                    yield json.loads(line)
        except (aiohttp.ClientError, TimeoutError):
            await asyncio.sleep(_AGAIN_SECONDS)


def _written(body: object) -> bytes | None:
    return None if body is None else json.dumps(body).encode()


def _headers(method: str) -> dict[str, str]:
    return {"Content-Type": _STRATEGIC if method == "PATCH" else "application/json"}
