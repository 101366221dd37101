"""A bare client for an API server, simulated or real: what it answers, word for word."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

Json = dict[str, Any]
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"


class Api:
    """Sends requests; answers are (status, body)."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self.url = url

    async def ask(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        content_type: str = "application/json",
        **query: str | int,
    ) -> tuple[int, Json]:
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": content_type}
        params = {name.rstrip("_"): str(value) for name, value in query.items()}
        async with self._session.request(method, self.url + path, data=data, headers=headers, params=params) as answer:
            return answer.status, json.loads(await answer.read())

    async def get(self, path: str, **query: str | int) -> Json:
        params = {name.rstrip("_"): str(value) for name, value in query.items()}
        async with self._session.get(self.url + path, params=params) as answer:
            body: Json = json.loads(await answer.read())
            assert answer.status == 200, body
            return body

    async def text(self, path: str, **query: str | int) -> str:
        async with self._session.get(self.url + path, params={k: str(v) for k, v in query.items()}) as answer:
            assert answer.status == 200
            return await answer.text()

    async def create(self, path: str, body: Json) -> Json:
        status, made = await self.ask("POST", path, body=body)
        assert status == 201, made
        return made

    async def patch(self, path: str, body: object, content_type: str = MERGE) -> Json:
        status, made = await self.ask("PATCH", path, body=body, content_type=content_type)
        assert status == 200, made
        return made

    @asynccontextmanager
    async def watch(self, path: str, **query: str | int) -> AsyncIterator["Events"]:
        params = {"watch": "true", "timeoutSeconds": "10", **{name: str(value) for name, value in query.items()}}
        async with self._session.get(self.url + path, params=params) as answer:
            assert answer.status == 200, await answer.text()
            yield Events(answer)

    async def add_fault(self, **fault: str | int) -> None:
        assert (await self.ask("POST", "/simulator/faults", body=fault))[0] == 200

    async def clear_faults(self) -> None:
        assert (await self.ask("DELETE", "/simulator/faults"))[0] == 200

    async def requests(self) -> dict[str, int]:
        return await self.get("/simulator/requests")


class Events:
    """The events of one watch."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def next(self) -> Json:
        line = await self._answer.content.readline()
        assert line.endswith(b"\n"), "the watch ended"
        event: Json = json.loads(line)
        return event

    async def take(self, count: int) -> list[tuple[str, str]]:
        events = [await self.next() for _ in range(count)]
        return [(event["type"], event["object"]["metadata"]["name"]) for event in events]

    async def ended(self) -> bool:
        return await self._answer.content.read() == b""


def pod(name: str, *, node: str = "", labels: dict[str, str] | None = None, **meta: object) -> Json:
    """A pod that a client creates; it has no script, so nothing plays on it."""
    spec: Json = {"containers": [{"name": "main", "image": "example"}], "restartPolicy": "Never"}
    if node:
        spec["nodeName"] = node
    return {"metadata": {"name": name, "labels": labels or {}, **meta}, "spec": spec}


PODS = "/api/v1/namespaces/default/pods"
