"""Nodes of a real cluster, each with a kubelet that can be cut off and restarted, and a ledger of all containers."""

import asyncio
import ssl
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self, TypeVar

import aiohttp

from agent.simulator.ledger import LivedContainer, Overlap, overlaps
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.kubelet.behaviour import Script
from tests.servers.kubelet.kubelet import Kubelet
from tests.servers.kubelet.link import Link
from tests.servers.kubelet.runtime import Runtime
from tests.servers.session import session
from tests.simulator.api import Json

_NODES: Final = "/api/v1/nodes"
_CALL_SECONDS: Final = 30.0

_T = TypeVar("_T")


class Nodes:
    """Runs from entering ``with`` to leaving it, in a thread of its own; then the nodes are gone from the API server.

    ``labels`` are those of the nodes, by name. Only pods of ``namespace``, if one is named, are run. Methods have done
    what they say when they return. Leaving raises what went wrong in a kubelet.
    """

    def __init__(
        self,
        control_plane: ControlPlane,
        names: Sequence[str],
        script: Script,
        *,
        namespace: str | None = None,
        labels: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    ) -> None:
        self._admin: Final[Client] = control_plane.client()
        self._url: Final = control_plane.url
        self._tls: Final[ssl.SSLContext] = control_plane.tls()
        self._token: Final = control_plane.token
        self._names: Final = names
        self._labels: Final = labels
        self._script: Final = script
        self._pods: Final = "/api/v1/pods" if namespace is None else f"/api/v1/namespaces/{namespace}/pods"
        self._loop: Final = asyncio.new_event_loop()
        self._opened: Final = AsyncExitStack()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, name="kubelets")
        self._runtimes: Final = {name: Runtime() for name in names}
        self._kubelets: Final[dict[str, Kubelet]] = {}
        self._errors: Final[list[BaseException]] = []

    def __enter__(self) -> Self:
        for name in self._names:
            _make_node(self._admin, name, self._labels.get(name, {}))
        self._thread.start()
        self._session = self._do(self._open())
        for name in self._names:
            self.start(name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._do(self._close())
            for name in self._names:
                with suppress(OSError):  # the API server may be gone first
                    self._admin.ask("DELETE", f"{_NODES}/{name}", seconds=_CALL_SECONDS)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        if kind is None and self._errors:
            raise self._errors[0]

    def start(self, name: str) -> None:
        """Start the kubelet of the node, which has ended."""
        self._do(self._start(name))

    def kill(self, name: str) -> None:
        """End the kubelet of the node at once. Its containers go on."""
        self._do(self._kubelets.pop(name).end())

    def lose(self, name: str) -> None:
        """Lose the machine: its kubelet and its containers end, and nobody reports it."""
        self.kill(name)
        self._call(self._runtimes[name].end)

    def cut(self, name: str) -> None:
        """Cut the kubelet off from the API server. Its containers go on."""
        self._call(self._kubelets[name].cut)

    def join(self, name: str) -> None:
        """Let it reach the API server again."""
        self._call(self._kubelets[name].join)

    @property
    def ledger(self) -> Sequence[LivedContainer]:
        """Every container that ran on a node, whatever was written of it, also later. Those of a job count as gated."""
        return [each for runtime in self._runtimes.values() for each in runtime.ledger]

    @property
    def overlaps(self) -> Sequence[Overlap]:
        """Where two pods of one job ran at once."""
        return overlaps(self.ledger)

    def lives(self, uid: str) -> bool:
        """Whether a container of this pod runs."""
        return any(each.pod_uid == uid and each.ended_at is None for each in self.ledger)

    async def _open(self) -> aiohttp.ClientSession:
        return await self._opened.enter_async_context(session(self._tls, self._token, limit=0))

    async def _close(self) -> None:
        for kubelet in self._kubelets.values():
            await kubelet.end()
        await self._opened.aclose()

    async def _start(self, name: str) -> None:
        self._kubelets[name] = Kubelet(
            name,
            runtime=self._runtimes[name],
            link=Link(self._session, self._url),
            script=self._script,
            pods=self._pods,
            on_error=self._errors.append,
        )

    def _call(self, act: Callable[[], None]) -> None:
        async def acted() -> None:
            act()

        self._do(acted())

    def _do(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_CALL_SECONDS)


def _make_node(admin: Client, name: str, labels: Mapping[str, str]) -> None:
    """A node that is ready and has room. Admission has tainted it, for as long as nobody says that it is ready."""
    room = {"cpu": "1000", "memory": "1000Gi", "pods": "10000"}
    admin.create(_NODES, {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}})
    status: Json = {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]}
    admin.patch(f"{_NODES}/{name}/status", {"status": status})
    admin.patch(f"{_NODES}/{name}", {"spec": {"taints": None}})
