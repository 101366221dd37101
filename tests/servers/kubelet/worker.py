"""The worker of one pod: compares the pod with its containers, and does what is due (pkg/kubelet/pod_workers.go)."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from math import inf
from typing import Final

from agent.simulator.pod_status import over
from tests.servers.kubelet.behaviour import Behaviour
from tests.servers.kubelet.link import Link
from tests.servers.kubelet.runtime import Container, Runtime
from tests.servers.kubelet.status import Refusal, last_status, refused, status_of
from tests.servers.kubelet.steps import Steps, steps
from tests.simulator.api import Json

_ORPHANED_SECONDS: Final = 2.0
"""After which the kubelet finds containers of a pod that it did not admit (housekeeping)."""

_FORCED_GRACE: Final = 1.0
_GONE: Final = (404, 409)
"""The pod is gone, or another one has its name."""


class Worker:
    """Works on one uid until its pod is gone from the API server and its containers have ended."""

    def __init__(
        self, pod: Json, *, runtime: Runtime, link: Link, behaviour: Behaviour, refusal: Refusal | None
    ) -> None:
        self._pod = pod
        self._runtime: Final = runtime
        self._link: Final = link
        self._behaviour: Final = behaviour
        self._refusal: Final = refusal
        self._wake: Final = asyncio.Event()
        self._loop: Final = asyncio.get_running_loop()
        self._began: Final = self._loop.time()
        self._removed = self._deleted = self._orphaned = False
        self._grace: float | None = None

    def update(self, pod: Json) -> None:
        """What the API server has of the pod now."""
        self._pod = {**pod, "status": self._pod["status"]} if not over(pod) else pod
        self._wake.set()

    def remove(self) -> None:
        """The API server has the pod no longer."""
        self._removed = True
        self._wake.set()

    async def run(self) -> None:
        """Work until there is nothing left to do."""
        for container in self._containers.values():
            container.on_end = self._wake.set
        while not (self._removed and not self._living):
            self._wake.clear()
            await self._sync()
            await self._wake.wait()

    @property
    def _containers(self) -> Mapping[str, Container]:
        return self._runtime.of(self._pod["metadata"]["uid"])

    @property
    def _living(self) -> list[Container]:
        return [container for container in self._containers.values() if container.lives]

    async def _sync(self) -> None:
        if self._removed:
            self._stop(float(self._pod["spec"]["terminationGracePeriodSeconds"]))
        elif self._refusal is not None:
            await self._refuse(self._refusal)
        elif self._pod["metadata"].get("deletionTimestamp") or over(self._pod):
            await self._terminate()
        else:
            await self._advance()

    async def _advance(self) -> None:
        due = self._due()
        if due.over and self._living:  # sidecars end when all others have
            self._stop(self._spec_grace)
        for name in due.start:
            container = self._runtime.start(self._pod, name, self._behaviour.of(name))
            container.on_end = self._wake.set
        if due.after is not None:
            self._loop.call_later(due.after, self._wake.set)
        await self._write(status_of(self._pod, self._containers, now=datetime.now(UTC)))
        if due.start:
            self._wake.set()

    def _due(self) -> Steps:
        left = self._pulling()
        if self._containers or left <= 0:
            return steps(self._pod, self._containers, now=datetime.now(UTC))
        return Steps(after=None if left == inf else left)

    def _pulling(self) -> float:
        """How long the first image still takes."""
        pull = self._behaviour.pull
        return inf if pull is None else self._began + pull - self._loop.time()

    async def _terminate(self) -> None:
        grace = self._pod["metadata"].get("deletionGracePeriodSeconds")
        self._stop(self._spec_grace if grace is None else float(grace))
        if self._living:
            return
        await self._write(last_status(self._pod, self._containers, now=datetime.now(UTC)))
        await self._delete()

    async def _refuse(self, refusal: Refusal) -> None:
        await self._write(refused(self._pod, refusal))
        if self._living and not self._orphaned:
            self._orphaned = True
            self._loop.call_later(_ORPHANED_SECONDS, self._stop, _FORCED_GRACE)
        if not self._living:
            await self._delete()

    @property
    def _spec_grace(self) -> float:
        return float(self._pod["spec"]["terminationGracePeriodSeconds"])

    def _stop(self, grace: float) -> None:
        """Have all containers end within this time, unless they were already asked to end within less."""
        if self._grace is not None and grace >= self._grace:
            return
        self._grace = grace
        for container in self._living:
            container.stop(grace)

    async def _write(self, status: Json) -> None:
        if status == self._pod["status"]:
            return
        self._pod = {**self._pod, "status": status}
        patch = {"metadata": {"uid": self._pod["metadata"]["uid"]}, "status": status}
        code, answer = await self._link.ask("PATCH", f"{self._path}/status", patch)
        assert code == 200 or code in _GONE, answer

    async def _delete(self) -> None:
        """Delete a pod that somebody asked to be deleted, once it has ended."""
        if self._deleted or not self._pod["metadata"].get("deletionTimestamp"):
            return
        self._deleted = True
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": self._pod["metadata"]["uid"]}}
        code, answer = await self._link.ask("DELETE", self._path, options)
        assert code == 200 or code in _GONE, answer

    @property
    def _path(self) -> str:
        meta = self._pod["metadata"]
        return f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
