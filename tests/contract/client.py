"""Our own client on a stage: on the simulator, or on a real API server."""

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agent.core.run_event import PodReference
from agent.kube.connection import Connection
from agent.settings.kube import KubeSettings
from tests.contract.real import real_stage
from tests.contract.simulated import simulated_stage
from tests.contract.stage import Stage
from tests.servers.control_plane import ControlPlane
from tests.servers.credential import Token
from tests.simulator.api import Json, pod


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Our own ``connection`` to a stage. ``settings`` gives those of the owner of a token."""

    stage: Stage
    connection: Connection
    settings: Callable[[str], KubeSettings]

    async def put(self, name: str, *, finalizers: Sequence[str] = ()) -> PodReference:
        """A new pod."""
        return self.reference(await self.stage.server.create(self.stage.pods, pod(name, finalizers=list(finalizers))))

    def reference(self, made: Json) -> PodReference:
        """What our client calls a pod."""
        meta = made["metadata"]
        return PodReference(namespace=self.stage.namespace, name=meta["name"], uid=meta["uid"])


@asynccontextmanager
async def simulated_client() -> AsyncIterator[Client]:
    """Our client on a simulator."""
    async with simulated_stage() as stage:
        settings = KubeSettings(url=stage.server.url)
        async with await Connection.open(settings) as connection:
            yield Client(stage=stage, connection=connection, settings=lambda _: settings)


@asynccontextmanager
async def real_client(control_plane: ControlPlane) -> AsyncIterator[Client]:
    """Our client on a control plane started with ``real.OPTIONS``, as ``admin``."""

    def settings(token: str) -> KubeSettings:
        return KubeSettings(kubeconfig=control_plane.kubeconfig(Token(token), name=f"own-{secrets.token_hex(4)}"))

    async with (
        real_stage(control_plane) as stage,
        await Connection.open(settings(control_plane.token)) as connection,
    ):
        yield Client(stage=stage, connection=connection, settings=settings)
