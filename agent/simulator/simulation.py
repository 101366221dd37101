"""One simulated cluster: makes the parts and connects them."""

import asyncio
import random
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from aiohttp import web

from agent.simulator.container_logs import ContainerLogs
from agent.simulator.event_source import EventSource
from agent.simulator.faults import Faults
from agent.simulator.garbage import PodGarbageCollector
from agent.simulator.gates import with_gates, without_gates
from agent.simulator.kinds import NAMESPACES, Json
from agent.simulator.kubelet import Kubelet
from agent.simulator.ledger import Ledger
from agent.simulator.listing import Lister
from agent.simulator.nodes import Nodes
from agent.simulator.plan import Plan
from agent.simulator.record import RunRecord
from agent.simulator.registry import Registry
from agent.simulator.script import Script
from agent.simulator.server import BOOKMARK_SECONDS, ApiServer
from agent.simulator.store import HISTORY, Store
from agent.simulator.timeline import Timeline
from agent.simulator.times import Clocks, milliseconds, seconds, stamp, utc_now
from agent.simulator.webhook import webhook_of
from agent.simulator.workload import Workload

HOST: Final = "127.0.0.1"
_EXPIRY_SECONDS: Final = 5.0
_SHUTDOWN_SECONDS: Final = 0.2
_CLUSTERS: Final = uuid.UUID("6f1c7a52-5c1f-4d6e-9d56-6a1b0c9f3e01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to simulate. ``plan`` of ``None`` makes no jobs; ``port`` 0 is any free one.

    Without ``gates`` the server does not know scheduling gates, and drops them from what clients create.
    """

    cluster: str = "simulated"
    port: int = 0
    plan: Plan | None = None
    scripts: Mapping[str, Script] = field(default_factory=dict)
    record: Path | None = None
    history: int = HISTORY
    bookmark_seconds: float = BOOKMARK_SECONDS
    speed: float = 1.0
    namespaces: tuple[str, ...] = field(default=("default",))
    clocks: Clocks = field(default_factory=Clocks)
    gates: bool = True


class CannotListen(Exception):
    """The port is in use, or not permitted."""


class Simulation:
    """A cluster that serves at ``url`` as long as its ``async with`` lasts."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._plan = options.plan if options.plan is not None else Plan()
        self._timeline = Timeline(speed=options.speed)
        now = options.clocks.server
        self.registry = Registry(Store(version=milliseconds(utc_now()), history=options.history), now=now)
        self._events = EventSource(self.registry, keep=timedelta(seconds=seconds(self._plan.event_life)), now=now)
        self._nodes = Nodes(self.registry, pool=self._plan.nodes)
        self.logs = ContainerLogs()
        self._record = RunRecord(options.record)
        self.ledger = Ledger(self.registry.store, now=now)
        self._faults = Faults()
        PodGarbageCollector(self.registry, self._timeline)
        self._workload = self._make_workload()
        self.kubelet = self._make_kubelet()
        self._runner = web.AppRunner(
            self._api().application(),
            access_log=None,
            handler_cancellation=True,  # a watch ends when its client leaves
            shutdown_timeout=_SHUTDOWN_SECONDS,
        )
        self.url = ""

    async def __aenter__(self) -> Self:
        self._start_cluster()
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self._options.port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise CannotListen(f"port {self._options.port} of {HOST}: {error.strerror}") from error
        address = self._runner.addresses[0]
        self.url = f"http://{HOST}:{address[1]}"
        if self._options.plan is not None:
            self._workload.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()
        self._record.close()

    async def run(self, stop: Callable[[], Awaitable[object]]) -> None:
        """Play until ``stop`` returns. An error in a script ends it and is raised: a test must not miss it."""
        playing = asyncio.ensure_future(self._timeline.run())
        stopping = asyncio.ensure_future(stop())
        try:
            done, _ = await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            playing.cancel()
            stopping.cancel()
            await asyncio.gather(playing, stopping, return_exceptions=True)

    def status(self) -> Json:
        """The answer of ``/simulator/status``; ``ended`` and ``in_run`` count the rows of the record."""
        return {
            "cluster": self._options.cluster,
            "created": self._workload.created,
            "ended": self._record.ended,
            "in_run": self._record.in_run,
            "running": self._workload.running,
            "done": self._workload.done,
        }

    def _start_cluster(self) -> None:
        now = self._options.clocks.server()
        uid = str(uuid.uuid5(_CLUSTERS, self._options.cluster))
        self.registry.store.put(
            NAMESPACES,
            {
                "kind": "Namespace",
                "apiVersion": "v1",
                "metadata": {"name": "kube-system", "uid": uid, "creationTimestamp": stamp(now)},
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            },
        )
        planned = () if self._options.plan is None else self._plan.namespaces
        for name in dict.fromkeys((*self._options.namespaces, *planned)):
            self.registry.create(NAMESPACES, {"metadata": {"name": name}}, namespace="")
        self._nodes.start(now)
        self._expire()

    def _expire(self) -> None:
        self._events.expire()
        self._timeline.after(_EXPIRY_SECONDS, self._expire)

    def _make_workload(self) -> Workload:
        rng = random.Random(f"{self._plan.seed}:{self._options.cluster}")  # noqa: S311 - it must repeat, not surprise
        return Workload(self.registry, self._timeline, plan=self._plan, scripts=self._options.scripts, rng=rng)

    def _make_kubelet(self) -> Kubelet:
        return Kubelet(
            self.registry,
            self._timeline,
            scripts=self._options.scripts,
            nodes=self._nodes,
            events=self._events,
            logs=self.logs,
            record=self._record,
            ledger=self.ledger,
            clocks=self._options.clocks,
            on_ended=self._workload.run_ended,
        )

    def _api(self) -> ApiServer:
        return ApiServer(
            registry=self.registry,
            lister=Lister(self.registry.store),
            logs=self.logs,
            faults=self._faults,
            status=self.status,
            containers=self.ledger.report,
            now=self._options.clocks.server,
            read=with_gates if self._options.gates else without_gates,
            webhook=webhook_of(self._options.scripts),
            bookmark_seconds=self._options.bookmark_seconds,
        )
