"""Stages on a real API server."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from tests.contract.denying import denying
from tests.contract.stage import Stage
from tests.contract.witness import Witness
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.service_accounts import Rule, ServiceAccounts
from tests.servers.session import session
from tests.simulator.api import pod

OPTIONS: Final = Options(
    api_server=(
        "--feature-gates=ListFromCacheSnapshot=false",
        "--enable-priority-and-fairness=false",
        "--max-mutating-requests-inflight=1",
    )
)
"""A compaction is noticed at once, and one write at a time is enough for whoever is not of system:masters."""

_PROBES: Final = 50


@dataclass(frozen=True, slots=True)
class RealKeeper:
    """Holds the processes of a control plane started with OPTIONS."""

    control_plane: ControlPlane
    namespace: str

    async def forget(self) -> None:
        self.control_plane.compact()

    async def forget_watches(self) -> None:
        self.control_plane.compact()
        self.control_plane.kill_api_server()
        self.control_plane.mend()

    @asynccontextmanager
    async def overloaded(self) -> AsyncIterator[Witness]:
        """The storage stands still, so that one write of somebody's stays in flight."""
        accounts = ServiceAccounts(self.control_plane, self.namespace)
        somebody = accounts.make("somebody")
        accounts.grant(somebody, [Rule(verbs=("create",), resources=("pods",))], everywhere=False)
        async with session(self.control_plane.tls(), somebody.token, reuse=False) as opened:
            witness = Witness(opened, self.control_plane.url, somebody.token)
            self.control_plane.etcd.pause()
            try:
                stuck = await _get_stuck(Witness(opened, self.control_plane.url), self.namespace)
                yield witness
            finally:
                self.control_plane.mend()
            await asyncio.gather(*stuck)

    @asynccontextmanager
    async def full(self) -> AsyncIterator[None]:
        quotas = f"/api/v1/namespaces/{self.namespace}/resourcequotas"
        client = self.control_plane.client()
        client.create(quotas, {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0"}}})
        client.patch(f"{quotas}/q/status", {"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}})
        yield

    @asynccontextmanager
    async def denying(self, why: str) -> AsyncIterator[None]:
        async with (
            session(self.control_plane.tls(), self.control_plane.token, reuse=False) as opened,
            denying(Witness(opened, self.control_plane.url), self.namespace, why),
        ):
            yield


async def _get_stuck(somebody: Witness, namespace: str) -> set["asyncio.Task[object]"]:
    """Write until one is refused: another is in flight then."""
    stuck: set[asyncio.Task[object]] = set()
    for number in range(_PROBES):
        path = f"/api/v1/namespaces/{namespace}/pods"
        probe: asyncio.Task[object] = asyncio.create_task(somebody.ask("POST", path, body=pod(f"probe-{number}")))
        stuck.add(probe)
        done, _ = await asyncio.wait(stuck, timeout=0.2)
        if any(exchange["answer"]["status"] == 429 for exchange in somebody.exchanges):
            return stuck - done
    raise AssertionError("no write was refused")


@asynccontextmanager
async def real_stage(control_plane: ControlPlane) -> AsyncIterator[Stage]:
    """A stage on a control plane started with OPTIONS."""
    control_plane.mend()
    namespace = f"contract-{secrets.token_hex(4)}"
    control_plane.client().create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    async with session(control_plane.tls(), control_plane.token, reuse=False) as opened:
        keeper = RealKeeper(control_plane, namespace)
        yield Stage(server=Witness(opened, control_plane.url), namespace=namespace, keeper=keeper)
