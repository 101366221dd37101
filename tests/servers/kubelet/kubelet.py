"""The kubelet of one node: follows the pods that are bound to it, and has a worker for each."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from tests.servers.kubelet.behaviour import Script
from tests.servers.kubelet.link import Link
from tests.servers.kubelet.runtime import Runtime
from tests.servers.kubelet.status import Refusal
from tests.servers.kubelet.worker import Worker
from tests.simulator.api import Json

_AFFINITY: Final = Refusal(
    reason="NodeAffinity",
    message="Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
)
_OVER: Final = ("Failed", "Succeeded")


class Kubelet:
    """One process of a kubelet. It ends with ``end``, while the containers of the machine go on.

    ``on_error`` is called with what a bug in here raises.
    """

    def __init__(
        self,
        node: str,
        *,
        runtime: Runtime,
        link: Link,
        script: Script,
        pods: str,
        on_error: Callable[[BaseException], None],
    ) -> None:
        self._node: Final = node
        self._runtime: Final = runtime
        self._link: Final = link
        self._script: Final = script
        self._pods: Final = pods
        self._on_error: Final = on_error
        self._labels: Mapping[str, str] = {}
        self._workers: Final[dict[str, Worker]] = {}
        self._tasks: Final[set[asyncio.Task[None]]] = set()
        self._following = self._begin(self._follow())

    def cut(self) -> None:
        """Send and hear nothing until ``join``."""
        self._link.close()
        self._following.cancel()

    def join(self) -> None:
        """Reach the API server again."""
        self._link.open()
        self._following = self._begin(self._follow())

    async def end(self) -> None:
        """End the process."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_error(error)

    async def _follow(self) -> None:
        _, node = await self._link.ask("GET", f"/api/v1/nodes/{self._node}")
        self._labels = node["metadata"].get("labels") or {}
        while True:
            async for event in self._link.pods(self._pods, self._node):
                if event["type"] == "ERROR":
                    break
                self._notice(event)

    def _notice(self, event: Json) -> None:
        match event["type"]:
            case "LISTED":
                self._notice_all({pod["metadata"]["uid"]: pod for pod in event["items"]})
            case "DELETED":
                self._remove(event["object"]["metadata"]["uid"])
            case _:
                self._see(event["object"])

    def _notice_all(self, pods: Mapping[str, Json]) -> None:
        for uid in self._workers.keys() - pods.keys():
            self._remove(uid)
        for pod in pods.values():
            self._see(pod)

    def _remove(self, uid: str) -> None:
        if (worker := self._workers.pop(uid, None)) is not None:
            worker.remove()

    def _see(self, pod: Json) -> None:
        uid = pod["metadata"]["uid"]
        if (known := self._workers.get(uid)) is not None:
            known.update(pod)
            return
        worker = Worker(
            pod, runtime=self._runtime, link=self._link, behaviour=self._script(pod), refusal=self._admit(pod)
        )
        self._workers[uid] = worker
        self._begin(worker.run())

    def _admit(self, pod: Json) -> Refusal | None:
        """Look at every pod that has not ended when it is first seen, also after a restart of the kubelet."""
        wanted = pod["spec"].get("nodeSelector") or {}
        if pod["status"].get("phase") in _OVER or wanted.items() <= self._labels.items():
            return None
        return _AFFINITY
